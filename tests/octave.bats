load common

# octave 'code': runs it with our folder on the path; an error in it fails the test.
octave() {
    printf 'addpath("%s");\ntry\n%s\ncatch e\n fprintf(2, "%%s\\n", e.message); exit(1);\nend\n' "$GANTRY_SOURCE/matlab" "$1" > t.m
    octave-cli --quiet --norc t.m 2>octave.err || { cat octave.err; return 1; }
}

# refuses 'part of the message' 'code'
refuses() {
    octave "
	said = 'nothing';
	try
		$2
	catch e
		said = e.message;
	end
	assert(! isempty(strfind(said, '$1')), said);"
}

types="bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex32 complex64 complex128"

setup() {
    command -v octave-cli >/dev/null || skip "no Octave here"
    common_setup
}

@test "octave: every type is read and written with the same bytes, header included" {
    py "
rng = np.random.default_rng(1)
x = 40 * rng.standard_normal((5, 4, 3))
x.flat[:6] = [0, 1e-7, 6e-5, 65504, 1e-8, -3e-5]
np.asfortranarray(np.clip(np.abs(x), 0, 100)).ravel('F').tofile('p.cfl'); open('p.hdr', 'w').write('# Dimensions\n5 4 3\n# Type\nfloat64\n# Spacing\n1 2 0.3\n# Origin\n0.1 -2 3\n# Quantity\ncounts\n')
np.asfortranarray(x + 1j * x[::-1]).ravel('F').tofile('c.cfl'); open('c.hdr', 'w').write('# Dimensions\n5 4 3\n# Type\ncomplex128\n# Spacing\n1 2 0.3\n# Origin\n0.1 -2 3\n# Quantity\ncounts\n')
"
    for t in $types; do
        case $t in
        bool) gantry cast --force --type bool p "$t" 2>/dev/null || gantry cast --type bool p "$t" ;;
        complex*) gantry cast --type "$t" c "$t" ;;
        *) gantry cast --type "$t" p "$t" ;;
        esac
    done
    octave "
	types = strsplit('$types');
	for k = 1:numel(types)
		t = types{k};
		[x, h] = readcfl(t);
		assert(strcmp(h.type, t) && isequal(size(x), [5 4 3]) && isequal(h.spacing, [1 2 0.3]) && strcmp(h.quantity, 'counts'), t);
		writecfl(['w_' t], x, h, 'type', t);
	end"
    for t in $types; do
        same_bytes "$t" "w_$t"
        for s in Dimensions Type Spacing Origin Quantity; do [ "$(section "$t" $s)" = "$(section "w_$t" $s)" ]; done
    done
}

@test "octave: classes choose their types" {
    octave "
	writecfl('d', [1 2]); writecfl('s', single([1 2])); writecfl('z', [1 2i]); writecfl('c', single([1 2i]));
	writecfl('b', [true false]); writecfl('u', uint16([1 2]));"
    [ "$(section d Type) $(section s Type) $(section z Type)" = "float64 float32 complex128" ]
    [ "$(section c Type) $(section b Type) $(section u Type)" = "complex64 bool uint16" ]
}

@test "octave: a file of BART opens: no type, 16 dims, CR-LF, sections nobody knows" {
    printf '# Dimensions\r\n2 3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \r\n# Odd\r\nvalue\r\n# Creator\r\nBART v0.9\r\n' > x.hdr
    py "(np.arange(6) + 1j * np.arange(6)[::-1]).astype('<c8').tofile('x.cfl')"
    octave "
	[x, h] = readcfl('x');
	assert(isequal(x, complex([0 2 4; 1 3 5], [5 3 1; 4 2 0])) && isa(x, 'single'));
	assert(strcmp(h.creator, 'BART v0.9') && isequal(h.extra, {'Odd', 'value'}));"
}

@test "octave: big-endian files" {
    printf '# Dimensions\n2\n# Type\nint16\n# Byte-Order\nbig\n' > x.hdr
    printf '\001\000\000\002' > x.cfl
    octave "assert(isequal(readcfl('x'), int16([256; 2])));"
}

@test "octave: gantry runs tools on arrays, names and headers" {
    gantry traj --views 30 --detector 16 geom
    gantry phantom --size 16 vol
    gantry project geom vol proj
    gantry wls -i 5 --size 16:16 geom proj rec
    octave "
	proj = readcfl('proj');
	rec = gantry('wls -i 5', '--size', '16:16', 'geom', proj);
	assert(isequal(rec.data, readcfl('rec')));
	[g, h] = readcfl('geom');
	assert(isequal(gantry('wls -i 5 --like vol', {g, h}, proj).data, rec.data));
	assert(str2double(gantry('compare', rec, 'rec')) == 0);
	x = reshape(1:24, 2, 3, 4);
	assert(isequal(gantry('flip 0', x).data, x(end:-1:1, :, :)));"
}

