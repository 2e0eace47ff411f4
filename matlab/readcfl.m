function [data, hdr] = readcfl(name)
%READCFL  Read an array written by Gantry or BART.
%   DATA = READCFL(NAME) reads NAME.hdr and NAME.cfl. DATA(i,j,k) is element (i-1, j-1, k-1) of the file, of
%   MATLAB's class for the file's type (float16 comes as single, bool as logical).
%   [DATA, HDR] = READCFL(NAME) also returns what the header says: dims, type, byte_order, spacing [mm],
%   origin [mm], quantity, unit, detector, command, files, creator, history; empty where it says nothing.
%   HDR.extra holds unknown sections, one row {name, value} each; HDR.checksum tells WRITECFL whether DATA has changed.
%   Pass {DATA, HDR} or struct('data', DATA, 'hdr', HDR) to GANTRY: DATA alone has no grid.
%
%   See also WRITECFL, GANTRY.

	stem = regexprep(char(name), '\.(cfl|hdr)$', '');
	[text, data_path] = read_header(stem);
	hdr = parse_header(text, [stem '.hdr']);

	if strncmp(hdr.history, 'beside ', 7) % a long history stands in a file of its own
		hdr.history = read_text([stem '.history']);
	end

	data = read_data(stem, data_path, hdr);

	if nargout > 1 && ~isempty(hdr.history)
		hdr.checksum = checksum(data, hdr);
	end
end

% The header and the path of its data: during a commit those of NAME.hdr~ (doc/format.md).
function [text, data_path] = read_header(stem)
	path = [stem '.hdr~'];
	data_path = tied_data(stem, path);

	if isempty(data_path)
		path = [stem '.hdr'];
		data_path = [stem '.cfl'];

		if ~exist(data_path, 'file') && ~isempty(tied_data(stem, path))
			data_path = tied_data(stem, path);
		end
	end

	[f, why] = fopen(path, 'r');

	if f < 0
		error('readcfl:open', '%s.hdr: %s', stem, why);
	end

	text = fread(f, [1, Inf], '*char');
	fclose(f);
end

function text = read_text(path)
	text = '';
	f = fopen(path, 'r');

	if f >= 0
		text = strtrim(fread(f, [1, Inf], '*char'));
		fclose(f);
	end
end

function hdr = parse_header(text, name)
	hdr = struct('dims', [], 'type', 'complex64', 'byte_order', 'little', 'spacing', [], 'origin', [], ...
		'quantity', '', 'unit', '', 'detector', [], 'command', '', 'files', '', 'creator', '', ...
		'history', '', 'checksum', '', 'extra', {cell(0, 2)});
	lines = regexp(text, '\r?\n', 'split');
	starts = [find(strncmp(lines, '#', 1)), numel(lines) + 1];

	for k = 1:numel(starts) - 1
		section = strtrim(lines{starts(k)}(2:end));
		body = strjoin(lines(starts(k) + 1:starts(k + 1) - 1), sprintf('\n'));
		hdr = store_section(hdr, section, strtrim(body), name);
	end

	if isempty(hdr.dims)
		error('readcfl:header', '%s: found no ''# Dimensions'' section', name);
	end
end

function hdr = store_section(hdr, section, value, name)
	field = lower(strrep(section, '-', '_'));

	switch section
	case 'Dimensions'
		if ~isempty(hdr.dims)
			error('readcfl:header', '%s: found ''# Dimensions'' twice, expected it once', name);
		end

		hdr.dims = parse_dims(value, name);
	case {'Spacing', 'Origin', 'Detector'}
		hdr.(field) = parse_numbers(value, section, name);
	case {'Type', 'Byte-Order', 'Quantity', 'Unit', 'Command', 'Files', 'Creator', 'History'}
		hdr.(field) = value;
	case 'Checksum' % of that file alone
	otherwise
		hdr.extra(end + 1, :) = {section, value};
	end
end

function dims = parse_dims(value, name)
	dims = parse_numbers(value, 'Dimensions', name);

	if isempty(dims) || numel(dims) > 16 || any(dims < 1 | dims ~= floor(dims))
		error('readcfl:header', '%s: found ''%s'' under ''# Dimensions'', expected 1 to 16 positive integers', name, value);
	end

	dims = dims(1:max([1, find(dims > 1, 1, 'last')]));
end

function numbers = parse_numbers(value, section, name)
	words = regexp(value, '\S+', 'match');
	numbers = cellfun(@str2double, words);

	if ~all(isfinite(numbers))
		error('readcfl:header', '%s: found ''%s'' under ''# %s'', expected finite numbers', name, value, section);
	end
end

function data = read_data(stem, path, hdr)
	[class_name, parts] = storage(hdr.type, stem);
	f = open_data(stem, path, hdr.byte_order);
	close_file = onCleanup(@() fclose(f));
	fseek(f, 0, 'eof');
	found = ftell(f);
	fseek(f, 0, 'bof');
	count = prod(hdr.dims) * parts;
	expected = count * bytes_of(class_name);

	if found ~= expected
		error('readcfl:size', '%s: found %d bytes, expected %d (%s %s)', path, found, expected, ...
			strjoin(arrayfun(@num2str, hdr.dims, 'UniformOutput', false), ' x '), hdr.type);
	end

	data = fread(f, count, ['*' class_name]);

	switch hdr.type
	case {'float16', 'complex32'}
		data = half_to_single(data);
	case 'bool'
		data = data ~= 0;
	end

	if parts == 2
		data = complex(data(1:2:end), data(2:2:end));
	end

	data = reshape(data, [hdr.dims, 1, 1]);
end

function f = open_data(stem, path, byte_order)
	machine = struct('little', 'ieee-le', 'big', 'ieee-be');

	if ~isfield(machine, byte_order)
		error('readcfl:header', '%s.hdr: found ''%s'' under ''# Byte-Order'', expected little or big', stem, byte_order);
	end

	[f, why] = fopen(path, 'r', machine.(byte_order));

	if f < 0
		error('readcfl:open', '%s: %s', path, why);
	end
end

% Class that fread() reads, and how many of them make an element.
function [class_name, parts] = storage(type, stem)
	parts = 1 + strncmp(type, 'complex', 7);

	switch type
	case {'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'}
		class_name = type;
	case 'bool'
		class_name = 'uint8';
	case {'float16', 'complex32'}
		class_name = 'uint16';
	case {'float32', 'complex64'}
		class_name = 'single';
	case {'float64', 'complex128'}
		class_name = 'double';
	otherwise
		error('readcfl:header', '%s.hdr: found ''%s'' under ''# Type'', expected a type of doc/format.md', stem, type);
	end
end

function n = bytes_of(class_name)
	bytes = struct('int8', 1, 'uint8', 1, 'int16', 2, 'uint16', 2, 'int32', 4, 'uint32', 4, 'single', 4, ...
		'int64', 8, 'uint64', 8, 'double', 8);
	n = bytes.(class_name);
end

function x = half_to_single(h)
	e = single(bitand(bitshift(h, -10), 31));
	m = single(bitand(h, 1023));
	x = 2 .^ (max(e, 1) - 15) .* ((e > 0) + m / 1024);
	x(e == 31 & m == 0) = Inf;
	x(e == 31 & m > 0) = NaN;
	x(h > 32767) = -x(h > 32767);
end
