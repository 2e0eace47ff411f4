function path = tied_data(stem, header)
%TIED_DATA  NAME.cfl~TIE of a header (doc/format.md) where both exist, else ''.

	path = '';

	if exist(header, 'file') == 2
		name = tied_name(stem, header);

		if exist(name, 'file') == 2
			path = name;
		end
	end
end
