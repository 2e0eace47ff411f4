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
	assert(isequal(rec, readcfl('rec')));
	[g, h] = readcfl('geom');
	assert(isequal(gantry('wls -i 5 --like vol', {g, h}, proj), rec));
	assert(str2double(gantry('compare', rec, 'rec')) == 0);
	x = reshape(1:24, 2, 3, 4);
	assert(isequal(gantry('flip 0', x), x(end:-1:1, :, :)));"
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
