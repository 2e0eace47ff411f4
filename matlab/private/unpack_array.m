function [data, hdr] = unpack_array(s)
%UNPACK_ARRAY  Elements and header of a struct with the fields data and hdr.

	if ~isfield(s, 'data') || ~isfield(s, 'hdr')
		error('writecfl:data', 'found a struct without the fields data and hdr, expected an array or what gantry() returned');
	end

	data = s.data;
	hdr = s.hdr;

	if isfield(hdr, 'dims') && ~isequal(hdr.dims(:).', dims_of(data))
		warning('writecfl:grid', ['the data are %s, their hdr is of %s: written without spacing, origin, quantity and unit ' ...
			'(set hdr to struct(''spacing'', [...], ...))'], size_text(dims_of(data)), size_text(hdr.dims));
		hdr = struct();
	end
end

function text = size_text(dims)
	text = strjoin(arrayfun(@num2str, dims(:).', 'UniformOutput', false), ' x ');
end
