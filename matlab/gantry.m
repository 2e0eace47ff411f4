function varargout = gantry(command, varargin)
%GANTRY  Run a Gantry tool on arrays.
%   REC = GANTRY('wls -i 30', GEOM, PROJ) writes the arrays to temporary files, runs the tool with their names, and
%   reads the result back: a struct with REC.data, the array, and REC.hdr, its header (see READCFL): spacing, origin,
%   quantity, unit, history. As an input that struct passes all of them on. When you change REC.data, set REC.hdr to match;
%   the history is left out by itself.
%   Inputs may be such structs, cells {array, header}, arrays, or text: file names and further words, e.g.
%   GANTRY('wls', '--weights', W, '--like', 'vol', GEOM, PROJ). An array alone has no grid: beside a geometry it is warned
%   about ('gantry:grid').
%   [X, Y] = GANTRY(...) asks for two outputs. A tool without output arrays returns what it printed:
%   GANTRY('compare', A, B).
%   Warnings of the tool are issued as 'gantry:command'. An interrupt (Ctrl-C) ends the tool first, so that no temporaries stay.
%
%   The command is looked for in the environment variable GANTRY, on PATH, and in ../build/bin.
%   See also READCFL, WRITECFL.

	folder = tempname(temporary_root());
	mkdir(folder);
	finish = onCleanup(@() end_run(folder));
	command = char(command);
	words = regexp(command, '\S+', 'match');
	interface = jsondecode(run_tool([words{1} ' --interface'], folder));
	bare = {};

	for k = 1:numel(varargin)
		[words{end + 1}, is_bare] = input_name(varargin{k}, fullfile(folder, sprintf('in%d', k))); %#ok<AGROW>
		bare = [bare, words(end * ones(1, is_bare))]; %#ok<AGROW>
		command = [command ' ' quote(words{end})]; %#ok<AGROW>
	end

	warn_of_grids(words, bare, interface);
	count = output_count(interface, nargout);

	for k = 1:count
		command = [command ' ' quote(fullfile(folder, sprintf('out%d', k)))]; %#ok<AGROW>
	end

	[printed, said] = run_tool(command, folder);
	pass_warnings(said);

	for k = 1:count
		varargout{k} = struct();
		[varargout{k}.data, varargout{k}.hdr] = readcfl(fullfile(folder, sprintf('out%d', k)));
	end

	if count == 0
		varargout = {printed};
	end
end

% The name of a file with this input; bare: it has no header.
function [name, bare] = input_name(x, path)
	bare = false;

	if ischar(x) || isa(x, 'string')
		name = char(x);
		return
	end

	name = path;

	if iscell(x)
		writecfl(path, x{:});
	else
		writecfl(path, x);
		bare = ~isstruct(x);
	end
end

% Outputs the tool must have; more when the caller asks for more and the tool has optional ones.
function count = output_count(interface, asked)
	required = 0;
	possible = 0;

	for k = 1:numel(interface.arguments)
		a = element(interface.arguments, k);

		if strcmp(a.kind, 'output')
			possible = possible + 1;
			required = required + ~a.optional;
		end
	end

	count = max(required, min(asked, possible));
end

% jsondecode() gives a struct array where all members have the same fields, a cell otherwise.
function a = element(list, k)
	if iscell(list)
		a = list{k};
	else
		a = list(k);
	end
end

function warn_of_grids(words, bare, interface)
	names = arrayfun(@(k) element(interface.arguments, k).name, 1:numel(interface.arguments), 'UniformOutput', false);

	if isempty(bare) || ~any(strcmp(names, 'GEOM'))
		return
	end

	places = places_of(words(2:end), names, interface.options);

	for k = find(ismember(words(2:end), bare))
		if any(strcmp(places{k}, {'VOL', '--like'}))
			warning('gantry:grid', ['gantry %s: %s is an array without a grid: voxels of 1 mm, centred on 0, are assumed ' ...
				'({x, struct(''spacing'', [...])} gives it one)'], words{1}, places{k});
		elseif strcmp(places{k}, 'PROJ')
			warning('gantry:grid', ['gantry %s: PROJ is an array without a header: its grid is taken from GEOM, its values as ' ...
				'they are ({x, struct(''quantity'', ''...'')} says what they are)'], words{1});
		end
	end
