function yes = is_committed(stem)
%IS_COMMITTED  Whether NAME.hdr~ is the header that counts (doc/format.md): a commit that was interrupted after it took effect.
%   An editor's backup of that name is older than NAME.hdr and has no NAME.cfl~ beside it.

	new = dir([stem '.hdr~']);
	old = dir([stem '.hdr']);
	yes = ~isempty(new) && (isempty(old) || exist([stem '.cfl~'], 'file') || new(1).datenum >= old(1).datenum);
end
