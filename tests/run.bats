# Recipes: the same arrays and histories as line by line, arrays in memory, errors.

load common

# A bit of everything: streams of slabs, whole arrays, headers, several outputs of a name, every kind of array option.
recipe() {
    cat <<'END'
#!/usr/bin/env -S gantry run
phantom --size 24:24:8 @x
gantry traj --views 20 --sod 100 --sdd 150 --pitch 1.5 --detector 24:12 @g   # a comment
project @g @x @p
noise --photons 1e5 --seed 3 @p @n
noise --photons 1e4 @p @n2
gantry cg -i 3 --like @x @g @n \
    @r
recon --algorithm pdhg -i 4 -R tv:0.002 -R box:0:inf --like @x @g @n @t
recon --algorithm fista -i 3 -R tv:0.002 --init @r --like @x @g @n fista
wls -j 1 -i 2 --weights @w0 --like @x @g @n2 wls
fbp @g @n fbp
expr "a + 2*b - 'c'" a=@r b=@x c=@t mixed
saxpy 2 @x @x @x
transpose x z @x turned
fft x,y @x fourier
flip z @r flipped
extract z 2:5 @r part.npy
sum z @x @s
repmat channel 3 @s many
join z @r @t @x joined
copy @t last
wavelet x,y @t waves
END
}

@test "run: the bytes and the histories are those of the lines one by one" {
    mkdir one all
    recipe | sed 's/^wls/zeros --size 24:12:20 @z\nexpr "z + 1" z=@z @w0\n&/; s/'"'c'"'/c/' >recipe.txt
    (cd all && gantry run ../recipe.txt)
    (cd one && sed 's/^gantry //; /^ /! s/^[a-z]/gantry &/; s/@//g' ../recipe.txt | bash -e)
    for name in fista wls fbp mixed turned fourier flipped many joined last waves; do
        same_bytes one/$name all/$name
        diff <(sed -n '/^# History/,$p' one/$name.hdr) <(sed -n '/^# History/,$p' all/$name.hdr)
        diff <(grep -A1 '^# \(Dim\|Type\|Spac\|Orig\|Quan\|Unit\)' one/$name.hdr) \
            <(grep -A1 '^# \(Dim\|Type\|Spac\|Orig\|Quan\|Unit\)' all/$name.hdr)
    done
    cmp one/part.npy all/part.npy
    # nothing of an array in memory is on the disk
    [ "$(ls -A all | wc -l)" -eq 23 ]
    run ! compgen -G "all/*@*"
}

@test "run: gantry history of what was saved rebuilds it" {
    gantry run - <<'END'
phantom --size 16:16 @x
traj --views 12 --detector 16:1 @g
project @g @x @p
fbp @g @p rec
END
    gantry history rec >rebuild.sh
    mkdir again
    (cd again && sh ../rebuild.sh)
    same_bytes rec again/rec
}

@test "run: the first line that fails ends the recipe, with its place, sentence and status" {
    printf 'zeros --size 4:4 @x\n\ncopy @x kept\nsaxpy 2 @x nothere y\ncopy @x later\n' >r.txt
    fails 1 'gantry saxpy: r.txt line 4: nothere.hdr: ' gantry run r.txt
    gantry show kept | grep -q '4 x 4'
    no_output y later
    printf 'zeros --size 4:4 @x\nscale @x y\n' >r.txt
    fails 2 'gantry scale: r.txt line 2: ' gantry run r.txt
    printf 'zeros --size 4 @x\nones --size 4 @y\ncompare --tolerance 0.1 @y @x\ncopy @x later\n' >r.txt
    fails 1 'r.txt line 3: compare ended with status 1' gantry run r.txt
    no_output later
    printf 'copy @x y\n' >r.txt
    fails 1 'line 1: @x: no earlier line has created this array' gantry run r.txt
    printf 'ones --size 4 @x/y\n' >r.txt
    fails 2 '@x/y: an array in memory needs a name of @ and letters' gantry run r.txt
}

