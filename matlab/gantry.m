function varargout = gantry(command, varargin)
%GANTRY  Run a Gantry tool on arrays.
%   REC = GANTRY('wls -i 30', GEOM, PROJ) writes the arrays to temporary files, runs the tool with their names, and
%   reads the result back. Inputs may be arrays, cells {array, header} (see READCFL) that hand on spacing and the like,
%   or text: file names and further words, e.g. GANTRY('wls', '--weights', W, '--like', 'vol', GEOM, PROJ).
%   [X, Y] = GANTRY(...) asks for two outputs. A tool without output arrays returns what it printed:
%   GANTRY('compare', A, B).
%
%   The command is looked for in the environment variable GANTRY, on PATH, and in ../build/bin.
%   See also READCFL, WRITECFL.

	folder = tempname(temporary_root());
	mkdir(folder);
	remove = onCleanup(@() remove_folder(folder));
	command = char(command);
	words = {command};

	for k = 1:numel(varargin)
		words{end + 1} = quote(input_name(varargin{k}, fullfile(folder, sprintf('in%d', k)))); %#ok<AGROW>
	end

	count = output_count(command, nargout);

	for k = 1:count
		words{end + 1} = quote(fullfile(folder, sprintf('out%d', k))); %#ok<AGROW>
	end

	printed = run_tool(strjoin(words, ' '), folder);

	for k = 1:count
		varargout{k} = readcfl(fullfile(folder, sprintf('out%d', k)));
	end

	if count == 0
		varargout = {printed};
	end
end

function name = input_name(x, path)
	if ischar(x) || isa(x, 'string')
		name = char(x);
	elseif iscell(x)
		writecfl(path, x{:});
		name = path;
	else
		writecfl(path, x);
		name = path;
	end
end

% Outputs the tool must have; more when the caller asks for more and the tool has optional ones.
function count = output_count(command, asked)
	tool = regexp(command, '\S+', 'match', 'once');
	interface = jsondecode(run_tool([tool ' --interface'], tempdir()));
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

function text = run_tool(words, folder)
	said = [tempname(folder) '.txt'];
	[status, text] = system([command_word() ' ' words ' < /dev/null 2> ' quote(said)]);
	message = strtrim(fileread(said));
	delete(said);

	if status ~= 0
		if isempty(message)
			message = sprintf('gantry %s: ended with status %d', words, status);
		end

		error('gantry:failed', '%s', message);
	end

	text = strtrim(text);
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
