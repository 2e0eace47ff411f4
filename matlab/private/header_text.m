function text = header_text(hdr, dims)
%HEADER_TEXT  The sections of a header that say what the elements are, for an array of that size.

	text = sprintf('# Dimensions\n%s\n# Type\n%s\n# Byte-Order\nlittle\n', numbers(dims), hdr.type);
	fields = {'spacing', 'origin', 'detector', 'quantity', 'unit'};
	sections = {'Spacing', 'Origin', 'Detector', 'Quantity', 'Unit'};

	for k = 1:numel(fields)
		if isfield(hdr, fields{k}) && ~isempty(hdr.(fields{k}))
			text = [text, sprintf('# %s\n%s\n', sections{k}, value_text(hdr.(fields{k})))]; %#ok<AGROW>
		end
	end

	if isfield(hdr, 'extra')
		for k = 1:size(hdr.extra, 1)
			text = [text, sprintf('# %s\n%s\n', hdr.extra{k, :})]; %#ok<AGROW>
		end
	end
end

function text = value_text(value)
	if ischar(value)
		text = value;
	else
		text = numbers(value);
	end
end

% Shortest text that reads back as the same numbers.
function text = numbers(values)
	text = strtrim(sprintf('%.15g ', values));

	if ~isequal(sscanf(text, '%f').', values(:).')
		text = strtrim(sprintf('%.17g ', values));
	end
end