end

% For every word the argument that it is, or the option that it is the value of.
function places = places_of(words, names, options)
	places = cell(1, numel(words));
	option = '';

	for k = 1:numel(words)
		if ~isempty(option)
			places{k} = ['--' option];
			option = '';
		elseif ~isempty(regexp(words{k}, '^--?[A-Za-z]', 'once'))
			option = awaits_value(words{k}, options);
		elseif ~strcmp(words{k}, '--') && ~isempty(names)
			places{k} = names{1};
			names(1) = [];
		end
	end
end

% The long name of this option when its value is the next word.
function name = awaits_value(word, options)
	name = '';
	matches = {};

	for k = 1:numel(options)
		o = element(options, k);
		short = isfield(o, 'short') && strcmp(word, ['-' o.short]);

		if (short || strncmp(word, ['--' o.long], numel(word))) && ~strcmp(o.kind, 'flag') && ~o.value_optional
			matches{end + 1} = o.long; %#ok<AGROW>
		end
	end

	if ~isempty(matches)
		[~, shortest] = min(cellfun(@numel, matches));
		name = matches{shortest};
	end
end

% A message begins with "gantry", its further lines do not.
function pass_warnings(said)
	for message = regexp(said, '^gantry .*?(?=^gantry |$(?!\n))', 'match', 'lineanchors')
		if ~isempty(regexp(message{1}, '^[^\n]*: warning: ', 'once'))
			warning('gantry:command', '%s', strtrim(regexprep(message{1}, ': warning: ', ': ', 'once')));
		end
	end
end

% What the tool printed, and what it said on standard error. It runs beside us, so that an interrupt reaches us at once.
function [printed, said] = run_tool(words, folder)
	file = @(name) fullfile(folder, name);
	script = sprintf('( %s %s < /dev/null > %s 2> %s & echo $! > %s; wait $!; echo $? > %s; mv %s %s ) > /dev/null 2>&1 &', ...
		command_word(), words, quote(file('printed')), quote(file('said')), quote(file('pid')), quote(file('ended')), ...
		quote(file('ended')), quote(file('status')));
	system(script);
	await(file('status'), Inf);
	status = str2double(fileread(file('status')));
	printed = strtrim(fileread(file('printed')));
	said = strrep(strtrim(fileread(file('said'))), [folder filesep()], '');
	delete(file('pid'));
	delete(file('status'));

	if status ~= 0
		if isempty(said)
			said = sprintf('gantry %s: ended with status %d', words, status);
		end

		error('gantry:failed', '%s', said);
	end
end

% Waits for a file, at most so many seconds.
function await(path, limit)
	step = 0.002;
	waited = 0;

	while ~exist(path, 'file') && waited < limit
		pause(step);
		waited = waited + step;
		step = min(0.05, 1.2 * step);
	end
end

% Ends a tool that still runs, by its own handler, then removes the folder.
function end_run(folder)
	if exist(fullfile(folder, 'pid'), 'file') && ~exist(fullfile(folder, 'status'), 'file')
		system(['kill -TERM $(cat ' quote(fullfile(folder, 'pid')) ') 2> /dev/null']);
		await(fullfile(folder, 'status'), 60);
	end

	remove_folder(folder);
end

function word = command_word()
	word = getenv('GANTRY');

	if isempty(word)
		built = fullfile(fileparts(mfilename('fullpath')), '..', 'build', 'bin', 'gantry');
		[missing, ~] = system('command -v gantry');

		if missing && exist(built, 'file')
			word = built;
		else
			word = 'gantry';
		end
	end

	word = quote(word);

	if ~exist('OCTAVE_VERSION', 'builtin')
		word = ['env -u LD_LIBRARY_PATH ' word]; % MATLAB's own libraries must not reach the tool
	end
end

function word = quote(word)
	word = ['''' strrep(word, '''', '''\''''') ''''];
end

function root = temporary_root()
	root = getenv('GANTRY_TMPDIR');

	if isempty(root)
		root = tempdir();
	end
end

function remove_folder(folder)
	files = dir(folder);

	for k = 1:numel(files)
		if ~files(k).isdir
			delete(fullfile(folder, files(k).name));
		end
	end

	rmdir(folder);
end
