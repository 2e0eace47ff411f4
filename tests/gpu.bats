# Commands on the GPU against the CPU: builds with CUDA, or with kernels run by the processor.
# Commands: gantry run random scale cast extract transpose permute flip slice resize circshift repmat reshape saxpy fmac mean min max sum conv matmul gradient where log harden hu compare traj phantom project expr filter normalize fft wavelet denoise outliers phase scatter distort bin pad copy recon join show hist stats geom zeros render

load common

# both COMMAND ARGUMENTS..: c without and d with -g, and no word about work that stayed on the CPU
both() {
    gantry "$@" c 2>c.err || { cat c.err >&2; return 1; }
    gantry "$@" -g d 2>d.err || { cat d.err >&2; return 1; }
    if grep -q 'GPU' d.err; then
        cat d.err >&2
        return 1
    fi
}

# alike COMMAND ARGUMENTS..: the same bytes
alike() {
    both "$@" || return 1
    cmp c.cfl d.cfl || { echo "$*" >&2; return 1; }
}

need_gpu() {
    gantry --version | grep -q '^GPU [0-9]' || skip "this build or machine has no GPU"
}

@test "gpu: what moves elements moves them there" {
    need_gpu
    gantry random --size 9:8:7 f
    gantry cast --type int16 --narrow wrap f i
    for x in f i; do
        alike transpose x z $x
        alike permute 2,0,1 $x
        alike flip x,z $x
        alike slice z -1 $x
        alike extract x 1:8:3 z 6:1:-2 $x
        alike resize -c y 12 z 3 $x
        alike circshift x 2 z -3 $x
        alike repmat y 2 3 2 $x
    done
}

@test "gpu: neighbourhoods have the bytes of the CPU, whole, in slabs and in steps" {
    need_gpu
    gantry random --size 33:20:60:2 f
    for edge in clamp zero wrap mirror; do
        alike expr --edge $edge 'gradient(v)*v[1,0,-2] + std(v, 1)' f
    done
    gantry expr --device cpu 'mean(v, 3) + laplacian(laplacian(v))' f c
    GANTRY_GPU_MEM=3M gantry expr -g -v 'mean(v, 3) + laplacian(laplacian(v))' f d 2>d.err
    cmp c.cfl d.cfl
    [ -z "$(grep 'on the CPU' d.err)" ]
    alike expr --iterate 5 'v + 0.1*laplacian(v)' v=f
    [ "$(gantry expr -g 'argmax(laplacian(v))' f)" = "$(gantry expr --device cpu 'argmax(laplacian(v))' f)" ]
    gantry expr --device cpu 'linear(v, x + 0.3, y, z)' f c
    gantry expr -g 'linear(v, x + 0.3, y, z)' f d 2>/dev/null
    cmp c.cfl d.cfl
}

@test "gpu: transforms of blocks pass through a memory that does not hold the array" {
    need_gpu
    gantry random --size 60:1:50:17:6 f
    for dims in x z x,y,z x,z,3; do
        for mode in "" -c "--inverse --unitary"; do
            gantry fft --device cpu $mode $dims f c
            GANTRY_GPU_MEM=3M gantry fft -g $mode $dims f d 2>d.err
            if grep -q 'running on the CPU' d.err; then
                cat d.err >&2
                return 1
            fi
            gantry compare --tolerance 1e-6 c d
        done
    done
    gantry cast --type float32 f - | GANTRY_GPU_MEM=3M gantry fft -g x - - | gantry cast --type complex64 - d
    gantry fft --device cpu x f c
    gantry compare --tolerance 1e-6 c d
}

@test "gpu: integers to the bit, clipped ones too" {
    need_gpu
    gantry random --size 31:7:5 f
    gantry scale 3e18 f big
    gantry cast --type int64 big l
    gantry cast --type uint8 --narrow wrap big b
    gantry cast --type uint64 big u 2>/dev/null
    for x in l b u; do
        alike saxpy 3 $x b
        alike scale -2 $x
        alike fmac $x b
        alike mean y b
        alike min x $x
        alike max y,z $x
        alike fmac --sum 1 b b
    done
    alike sum x b
    alike cast --type float16 l

    # more outputs than threads of a block, of which each has several
    gantry random --size 300:130 wide
    gantry scale 1000 wide wider
    gantry cast --type int16 wider w
    alike sum y w
    alike max y w
    alike fmac --sum y w w
}

