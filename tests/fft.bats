load common

# near A 'numpy expression' TOLERANCE: relative distance in the 2-norm.
near() {
    py "a = read('$1'); b = $2; e = np.linalg.norm(a - b) / np.linalg.norm(b); assert a.shape == b.shape and e < $3, e"
}

@test "fft: odd, even and prime sizes against NumPy, one dim and several" {
    for size in 8:9:5 12:7:1 97:31 2:3:4:5 2049:3 1:16; do
        gantry random --type complex128 --size $size x
        gantry fft 0 x a
        near a 'np.fft.fft(read("x"), axis=0)' 1e-14
        gantry fft x,y x b
        near b 'np.fft.fftn(read("x"), axes=(0, 1))' 1e-14
        gantry fft -i 0,1 x c
        near c 'np.fft.ifftn(read("x"), axes=(0, 1))' 1e-14
    done
    gantry random --type complex64 --size 60:49:6 x
    gantry fft 0,1,2 x a
    near a 'np.fft.fftn(read("x").astype("c16"))' 1e-6
}

@test "fft: its inverse undoes it, in every mode" {
    gantry random --type complex128 --size 20:15:7 x
    for mode in "" -u -c "-u -c"; do
        # shellcheck disable=SC2086
        gantry fft $mode 0,1,2 x y
        # shellcheck disable=SC2086
        gantry fft $mode --inverse 0,1,2 y z
        near z 'read("x")' 1e-14
    done
}

@test "fft: the unitary transform keeps the norm" {
    gantry random --type complex128 --size 33:64 x
    gantry fft --unitary 0,1 x y
    py 'assert abs(np.linalg.norm(read("y")) / np.linalg.norm(read("x")) - 1) < 1e-13'
}

@test "fft: centred means index n/2 is 0 on both sides" {
    for size in 8:7 9:4 5:5; do
        gantry random --type complex128 --size $size x
        gantry fft -c 0,1 x y
        near y 'np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(read("x"))))' 1e-14
        gantry fft --centred 0 x y
        near y 'np.fft.fftshift(np.fft.fft(np.fft.ifftshift(read("x"), axes=0), axis=0), axes=0)' 1e-14
    done
}

@test "fft: linear, and a shift is a phase" {
    gantry random --type complex128 --size 50:3 x
    gantry random --type complex128 --size 50:3 --seed 1 y
    gantry saxpy 2-1i x y s
    gantry fft 0 x fx
    gantry fft 0 y fy
    gantry fft 0 s fs
    gantry saxpy 2-1i fx fy sum
    near fs 'read("sum")' 1e-14
    py 'write("r", np.roll(read("x"), 7, axis=0))'
    gantry fft 0 r fr
    near fr 'read("fx") * np.exp(-2j * np.pi * 7 * np.arange(50) / 50)[:, None]' 1e-14
}

@test "fft: real data are promoted, double stays double" {
    py 'r = np.random.default_rng(1)
for t in "u1 i4 f2 f4 f8".split(): write(t, (100 * r.random((12, 10))).astype(t))'
    for t in u1 i4 f2 f4 f8; do
        gantry fft 0,1 $t y
        near y "np.fft.fftn(read('$t').astype('f8'))" 1e-6
        [ "$(section y Type)" = "$([ $t = f8 ] && echo complex128 || echo complex64)" ]
    done
    near y 'np.fft.fftn(read("f8"))' 1e-14
}

@test "fft: same bytes for any threads, in place and through pipes" {
    gantry random --size 96:65:33 x
    gantry fft -j 1 0,1,2 x a
    gantry fft -j 2 0,1,2 x b
    gantry fft -j 7 0,1,2 x c
    same_bytes a b
    same_bytes a c
    gantry copy x - | gantry fft 0,1,2 - - | gantry copy - d
    same_bytes a d
    gantry fft 0,1,2 x x
    same_bytes a x
}

@test "fft: spacing becomes that of frequencies, and comes back" {
    py 'write("x", np.ones((8, 10, 3), "f4"), Spacing="0.5 2 3", Origin="1 2 3", Quantity="attenuation")'
    gantry fft 0,1 x y
    [ "$(gantry show --field spacing y)" = 0.25:0.05:3 ]
    [ -z "$(section y Quantity)" ]
    gantry fft -i 0,1 y z
    [ "$(gantry show --field spacing z)" = 0.5:2:3 ]
    [ "$(gantry show --field origin z | cut -d: -f3)" = 3 ]
    gantry extract 1 3:4 x row
    gantry fft 0,1 row y
    [ "$(gantry show --field spacing y)" = 0.25:0.5:3 ]
    gantry fft -i 0,1 y z
    [ "$(gantry show --field spacing z)" = 0.5:2:3 ]
}

@test "fft: NaN reaches the result" {
    py 'x = np.ones((8, 3), "c8"); x[2, 1] = np.nan; write("x", x)'
    gantry fft 0 x y
    py 'assert np.isnan(read("y")[:, 1]).all() and not np.isnan(read("y")[:, [0, 2]]).any()'
}

@test "fft: bad input fails, says so and leaves no output" {
    gantry zeros --size 4 x
    fails 2 DIMS gantry fft 16 x y
    fails 2 DIMS gantry fft a x y
    fails 1 nowhere gantry fft 0 nowhere y
    no_output y
}
