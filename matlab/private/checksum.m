function text = checksum(data, hdr)
%CHECKSUM  Of the elements and of what the header says of them: it tells whether a history still belongs to them.
%   Blocks of 1024 words of 32 bits become weighted sums, which are exact in double, until one is left.

	data = data(:);

	if islogical(data)
		data = uint8(data);
	end

	if ~isreal(data)
		data = [real(data); imag(data)];
	end

	about = header_text(hdr, dims_of(data));
	chunk = 2 ^ 22; % elements
	sums = double(about(:));

	for first = 1:chunk:numel(data)
		sums(end + 1, 1) = fold(words_of(data(first:min(end, first + chunk - 1)))); %#ok<AGROW>
	end

	text = sprintf('%.0f', fold(sums));
end

function words = words_of(data)
	bytes = typecast(data, 'uint8');
	bytes = [bytes; zeros(mod(-numel(bytes), 4), 1, 'uint8')];
	words = double(typecast(bytes, 'uint32'));
end

function total = fold(words)
	while numel(words) > 1
		words = [words; zeros(mod(-numel(words), 1024), 1)]; %#ok<AGROW>
		words = mod((1:1024) * reshape(words, 1024, []), 4294967291).';
	end

	total = words;
end