@test "gpu: functions, products and differences" {
    need_gpu
    gantry random --size 16:12:5 f
    gantry extract x 0:3 y 0:3 z 0:1 f k
    alike conv x,y f k
    alike conv --method fft --mode full x,y f k
    alike matmul --transpose-b f f
    alike gradient f
    alike where f f 0
    sed 's/^# Command/# Quantity\ntransmission\n# Command/' f.hdr >t.hdr
    cp f.cfl t.cfl
    alike log --floor 0.1 t
    sed -i 's/^transmission/line-integral/' t.hdr
    alike harden --polynomial 1:0.1:0.02 t
    sed -i 's/^line-integral/attenuation/' t.hdr
    alike hu --water 0.02 t
}

@test "gpu: flat fields and filters of views" {
    need_gpu
    gantry traj --views 7 --detector 20 geom
    gantry phantom --size 16:16 vol
    gantry project geom vol proj
    both filter geom proj # by other transforms than the CPU's
    py 'c, d = read("c"), read("d"); assert 0 < abs(c).max() and abs(c - d).max() < 1e-6 * abs(c).max()'
    gantry expr 'round(exp(-x)*5000 + 100)' x=proj counts
    gantry expr 'x*0 + 5100' x=counts flat
    gantry expr 'x*0 + 100' x=counts dark
    for x in counts flat dark; do
        sed -i 's/^# Command/# Quantity\ncounts\n# Command/' $x.hdr
    done
    alike normalize --dark dark --flat flat counts
    alike normalize --flat flat --air 0:2 --no-log counts
    gantry expr 'x - x' x=proj zero
    sed -i 's/^line-integral/transmission/' zero.hdr
    fails 1 'expected a positive value' gantry normalize -g --air 0:2 zero none
    no_output none
}

@test "gpu: arrays that stay there between commands" {
    need_gpu
    gantry random --size 9:8:7 f
    for g in '' '-g'; do
        gantry run $g - <<RECIPE
scale 3 f @a
transpose x z @a @b
cast --type float64 @b @c
reshape 504 @c @d
sum x @d s$g
cast --type int32 @b i$g
expr 'round(4*x) + 1' x=@b @e
expr 'x - sum(x)/9' x=@e e$g
fft x @b @f
cast --type complex64 @f q$g
RECIPE
    done
    cmp i.cfl i-g.cfl
    cmp e.cfl e-g.cfl
    gantry compare --tolerance 1e-14 s s-g
    gantry compare --tolerance 1e-6 q q-g
}

@test "gpu: a mask of an array that stays there" {
    need_gpu
    gantry traj --views 8 --detector 16:16 geom
    gantry random --distribution uniform --size 12:12:12 vol
    gantry project geom vol proj
    for g in '' '-g'; do
        gantry run $g - <<RECIPE
recon -a fista -R tv:0.1 -i 3 --mask circle:4 --like vol geom proj @a
scale 1 @a a$g
RECIPE
    done
    py 'a = read("a-g"); assert (a[0] == 0).all() and (a[6, 6] != 0).all()'
    gantry compare --tolerance 1e-4 a a-g
}

@test "gpu: wavelets, and thresholds of them" {
    need_gpu
    gantry random --size 21:16:5 f
    alike wavelet x,y f
    alike wavelet --family cdf44 --boundary symmetric --levels 2 x,y,z f
    gantry wavelet x,z f w
    alike wavelet --inverse x,z w
    alike denoise --method wavelet f
    alike denoise --method wavelet --cycle-spins 2 --hard --dims x,y f
}

