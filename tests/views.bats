# --views of the commands that project and reconstruct: the same as with geometry and projections of these views alone.
load common

setup() {
    common_setup
    traj --views 12 --arc 360 --detector 20:8 --sod 60 --sdd 90 --pitch 1.4 g
    random --size 18:18:8 x
    project g x p
}

# of RANGE: the geometry gk and the projections pk of these views.
of() {
    py "
n = np.r_[tuple(eval('np.arange(12)[' + w + ']') for w in '$1'.split(','))]
write('gk', read('g')[:, :, n], Detector='20 8', Quantity='geometry')
write('pk', read('p')[:, :, n], Quantity='line-integral')"
}

@test "views: project, backproject and fbp: ranges and lists are what extract gives, in their order" {
    for r in 0:6 2:11:3 11::-1 5 3,1,7:9,3 ::2; do
        of "$r"
        project gk x want
        project --views "$r" g x got
        same_bytes want got
        same_bytes pk got
        backproject --like x gk pk want
        backproject --like x --views "$r" g p got
        same_bytes want got
    done
    for r in ::2 11::-1 0,1,2,3,4,5,6,7,8,9,11,10; do
        of "$r"
        fbp -q --like x gk pk want
        fbp -q --like x --views="$r" g p got
        same_bytes want got
    done
    project --views=-3: g x got
    of 9:12
    same_bytes pk got
}

@test "views: numbers from an array" {
    py 'write("list", np.array([7, 2, 10], "u2"))'
    project --views list g x a
    project --views 7,2,10 g x b
    same_bytes a b
    backproject --views list g p a
    backproject --views 7,2,10 g p b
    same_bytes a b
    grep -q -e '--views=<list:' a.hdr
    grep -q -e '--views=7,2,10 ' b.hdr
    py 'write("list", np.array([7, 2, 12], "u2")); write("half", np.array([0.5])); write("nan", np.array([np.nan]))'
    fails 1 'element 2 is 12' project --views list g x c
    fails 1 'half' project --views half g x c
    fails 1 'nan' backproject --views nan g p c
    no_output c
}

@test "views: out of streams, in order and not, in other types" {
    cast -q --type float64 p d
    for name in p d; do
        for r in 1:12:4 9,3,5; do
            backproject --views "$r" g $name want
            copy $name - | backproject --views "$r" g - got
            same_bytes want got
        done
        for r in ::2 8::-1,9,10,11; do
            fbp -q --views "$r" g $name want
            copy $name - | fbp -q --views "$r" g - got
            same_bytes want got
        done
    done
    backproject --type float64 --views 1:12:4 g p want
    copy p - | backproject --type float64 --views 1:12:4 g - got
    same_bytes want got
    py 'p = read("p"); write("i", np.rint(40*abs(p)).astype("u2")); write("f", np.rint(40*abs(p)).astype("f4"))'
    backproject --views 6,4 g i a
    backproject --views 6,4 g f b
    same_bytes a b
}

@test "views: channels have the same views chosen" {
    random --size 20:8:12:2:2 --seed 4 p5
    for r in 1::3 4,2; do
        backproject --views "$r" g p5 all
        copy p5 - | backproject --views "$r" g - sent
        same_bytes all sent
        slice channel 1 time 1 p5 one
        slice channel 1 time 1 all want
        backproject --views "$r" g one got
        same_bytes want got
        cg -q -i 2 --views "$r" g p5 all
        slice channel 1 time 1 all want
        cg -q -i 2 --views "$r" g one got
        same_bytes want got
    done
    fbp -q --views ::2 g p5 all
    copy p5 - | fbp -q --views ::2 g - sent
    same_bytes all sent
}

@test "views: cg and wls, weights chosen with them" {
    py 'r = np.random.default_rng(5); write("w", r.random((20, 8, 12), "f4")); write("w1", r.random((1, 1, 12), "f4"))'
    for r in 2:8 1::3 4,2,9; do
        of "$r"
        for o in w w1; do
            py "
n = np.r_[tuple(eval('np.arange(12)[' + w + ']') for w in '$r'.split(','))]
write('${o}k', read('$o')[:, :, n])"
        done
        cg -q -i 3 --like x gk pk want
        cg -q -i 3 --like x --views "$r" g p got
        same_bytes want got
        wls -q -i 3 --like x gk pk want
        wls -q -i 3 --like x --views "$r" g p got
        same_bytes want got
        for o in w w1; do
            wls -q -i 3 --nonneg --weights ${o}k --like x gk pk want
            wls -q -i 3 --nonneg --weights $o --like x --views "$r" g p got
            same_bytes want got
        done
    done
}

@test "views: what is not chosen may be anything" {
    py 'p = read("p"); p[:, :, 5] = np.nan; write("bad", p)'
    for command in "backproject" "fbp -q" "cg -q -i 2" "wls -q -i 2"; do
        $command --views ::2 g bad a
        $command --views ::2 g p b
        same_bytes a b
        fails 1 'bad' $command --views 1::2 g bad c
    done
    no_output c
}

@test "views: bad lists" {
    for command in "project g x" "backproject g p" "cg g p" "fbp g p"; do
        set -- $command
        fails 2 '--views' "$1" --views 3:12:1:1 "$2" "$3" out
        fails 2 'outside 0..11' "$1" --views 12 "$2" "$3" out
        fails 2 'selects none of 12 elements' "$1" --views 5:2 "$2" "$3" out
        fails 1 'nothere' "$1" --views nothere "$2" "$3" out
    done
    no_output out
}
