function writecfl(name, data, varargin)
%WRITECFL  Write an array that Gantry reads.
%   WRITECFL(NAME, DATA) writes NAME.hdr and NAME.cfl: double as float64, single as float32, complex as
%   complex128 or complex64, logical as bool, integers as they are. The old pair stays until the new one is complete.
%   WRITECFL(NAME, DATA, HDR) takes spacing, origin, quantity, unit, detector and unknown sections over from
%   a header that READCFL returned; its history, too, when elements and header still are what that history made.
%   WRITECFL(NAME, S) is WRITECFL(NAME, S.data, S.hdr): S is what GANTRY returns.
%   WRITECFL(NAME, DATA, 'spacing', [1 1 2], 'quantity', 'attenuation', 'type', 'float16', ...) sets fields;
%   'type' converts. Pairs may follow HDR.
%
%   See also READCFL, GANTRY.

	stem = regexprep(char(name), '\.(cfl|hdr)$', '');
	hdr = struct();

	if isstruct(data)
		[data, hdr] = unpack_array(data);
	elseif ~isempty(varargin) && isstruct(varargin{1})
		hdr = varargin{1};
		varargin(1) = [];
	end

	hdr.type = type_of(data);

	for k = 1:2:numel(varargin)
		if ~any(strcmp(varargin{k}, {'type', 'spacing', 'origin', 'quantity', 'unit', 'detector'}))
			error('writecfl:option', 'found ''%s'', expected type, spacing, origin, quantity, unit or detector', varargin{k});
		end

		hdr.(varargin{k}) = varargin{k + 1};
	end

	if isempty(data)
		error('writecfl:data', '%s: the array is empty, expected at least one element', name);
	end

	text = [header_text(hdr, size(data)), sprintf('# Creator\ngantry-matlab 0.1.0\n'), history_text(hdr, data)];
	text = unicode2native(text, 'UTF-8');
	temp = tempname(folder_of(stem));
	remove = onCleanup(@() remove_files({[temp '.cfl'], [temp '.hdr']}));
	write_file([temp '.cfl'], elements(data, hdr.type));
	write_file([temp '.hdr'], text);
	commit(temp, stem);
end

function text = history_text(hdr, data)
	text = '';

	if isfield(hdr, 'checksum') && ~isempty(hdr.checksum) && strcmp(hdr.checksum, checksum(data, hdr))
		text = sprintf('# History\n%s\n', hdr.history);
	end
end

function type = type_of(data)
	types = struct('double', 'float64', 'single', 'float32', 'logical', 'bool', 'int8', 'int8', 'int16', 'int16', ...
		'int32', 'int32', 'int64', 'int64', 'uint8', 'uint8', 'uint16', 'uint16', 'uint32', 'uint32', 'uint64', 'uint64');

	if ~isfield(types, class(data))
		error('writecfl:data', 'found an array of class %s, expected numbers', class(data));
	end

	type = types.(class(data));

	if ~isreal(data)
		type = struct('float64', 'complex128', 'float32', 'complex64').(type);
	end
end

% The elements as a vector of what fwrite() puts into the file.
function x = elements(data, type)
	data = data(:);

	if strncmp(type, 'complex', 7)
		x = reshape([real(data), imag(data)].', [], 1);
	elseif isreal(data)
		x = data;
	else
		error('writecfl:data', 'complex array: cannot be written as %s, take its real part first', type);
	end

	switch type
	case {'float16', 'complex32'}
		x = to_half(double(x));
	case {'float32', 'complex64'}
		x = single(x);
	case {'float64', 'complex128'}
		x = double(x);
	case 'bool'
		x = uint8(x ~= 0);
	case {'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'}
		x = feval(type, x);
	otherwise
		error('writecfl:option', 'type ''%s'': expected a type of doc/format.md', type);
	end
end

% IEEE half precision, rounded to nearest, ties to even; too large becomes infinite.
function h = to_half(x)
	a = abs(x);
	[~, e] = log2(a);
	e = max(e - 1, -14);
	e(a == 0) = -14;
	q = a ./ 2 .^ (e - 10);
	r = floor(q + 0.5);
	r = r - (r - q == 0.5 & mod(r, 2) == 1);
	bits = min(r + (e + 14) * 1024, 31744);
	bits(isinf(x)) = 31744;
	bits(isnan(x)) = 32256;
	h = uint16(bits + 32768 * (x < 0 | (x == 0 & 1 ./ x < 0)));
end

function write_file(path, x)
	[f, why] = fopen(path, 'w', 'ieee-le');

	if f < 0
		error('writecfl:open', '%s: %s', path, why);
	end

	written = fwrite(f, x, class(x));

	if fclose(f) ~= 0 || written ~= numel(x)
		error('writecfl:write', '%s: wrote %d of %d elements (is the disk full?)', path, written, numel(x));
	end
end

% The order of doc/format.md: from the second move on readers see the new pair.
function commit(temp, stem)
	settle(stem); % what another program left unfinished
	remove_files({[stem '.history~']});
	move([temp '.hdr'], [stem '.hdr~']);
	move([temp '.cfl'], tied_name(stem, [stem '.hdr~']));
	settle(stem);
	remove_files({[stem '.history']});
end

function settle(stem)
	data = tied_data(stem, [stem '.hdr~']);

	if ~isempty(data)
		remove_files({[stem '.cfl']});

		for extension = {'.history', '.hdr'}
			path = [stem extension{1}];

			if exist([path '~'], 'file')
				move([path '~'], path);
			end
		end
	elseif ~exist([stem '.cfl'], 'file')
		data = tied_data(stem, [stem '.hdr']);
	end

	if ~isempty(data)
		move(data, [stem '.cfl']);
	end
end

function move(from, to)
	if exist('OCTAVE_VERSION', 'builtin')
		[status, why] = rename(from, to);
		done = status == 0;
	else
		[done, why] = movefile(from, to, 'f');
	end

	if ~done
		error('writecfl:move', '%s: %s', to, why);
	end
end

function folder = folder_of(stem)
	folder = fileparts(stem);

	if isempty(folder)
		folder = pwd();
	end
end

function remove_files(paths)
	for k = 1:numel(paths)
		if exist(paths{k}, 'file')
			delete(paths{k});
		end
	end
end