@test "gpu: medians, non-local means and SURE" {
    need_gpu
    gantry random --size 17:11:6 f
    alike denoise --method median f
    alike denoise --method median --radius 2 --type float64 f
    alike denoise --method median --radius 4 --dims x,z f
    for options in '' '--patch 2 --search 2' '--dims x,y --search 5' '--patch 0 --type float64'; do
        gantry denoise --method nlm --noise 0.2 $options f c
        gantry denoise -g --method nlm --noise 0.2 $options f d 2>err
        ! grep -q GPU err || return 1
        gantry compare --tolerance 1e-6 c d
    done
    gantry denoise -g --method nlm --noise 0.2 --patch 4 f d 2>&1 | grep -q 'no GPU implementation'
    gantry denoise --method wavelet --noise 0.2 --sure f c
    gantry denoise -g --method wavelet --noise 0.2 --sure f d
    gantry compare --tolerance 1e-5 c d
}

@test "gpu: outliers" {
    need_gpu
    gantry random --size 21:9:11 f
    gantry expr 'round(1000*f) + 30000*(f > 0.99) - 900*(f < 0.02)' f=f x
    gantry cast --type uint16 x counts 2>/dev/null
    gantry expr 'where(f > 0.98, 0/0, where(f < 0.3, 0, f))' f=f holes
    for x in counts holes; do
        sed -i 's/^# Command/# Quantity\ncounts\n# Command/' $x.hdr
    done
    alike outliers counts
    alike outliers --which both --sigma 3 --dims u,view counts
    alike outliers --threshold 400 --radius 2 --dims u,v,view counts
    alike outliers holes
    alike outliers --radius 3 --dims v holes
    gantry slice view 0 counts s
    gantry expr '(s > 20000) + (s < 20)' s=s map
    alike outliers --map map --which dark counts
    export GANTRY_GPU_MEM=70K # some views at a time
    alike outliers --which both --sigma 3 --dims u,view counts
    unset GANTRY_GPU_MEM
    gantry copy counts - | gantry outliers -g --dims u,v - c
    gantry outliers counts d
    cmp c.cfl d.cfl
}

@test "gpu: corrections view by view" {
    need_gpu
    gantry random --size 21:9:11 f
    gantry expr '0.2 + 0.7*f' f=f t
    gantry expr 'round(9000*f)' f=f i
    gantry cast --type uint16 i counts
    sed -i 's/^# Command/# Quantity\ntransmission\n# Command/' t.hdr
    sed -i 's/^# Command/# Quantity\ncounts\n# Command/' counts.hdr
    alike bin --factor 2 counts
    alike bin --factor 3:1 --sum t
    for mode in cosine edge mirror; do
        alike pad --mode $mode --width 5:30 t
    done
    alike pad --crop --width 5:3 t
    for command in 'phase -e 20 -d 100 -r 300 -p 0.001' 'phase --no-log -e 20 -d 100 -r 30 -p 0.001' \
        'scatter --pixel 1 --sigma 2:8' 'distort --coefficients 1:1e-3:-3e-5'; do
        gantry $command t c 2>c.err
        gantry $command -g t d 2>d.err
        cmp c.err d.err
        gantry compare --tolerance 1e-6 c d
    done
    # what cannot be is said as on the CPU
    gantry expr 'where(f > 0.99, 0/0, f)' f=f holes
    sed -i 's/^# Command/# Quantity\ntransmission\n# Command/' holes.hdr
    run -1 gantry bin --factor 2 holes none
    says=$output
    run -1 gantry bin -g --factor 2 holes none
    [ "$output" = "$says" ]
    no_output none
    export GANTRY_GPU_MEM=200K # some views at a time
    gantry phase -g -e 20 -d 100 -r 300 -p 0.001 t d
    unset GANTRY_GPU_MEM
    gantry phase -e 20 -d 100 -r 300 -p 0.001 t c
    gantry compare --tolerance 1e-6 c d
}