@test "run: every line is looked at before the first runs" {
    for bad in 'zeroes --size 4 y' 'copy x $y' 'copy x y | show' 'copy x y; show y' 'copy x "y' 'copy * y' 'copy x y > z' 'run r.txt' gantry; do
        printf 'ones --size 4 x\n# one\n%s\n' "$bad" >r.txt
        fails 2 'r.txt line 3: ' gantry run r.txt
        no_output x
    done
    fails 2 "did you mean 'zeros'?" gantry run - <<<'zeroes --size 4 y'
    fails 2 'standard input contains no command' gantry run - </dev/null
    fails 1 'none.txt' gantry run none.txt
}

@test "run: words are those of a shell" {
    gantry run - <<'END'
ones --size 3 'a "b" $c' # a name
copy a\ \"b\"\ \$c "a\"b"
 gantry  copy "a"'"'b de'f'#g
	copy de''f#g \
	last
END
    [ -f 'a "b" $c.cfl' ]
    [ -f 'def#g.cfl' ]
    same_bytes 'a "b" $c' last
}

@test "run: an array in memory is freed behind the last line that names it, and counts under GANTRY_MEM" {
    printf 'ones --size 1024:1024 @a\ncopy @a @b\nsum x @b s\nones --size 1024:1024 @c\ncopy @c @d\ncopy @d t\n' >r.txt
    gantry run --plan r.txt >plan.txt
    [ "$(grep -c 'is freed' plan.txt)" -eq 4 ]
    GANTRY_MEM=9M gantry run r.txt
    printf 'ones --size 1024:1024 @a\ncopy @a @b\ncopy @b @c\nsum x,y @a @b @c z\n' >r.txt
    GANTRY_MEM=9M fails 1 'line 3: @c: needs 4' gantry run r.txt
}

@test "run: an output may have the name of an input, and options hold for all lines" {
    gantry run -j 1 - <<'END'
ones --size 5 @x
saxpy 2 @x @x @x
saxpy 1 @x @x @x
copy @x x
END
    gantry expr '6 + 0*x' x=x six
    same_bytes x six
    fails 1 'no GPU' gantry run -g - <<<'ones --size 5 @x' || [ "$(gantry --version | grep -c '^GPU [0-9]')" -gt 0 ]
    gantry run --profile - 2>said <<<$'ones --size 64:64 @x\nscale 2 @x @x\nfft x @x @y'
    [ "$(grep -c 'calls' said)" -eq 1 ]
    grep -q 'gantry run: ' said
}

@test "run: lines with loops work on files" {
    gantry run - <<'END'
phantom --size 16:16:4 x
gantry -l z -p 2 scale 2 x y
scale --loop z 2 x z
END
    gantry scale 2 x w
    same_bytes y w
    same_bytes z w
    fails 1 'cannot read arrays in memory' gantry run - <<<$'ones --size 4:4:2 @x\ngantry -l z scale 2 @x y'
}

@test "run: an interrupted recipe leaves nothing behind" {
    printf 'random --size 256:256:32 @x\nrof --iterations 100000 --tolerance 0 --lambda 0.1 @x y\n' >r.txt
    gantry run r.txt &
    local pid=$!
    for _ in $(seq 100); do
        compgen -G '.gantry*' >/dev/null && break
        sleep 0.05
    done
    kill -TERM $pid
    wait $pid || true
    no_output y
}

@test "run: a recipe comes from a pipe that somebody writes to; -n holds for its lines" {
    mkfifo pipe
    fails 1 "pipe is a pipe that no program writes to" timeout 20 gantry run pipe
    gantry run <(echo 'ones --size 3 x')
    [ "$(dims x)" = 3 ]
    cp x.cfl kept
    echo 'zeros --size 3 x' >recipe
    fails 1 "x.hdr exists" gantry run -n recipe
    cmp kept x.cfl
}