@test "octave: results passed on make the same bytes and history as files: fbp, then project on a 0.4 mm grid" {
    gantry traj --views 60 --detector 48 --pitch 0.5 geom
    gantry phantom --size 48 --spacing 0.4 vol
    gantry project geom vol proj
    gantry fbp --size 48:48 --spacing 0.4 geom proj rec
    gantry project geom rec want
    octave "
	geom = gantry('traj --views 60 --detector 48 --pitch 0.5');
	vol = gantry('phantom --size 48 --spacing 0.4');
	proj = gantry('project', geom, vol);
	rec = gantry('fbp --size 48:48 --spacing 0.4', geom, proj);
	assert(isequal(rec.hdr.spacing, [0.4 0.4 0.4]) && strcmp(rec.hdr.quantity, 'attenuation'));
	again = gantry('project', geom, rec);
	assert(norm(again.data(:) - proj.data(:)) < 0.1 * norm(proj.data(:)));
	writecfl('got', again);
	[data, hdr] = readcfl('rec');
	writecfl('via', gantry('project', geom, {data, hdr}));"
    for got in got via; do
        same_bytes want $got
        [ "$(gantry history want | sed 's/want/X/g')" = "$(gantry history $got | sed "s/$got/X/g")" ]
    done
}

@test "octave: a history is not written for other elements or another header than it made" {
    octave "
	vol = gantry('phantom --size 16 --spacing 0.4');
	writecfl('same', vol);
	v = vol; v.data(3, 3) = v.data(3, 3) + 1; writecfl('a', v);
	v = vol; v.data([1 2], 8) = v.data([2 1], 8); v.data(:, [7 8]) = v.data(:, [8 7]); writecfl('b', v);
	v = vol; v.data = double(v.data); writecfl('c', v);
	v = vol; v.hdr.spacing = [0.5 0.5]; writecfl('d', v);
	writecfl('e', 2 * vol.data, vol.hdr);
	v = vol; v.data = v.data(:, 1:5); writecfl('f', v);
	[~, id] = lastwarn();
	assert(strcmp(id, 'writecfl:grid'));"
    for name in a b c d e f; do
        if grep -q '^# History' $name.hdr; then echo "$name has a history"; false; fi
    done
    grep -q '^# History' same.hdr
    [ "$(section a Spacing) $(section d Spacing) $(section f Spacing)" = "0.4 0.4 0.4 0.5 0.5 " ]
}

@test "octave: an array without a header beside a geometry is warned about; a command's warnings arrive" {
    gantry traj --views 20 --detector 16 geom
    gantry phantom --size 16 --spacing 0.4 vol
    octave "
	function said = warned(varargin)
		lastwarn('', '');
		gantry(varargin{:});
		[said, id] = lastwarn();
		said = [id ' ' said];
	end
	[x, h] = readcfl('vol');
	proj = gantry('project', 'geom', 'vol');
	for quiet = {{'project', 'geom', {x, h}}, {'project', 'geom', {x, struct('spacing', [1 1])}}, {'fbp', 'geom', proj}, {'flip x', x}}
		assert(strcmp(warned(quiet{1}{:}), ' '), warned(quiet{1}{:}));
	end
	said = warned('project --model', 'sf', '-j', '2', 'geom', x);
	assert(strncmp(said, 'gantry:grid gantry project: VOL is an array without a grid', 58), said);
	said = warned('fbp', '--lik', x, 'geom', proj);
	assert(strncmp(said, 'gantry:grid gantry fbp: --like is an array without a grid', 57), said);
	said = warned('fbp', 'geom', proj.data);
	assert(strncmp(said, 'gantry:grid gantry fbp: PROJ is an array without a header', 57), said);
	said = warned('normalize --force', {-ones(3), struct('quantity', 'transmission')});
	assert(strcmp(said, 'gantry:command gantry normalize: in1: 9 of 9 transmissions are below 1e-06 and are raised to this limit'), said);"
}

@test "octave: an interrupt ends the command first: no temporaries stay" {
    gantry traj --views 60 --detector 48 geom
    gantry phantom --size 48 --geometry geom proj
    mkdir tmp
    printf 'addpath("%s");\ngantry("cg -i 10000000", "geom", "proj");\n' "$GANTRY_SOURCE/matlab" >t.m
    py "
import os, signal, subprocess, time
signal.signal(signal.SIGINT, signal.default_int_handler)
octave = subprocess.Popen(['octave-cli', '--quiet', '--norc', 't.m'], env=dict(os.environ, GANTRY_TMPDIR='tmp'), start_new_session=True)
def is_tool(pid):
    try:
        return open(f'/proc/{pid}/cmdline').read().startswith('cg\\0') and os.readlink(f'/proc/{pid}/cwd') == os.getcwd()
    except OSError:
        return False
limit = time.time() + 60
while len([name for folder in os.listdir('tmp') for name in os.listdir('tmp/' + folder)]) < 3 and time.time() < limit:
    time.sleep(0.01)
time.sleep(1)
octave.send_signal(signal.SIGINT)
try:
    octave.wait(30)
finally:
    left = os.listdir('tmp') + [p for p in os.listdir('/proc') if p.isdigit() and is_tool(p)]
    try:
        os.killpg(octave.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
assert left == [], left"
}

@test "octave: a tool's own sentence is the error" {
    refuses "nowhere.hdr" "gantry('copy nowhere');"
}

@test "octave: wrong files and arrays are refused by name" {
    gantry zeros --size 4:4 x
    truncate -s 60 x.cfl
    refuses "found 60 bytes, expected 64" "readcfl('x');"
    refuses "nowhere.hdr" "readcfl('nowhere');"
    printf '# Dimensions\n3\n# Type\nfloat31\n' > bad.hdr
    : > bad.cfl
    refuses "float31" "readcfl('bad');"
    printf '# Type\nfloat32\n' > bad.hdr
    refuses "Dimensions" "readcfl('bad');"
    refuses "real part" "writecfl('y', 2i, 'type', 'float32');"
    refuses "empty" "writecfl('y', []);"
    no_output y
}