@test "gpu: pictures of volumes, whole and in slabs" {
    need_gpu
    gantry phantom -q --size 21:18:400 v
    gantry expr 'round(400*v)' v whole
    gantry cast --type int32 whole labels
    for options in '--mode xray' '--mode mip --turn 3' '--overlay labels' '--mode iso --perspective 60 --zoom 20' '--transfer 0.1*g'; do
        gantry render --size 24:30 --zoom 8 $options v c.png 2>c.err
        run ! grep warning c.err
        gantry render -g --size 24:30 --zoom 8 $options v d.png 2>d.err
        cmp c.err d.err
        cmp c.png d.png
        [[ $options == *mode* ]] && slabs=500K || slabs=1M
        GANTRY_GPU_MEM=$slabs gantry render -g --size 24:30 --zoom 8 $options v d.png 2>d.err
        cmp c.err d.err
        cmp c.png d.png
    done
    run -0 gantry render -g --plan --size 24:30 --mode mip v d.png
    [[ "$output" == *"400 of 400 slices fit into GPU memory"* ]]
    gantry render --size 24 --transfer '0.1*(x < 0)' v c.png
    gantry render -g --size 24 --transfer '0.1*(x < 0)' v d.png 2>d.err
    [ "$(grep -c 'running on the CPU' d.err)" = 1 ]
    grep -q 'transfer functions of the position' d.err
    cmp c.png d.png
}

@test "gpu: denoisers as terms of a reconstruction" {
    need_gpu
    gantry traj --views 8 --detector 16:16 --sod 32 --sdd 48 --pitch 2.4 geom
    gantry phantom --size 16:16:16 vol
    gantry project geom vol proj
    for term in pnp:nlm:0.002:search=1 pnp:median red:wavelet:0.002:5; do
        gantry recon --algorithm fista -R $term -i 3 --like vol geom proj c
        gantry recon -g --algorithm fista -R $term -i 3 --like vol geom proj d
        gantry compare --tolerance 1e-4 c d
    done
}

@test "gpu: commands that have no part there say so, and do their work" {
    need_gpu
    gantry random --size 8:8:8 f
    gantry traj --views 4 --detector 8 geom
    for command in 'join z f f o' 'show f' 'hist f' 'stats f' 'geom geom' 'reshape 512 f o' 'zeros --size 4 o'; do
        gantry $command -g >out 2>err || { cat err; return 1; }
        grep -q 'warning: no GPU implementation' err || { echo "$command"; return 1; }
    done
}

@test "gpu: integers beyond 64 bits are clipped, wrapped and counted there as on the processor" {
    need_gpu
    py 'r = np.random.default_rng(1)
write("a", np.concatenate([np.array([-2**63, 2**63 - 1, 2**62, -2**62, 0, 3], "i8"), r.integers(-2**63, 2**63 - 1, 500) >> r.integers(0, 63, 500)]))
write("b", np.concatenate([np.array([1, 2**63 - 1, 4, -4, 0, -2**63], "i8"), r.integers(-2**63, 2**63 - 1, 500) >> r.integers(0, 63, 500)]))
write("u", r.integers(0, 2**64 - 1, 506, dtype="u8") >> r.integers(0, 63, 506).astype("u8"))
write("s", r.integers(0, 255, 506).astype("u1"))'
    for rule in saturate wrap; do
        for e in 'a + b' 'a*b - a' 'abs(a) + b^3' 'sum(a)*b'; do
            alike expr --narrow $rule "$e" a=a b=b
            cmp c.err d.err
        done
        alike expr --narrow $rule 's - 201 + u' s=s u=u
        cmp c.err d.err
    done
    fails 1 'do not fit into int64' gantry expr -g --narrow error 'a*b' a=a b=b e
    no_output e
    for line in 'scale 3 a' 'scale -1 u' 'saxpy 2 a b' 'fmac a b' 'fmac u u' 'scale --type uint64 2 a'; do
        # shellcheck disable=SC2086 # words
        alike $line
        cmp <(sed 's/ in .$//' c.err) <(sed 's/ in .$//' d.err)
        grep -q 'do not fit' c.err
    done
}
