# The script that `gantry history` prints makes the same bytes from the originals alone.
load common

# rebuild FILE ORIGINAL...: runs the script of FILE in an empty folder with these originals; the result must be the same.
rebuild() {
    local file=$1 name
    shift
    gantry history "$file" >script.sh
    rm -rf again
    mkdir again
    for name; do
        mkdir -p "again/$(dirname "$name")"
        cp "$name" "again/$name"
    done
    (cd again && sh ../script.sh)
    cmp "$file.cfl" "again/$(basename "$file").cfl"
    # nothing else is left, and the new file has the same history
    [ "$(find again -type f | wc -l)" = $(($# + 2)) ]
    [ "$(sed -n '/^# History/,$p' "$file.hdr")" = "$(sed -n '/^# History/,$p' "again/$(basename "$file").hdr")" ]
}

lines() {
    sed -n '/^# History/,$p' "$1.hdr" | tail -n +2
}

@test "history: a reconstruction from arrays of other programs" {
    py '
write("vol", np.random.default_rng(1).random((16, 16, 8)).astype("f4"))
np.save("start.npy", np.ones((16, 16, 8)))'
    seq 0 10 350 >angles.txt
    gantry traj --views 36 --angles angles.txt --sod 100 --sdd 150 --detector 24:12 geom
    gantry project geom vol proj
    gantry noise --photons 1e5 proj noisy
    gantry wls -i 2 --like vol geom noisy rec
    gantry saxpy -- -2 start.npy rec out
    [ "$(lines out | wc -l)" = 5 ]
    rebuild out angles.txt vol.hdr vol.cfl start.npy
}

@test "history: files and pipes give the same history, threads and names do not matter" {
    py 'write("x", np.arange(60, dtype="f4").reshape(3, 4, 5))'
    gantry flip x x a
    gantry scale 2 a b
    gantry saxpy 3 b x c
    gantry flip -j 3 --quiet x x - | gantry scale -j 1 2 - - | gantry saxpy -v 3 - x other.cfl
    [ "$(lines c)" = "$(lines other)" ]
    rebuild other x.hdr x.cfl
}

@test "history: equal steps are one line, an output over its input too" {
    gantry ones --size 5:6 x
    gantry scale 2 x a
    gantry scale 2 x b
    gantry saxpy 1 a b c
    [ "$(lines c | wc -l)" = 3 ]
    gantry saxpy 1 x x x
    gantry saxpy 1 x x x
    [ "$(lines x | wc -l)" = 3 ]
    rebuild c
    rebuild x
}

@test "history: a result that replaced its own original" {
    py 'write("y", np.arange(12, dtype="f4"))'
    mkdir first
    cp y.cfl y.hdr first
    gantry scale 3 y y
    gantry history y >script.sh
    (cd first && sh ../script.sh)
    cmp y.cfl first/y.cfl
}

@test "history: an original with a folder, a blank and a quote in its name" {
    mkdir -p "my data"
    py 'write("my data/it'"'"'s", np.arange(12, dtype="f4"))'
    gantry scale 3 "my data/it's" y
    rebuild y "my data/it's.hdr" "my data/it's.cfl"

    # an absolute path, or one that leads out, is looked for in the folder itself
    cp "my data/it's.cfl" z.cfl
    cp "my data/it's.hdr" z.hdr
    gantry scale 3 "$PWD/z" y
    rebuild y z.hdr z.cfl
    grep -q '<z:48:' y.hdr
    mkdir w
    (cd w && gantry scale 3 ../z.cfl y)
    [ "$(lines y)" = "$(lines w/y)" ]
}

@test "history: raw data are originals" {
    head -c 240 /dev/urandom >raw.bin
    gantry import --raw --size 5:6 --type float64 raw.bin x
    gantry flip y x y
    rebuild y raw.bin
}

@test "history: the script stops at an original that is missing or changed" {
    py 'write("x", np.arange(12, dtype="f4"))'
    gantry scale 3 x y
    gantry history y >script.sh
    mkdir e
    cp script.sh e
    cd e
    fails 1 "x is missing, expected the original file of 48 bytes" sh script.sh
    cp ../x.hdr .
    head -c 48 /dev/zero >x.cfl
    fails 1 "x.cfl has 48 bytes and the hash" sh script.sh
    no_output y
    no_output gantry-
}

@test "history: over 64 KiB it stands beside the pair, moves on and comes back" {
    py '
import os
for i in range(900):
    write(f"original-with-a-rather-long-name-{i}", np.full(4, i, dtype="f4"))'
    gantry join 1 $(seq -f 'original-with-a-rather-long-name-%.0f' 0 899) x
    [ -s x.history ]
    [ "$(grep -A 1 '^# History' x.hdr | tail -n 1 | cut -d ' ' -f 1-2)" = "beside $(stat -c %s x.history)" ]
    [ "$(tail -n 1 x.hdr | cut -d ' ' -f 1)" = beside ]
    gantry scale 2 x y
    [ -s y.history ]
    GANTRY_CHECKSUM=1 gantry copy y checked
    gantry show --verify checked
    sed -i 's/rather/RATHER/' checked.history
    fails 1 "checked.history is missing or does not match the hash in checked.hdr" gantry show --verify checked
    gantry copy y - | gantry scale 0.5 - z
    [ "$(wc -l <z.history)" = 4 ] # join, scale, copy, scale
    gantry history z >script.sh
    mkdir e
    cp original-* e
    (cd e && sh ../script.sh)
    cmp z.cfl e/z.cfl
    cmp z.history e/z.history

    # a lost one is told, the data stay readable
    rm y.history
    run --separate-stderr gantry copy y w
    [ "$status" = 0 ]
    [[ $stderr == *"y.history is missing"* ]]
    # a short one takes it away
    gantry ones --size 3 z
    [ ! -e z.history ]
}

@test "history: arrays without one, damaged ones" {
    py 'write("x", np.arange(12, dtype="f4"))'
    fails 1 "x has no history" gantry history x
    gantry scale 3 x y
    gantry copy y z
    sed -i 's/: scale 3/: scale 4/' y.hdr
    fails 1 "damaged history" gantry history y
    fails 2 "expected one" gantry history y z
    fails 2 "expected '<NAME:BYTES:HASH>'" gantry history --verify nonsense
    gantry copy z - | gantry history - | grep -q ' rebuilt$'
}

@test "history: a foreign stream is marked as one that cannot be checked" {
    py 'write("x", np.arange(12, dtype="f4"))'
    {
        echo "GANTRY-STREAM 1 $(stat -c %s x.hdr)"
        cat x.hdr x.cfl
    } | gantry scale 2 - y
    grep -q ': scale 2 <-:48:unhashed> >' y.hdr
    gantry history y >script.sh
    mkdir e
    cp x.cfl e/stdin.cfl
    cp x.hdr e/stdin.hdr
    (cd e && sh ../script.sh 2>said)
    cmp y.cfl e/y.cfl
    grep -q 'cannot be checked' e/said
}
