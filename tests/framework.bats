# What every command has from its option table, the front command, exit statuses.

load common

commands() {
    sed -n 's/^TOOL(\(.*\))$/\1/p' "$GANTRY_BUILD/gen/tools.inc"
}

@test "framework: every command has help with an example, on standard output" {
    for tool in $(commands); do
        gantry "$tool" --help >help.txt 2>said.txt
        [ ! -s said.txt ] || { echo "$tool talks" >&2; return 1; }
        grep -q "^Usage: gantry $tool " help.txt
        grep -q "^Examples:" help.txt || { echo "$tool has no example" >&2; return 1; }
        grep -q "^  gantry " help.txt || { echo "$tool has no example" >&2; return 1; }
        [ "$(wc -L <help.txt)" -le 110 ] || { echo "$tool: help is $(wc -L <help.txt) columns wide" >&2; return 1; }
    done
}

@test "framework: help anywhere on the line, whatever else is wrong" {
    gantry zeros --help --no-such-option a b c
    gantry zeros a b c -h
    gantry help zeros | cmp - <(gantry zeros --help)
}

@test "framework: the help of recon is short, its topics hold the rest, long help goes through a pager on a terminal" {
    gantry recon --help >help.txt
    [ "$(wc -l <help.txt)" -le 80 ]
    for topic in $(sed -n '/TOPIC.:$/,/^$/s/^  \([a-z]*\)  .*/\1/p' help.txt); do
        gantry help recon "$topic" >"$topic.txt"
        [ -s "$topic.txt" ]
    done
    [ -s all.txt ]
    [ -s terms.txt ]
    # every option and every algorithm is explained
    grep -q -- '--sync  *fsync' options.txt
    sed -n '/^Usage/,/^Common/p' help.txt | grep -oE -- '--[a-z][-a-z0-9]+' | sort -u >named
    for option in $(cat named); do grep -qE -- "^ .*$option([ =[]|$)" options.txt || { echo "$option is not explained"; false; }; done
    [ "$(wc -l <named)" -gt 50 ]
    for algorithm in $(gantry recon --interface | /usr/bin/python3 -c '
import json, sys
print(*next(o for o in json.load(sys.stdin)["options"] if o["long"] == "algorithm")["choices"])'); do
        grep -q "^  $algorithm  " algorithms.txt
    done
    fails 2 "unknown topic 'nix' (valid: algorithms, terms" gantry help recon nix
    fails 2 "unknown topic 'terms' (valid: options, all)" gantry help zeros terms
    [ "$(GANTRY_PAGER='head -n 3' script -qc 'stty rows 20; gantry help recon' /dev/null | wc -l)" = 3 ]
    [ "$(GANTRY_PAGER=no-such-program script -qc 'stty rows 20; gantry help recon 2>/dev/null' /dev/null | wc -l)" = "$(wc -l <help.txt)" ]
    [ "$(GANTRY_PAGER='' script -qc 'stty rows 20; gantry help recon' /dev/null | wc -l)" = "$(wc -l <help.txt)" ]
}

@test "framework: earlier names of options are taken, on the command line and in histories" {
    gantry random --size 6:6:3 proj
    gantry align -q --reference proj --most 1 proj old shifts
    gantry align -q --reference proj --max-shift 1 proj new shifts
    cmp old.cfl new.cfl
    grep -q -- --max-shift=1 old.hdr
    fails 2 "unknown option --steady" gantry align --steady 1 --reference proj proj x shifts
}

@test "framework: the interface of every command is valid JSON without double names" {
    for tool in $(commands); do
        gantry "$tool" --interface >"$tool.json"
    done
    /usr/bin/python3 - <<'END'
import glob, json, re
for path in sorted(glob.glob("*.json")):
    with open(path, encoding="utf-8") as f:
        tool = json.load(f)
    assert tool["name"] + ".json" == path, path
    assert tool["about"] and not tool["about"].endswith("."), (path, tool["about"])
    assert tool["examples"], path
    longs = [o["long"] for o in tool["options"]]
    shorts = [o["short"] for o in tool["options"] if "short" in o]
    assert len(set(longs)) == len(longs), (path, longs)
    assert len(set(shorts)) == len(shorts), (path, shorts)
    assert all(re.fullmatch("[a-z][a-z0-9-]*", n) for n in longs), (path, longs)
    assert all(re.fullmatch("[A-Za-z0-9]", c) for c in shorts), (path, shorts)
    for o in tool["options"] + tool["arguments"]:
        assert o["help"], (path, o)
        assert o["kind"] != "choice" or len(o["choices"]) > 0, (path, o)
        assert "min" not in o or "max" not in o or o["min"] < o["max"], (path, o)
END
}

@test "framework: the examples of every command use known options and the right number of arguments" {
    for tool in $(commands); do
        gantry "$tool" --interface >"$tool.json"
    done
    /usr/bin/python3 - <<'END'
import glob, json, shlex
tools = {}
for path in glob.glob("*.json"):
    with open(path, encoding="utf-8") as f:
        tool = json.load(f)
    tools[tool["name"]] = tool
for tool in tools.values():
    for line in tool["examples"]:
        words = shlex.split(line, comments=True)
        for k, word in enumerate(words):
            if word != "gantry" or k + 1 == len(words) or words[k + 1] not in tools:
                continue
            used = tools[words[k + 1]]
            options = {o["long"]: o for o in used["options"]}
            for later in words[k + 2:]:
                if later in ("|", "gantry", ";", "&&", ">", "--"):
                    break
                if later.startswith("--"):
                    assert later[2:].split("=")[0] in options, line
END
}

@test "framework: every manual page renders without warnings" {
    command -v groff >/dev/null || skip "groff is not installed"
    for tool in $(commands); do
        gantry "$tool" --man >"$tool.1"
        groff -man -Tutf8 -ww -z "$tool.1" 2>warnings.txt
        [ ! -s warnings.txt ] || { echo "$tool:" >&2; cat warnings.txt >&2; return 1; }
        sections="NAME SYNOPSIS ARGUMENTS EXAMPLES"
        if gantry "$tool" --help | head -n 1 | grep -q '\[options\]$'; then sections="NAME SYNOPSIS EXAMPLES"; fi # it takes no arguments
        for section in $sections; do
            grep -q "^.SH $section" "$tool.1" || { echo "$tool: no $section" >&2; return 1; }
        done
    done
    gantry --man >gantry.1
    groff -man -Tutf8 -ww -z gantry.1 2>warnings.txt
    [ ! -s warnings.txt ]
}

@test "framework: the pages for the web have the command's name as their heading" {
    for tool in $(commands); do
        gantry "$tool" --markdown | head -1 | grep -qx "# gantry $tool"
    done
}

@test "framework: gantry help lists every command once, with what it does" {
    gantry help >help.txt
    gantry --help | cmp - help.txt
    for tool in $(commands); do
        [ "$(grep -c "^  $tool  *$(gantry "$tool" --about | sed 's/[][\.*^$/]/\\&/g')$" help.txt)" -eq 1 ] || {
            echo "$tool" >&2
            return 1
        }
    done
}

@test "framework: gantry alone prints the list, with a status that scripts notice" {
    run -2 --separate-stderr gantry
    gantry help >help.txt
    [ "$output" = "$(cat help.txt)" ]
    [[ $stderr == "gantry: missing command"* ]]
}

@test "framework: gantry help starts no other program" {
    mkdir alone
    cp "$GANTRY_BUILD"/bin/{gantry,commands.tsv} alone
    alone/gantry help | cmp - <(gantry help)
    alone/gantry --man | cmp - <(gantry --man)
    rm alone/commands.tsv
    fails 1 "commands.tsv: No such file or directory (run 'make', or install again)" alone/gantry help
}

@test "framework: gantry help -k searches names, descriptions and options" {
    gantry help -k helical >found
    grep -q '^  fbp ' found
    run ! grep -q '^  zeros ' found
    gantry help -k RING-REMOVAL >found
    grep -q '^  rings ' found
    gantry help -k stripes >found
    grep -q '^  rings ' found
    gantry help -k checkpoint >found
    grep -q '^  recon ' found
    grep -q '^    --checkpoint ' found
    fails 1 "no command mentions 'xyzzy'" gantry help -k xyzzy
    fails 2 'missing word' gantry help -k
}

@test "framework: names from other packages point to the commands" {
    fails 2 "unknown command 'crop'; use 'extract' or 'resize'" gantry crop x y
    fails 2 "use 'show'" gantry info x
    fails 2 "use 'cast' or 'export' or 'import'" gantry convert x.tif y
    fails 2 "use 'project'" gantry sinogram
    fails 2 "use 'fbp'" gantry fdk
    fails 2 "use 'project'" gantry radon
    fails 2 "use 'fbp'" gantry iradon
    fails 2 "use 'fbp'" gantry help IRADON
    fails 2 "use 'extract' or 'resize'" gantry -l z crop x y
    printf 'crop x y\n' >recipe
    fails 2 "unknown command 'crop'; use 'extract' or 'resize'" gantry run recipe
    # every command stands in one of the groups of "gantry help", which has no other
    awk -F '\t' '$1 == "command" { n++ } $1 == "group" && $2 >= 1 && $2 <= 12 { m++ } END { exit !(n > 90 && n == m) }' "$GANTRY_BUILD/bin/commands.tsv"
    [ "$(gantry help | grep -c '^[A-Z].*:$')" = 12 ]
    # a synonym that is a command would never be asked for
    awk -F '\t' '
        $1 == "command" { name[$2]; n = split($4, words, " "); for (i = 1; i <= n; i++) { synonym[words[i]]; count++ } }
        END { for (w in synonym) if (w in name) { print w, "is a command"; exit 1 }; exit !(count > 50) }' "$GANTRY_BUILD/bin/commands.tsv"
}

@test "framework: types and choices by the names of C, NumPy, MATLAB and others; histories hold ours" {
    while read -r typed type; do
        gantry zeros --size 3 --type "$typed" a
        [ "$(section a Type)" = "$type" ]
        gantry history a | grep -q -- "--type=$type "
    done <<'END'
float float32
single float32
double float64
half float16
short int16
ushort uint16
int int32
uint uint32
long int64
ulong uint64
uchar uint8
logical bool
f4 float32
f8 float64
u16 uint16
c8 complex64
Float32 float32
UINT16 uint16
END
    fails 2 "unknown value 'byte' (valid: bool, int8," gantry zeros --size 3 --type byte a
    # in a header, which other programs read, only ours
    sed -i 's/^uint16$/ushort/' a.hdr
    fails 1 "section '# Type' contains 'ushort'" gantry show a

    gantry phantom --size 16:16 vol
    gantry traj --views 16 --detector 24:1 geom
    gantry project geom vol proj
    for typed in ram-lak Ram_Lak RAMLAK ramp; do
        gantry fbp --filter "$typed" geom proj rec
        gantry history rec | grep -q -- '--filter=ramp '
    done
    gantry fbp --filter shepp_logan geom proj rec
    gantry history rec | grep -q -- '--filter=shepp-logan '
    gantry fbp --filter Hanning geom proj rec
    gantry history rec | grep -q -- '--filter=hann '
    fails 2 "--filter: unknown value 'rampp' (valid: ramp, shepp-logan," gantry fbp --filter rampp geom proj rec
}

@test "framework: version and exec path" {
    gantry --version | grep -q '^gantry [0-9]*\.[0-9]*\.[0-9]*$'
    gantry --version | grep -q '^CUDA: '
    gantry --version | grep -q '^OpenMP: '
    [ "$(gantry --version | grep -c '^FFT: FFTW 3')" -eq "$(grep -c lfftw3f "$GANTRY_BUILD/flags_link")" ]
    [ "$(gantry --version | grep -c '^images: .*TIFF')" -eq "$(find "$GANTRY_BUILD/obj/misc/formats" -name tiff.o | wc -l)" ]
    [ "$(gantry --exec-path)" = "$GANTRY_BUILD/bin" ]
    [ "$(gantry zeros --version)" = "$(gantry --version | head -1)" ]
    fails 2 'found x' gantry --version x
    fails 2 'found x' gantry --exec-path x
}

@test "framework: misspelt commands and options get a suggestion and exit status 2" {
    fails 2 "unknown command 'zeroes'; did you mean 'zeros'?" gantry zeroes
    fails 2 "did you mean 'transpose'?" gantry trasnpose
    fails 2 "did you mean 'project'?" gantry Project
    fails 2 "unknown command 'xyzzy' ('gantry help' lists them)" gantry xyzzy
    fails 2 'did you mean --size?' gantry zeros --sise 3:3 a
    fails 2 'missing command' gantry
    fails 2 'unknown option --frobnicate' gantry --frobnicate
    fails 2 'unknown command' gantry help zeroes
    no_output a
}

@test "framework: prefixes of options, values with = and apart" {
    gantry zeros --size=4:5 a
    gantry zeros --siz 4:5 b
    gantry zeros -s4:5 c
    gantry zeros d -s 4:5
    for name in a b c d; do
        [ "$(dims $name)" = "4 5" ]
        [ "$(section $name History | sed 's/^[^ ]* //')" = "zeros --size=4:5 >" ]
    done
    fails 2 'is ambiguous: --size, --spacing, --sync' gantry zeros --s 4:5 e
    no_output e
}

@test "framework: numbers of arguments" {
    fails 2 'missing argument: 0 given, expected OUT' gantry zeros --size 3:3
    fails 2 "unexpected argument 'b', expected OUT" gantry zeros --size 3:3 a b
    fails 2 'missing arguments: 1 given, expected SCALE X Y OUT' gantry saxpy 2
    no_output a b
}

@test "framework: negative numbers and - are arguments, -- ends the options" {
    gantry ones --size 3 x
    gantry saxpy -2 x x y
    gantry saxpy -- -2 x x z
    same_bytes y z
    py 'assert (read("y") == -1).all()'
    gantry saxpy -1+2i x x c
    py 'assert np.allclose(read("c"), 2j)'
    gantry saxpy -.5 x x h
    py 'assert (read("h") == 0.5).all()'
    gantry zeros --size 2 -- --odd
    [ -f ./--odd.cfl ]
}

@test "framework: a stream can be one input and one output" {
    gantry ones --size 3 x
    fails 2 "'-' is given for 2 inputs" gantry saxpy 1 - - y
    no_output y
    gantry ones --size 3 - | gantry saxpy 1 - x - | gantry copy - y
    py 'assert (read("y") == 2).all()'
}

@test "framework: values out of range name the option, what was found and what was expected" {
    fails 2 '--size: 0:3, expected 1 or more' gantry zeros --size 0:3 a
    fails 2 "--size: 'x' is not an integer" gantry zeros --size x a
    fails 2 '--size is missing' gantry zeros a
    fails 2 '--size needs a value' gantry zeros a --size
    fails 2 "did you mean 'float32'?" gantry zeros --size 3 --type flaot32 a
    fails 2 '--threads: 0, expected 1..1024' gantry zeros --size 3 -j 0 a
    fails 2 '--spacing: 1e308, expected 1e-300..1e300' gantry fbp --spacing 1e308 g p a
    fails 2 '--spacing: -1, expected' gantry zeros --size 3 --spacing -1 a
    fails 2 '--spacing has 3 numbers' gantry zeros --size 3:3 --spacing 1:1:1 a
    no_output a
}

@test "framework: sizes beyond 63 bits are refused" {
    fails 1 '' gantry zeros --size 4000000000:4000000000:4000000000 a
    fails 2 'does not fit' gantry zeros --size 99999999999999999999 a
    no_output a
}

@test "framework: a GPU is a demand" {
    gantry --version | grep -q '^CUDA: no ' || skip "this build has a GPU back end"
    fails 1 '--gpu: no GPU can be used' gantry zeros --size 3 -g a
    fails 1 '--gpu: no GPU can be used' gantry zeros --size 3 -g0 a
    fails 1 '--gpu: no GPU can be used' gantry zeros --size 3 --gpu=1 a
    fails 1 '--device: no GPU can be used' gantry zeros --size 3 --device gpu a
    GANTRY_DEVICE=gpu fails 1 'GANTRY_DEVICE: no GPU can be used' gantry zeros --size 3 a
    no_output a
    gantry zeros --size 3 --device cpu a
    GANTRY_DEVICE=auto gantry zeros --size 3 a
}

@test "framework: the environment is checked like the options" {
    GANTRY_THREADS=x fails 2 "GANTRY_THREADS: 'x' is not an integer" gantry zeros --size 3 a
    GANTRY_THREADS=0 fails 2 'GANTRY_THREADS: 0, expected 1..1024' gantry zeros --size 3 a
    GANTRY_MEM=0 fails 2 "GANTRY_MEM: '0', expected a size above 0 like 512M, 4G or 1.5GiB" gantry zeros --size 3 a
    GANTRY_ISA=sse fails 2 "GANTRY_ISA: 'sse', expected plain, avx2 or avx512" gantry zeros --size 3 a
    GANTRY_DEVICE=tpu fails 2 "GANTRY_DEVICE: 'tpu' is not a device (valid: auto, cpu, gpu" gantry zeros --size 3 a
    no_output a
    GANTRY_THREADS=2 gantry zeros --size 3 a
}

@test "framework: --plan makes nothing" {
    gantry zeros --size 1000:1000:1000 --plan a >said
    grep -q '^time: about [0-9.]* s' said
    no_output a
    phantom --size 8:8 v
    traj --views 4 --detector 8 g
    for line in "toimg v o.png" "show v" "stats v" "compare v v" "geom g" "check g" "history v"; do
        # shellcheck disable=SC2086 # words
        gantry $line --plan >said
        [ "$(grep -v '^load:' said | cut -d: -f1 | tr '\n' ' ')" = "output disk memory time " ]
        no_output o
    done
}

@test "framework: --plan writes to no pipe, and prints no results" {
    phantom --size 8:8:8 v
    traj --views 40 --detector 12:8 --offset 1.3 g
    phantom --kind ball --mu 1 --size 8:8:8 --geometry g p
    mkfifo pipe.png
    exec 7<>pipe.png
    gantry render --size 8 --plan v pipe.png >said
    grep -q '^output: pipe.png, ' said
    echo end >&7
    [ "$(timeout 3 head -c 3 <&7)" = end ]
    exec 7>&-
    gantry geom --to astra --plan g o
    no_output o
    gantry center --plan g p - >said 2>more
    [ "$(grep -v '^load:' said | cut -d: -f1 | tr '\n' ' ')" = "output output disk memory time " ]
    grep -q '^output: -, 4 x 4 x 40, float64' said
    [ ! -s more ]
    mkdir cache
    touch cache/selftest-one
    GANTRY_CACHE=$PWD/cache gantry cache --clear --plan >said
    [ -e cache/selftest-one ]
    gantry measure --plan thickness v o >said
    [ "$(grep -v '^load:' said | cut -d: -f1 | tr '\n' ' ')" = "output disk memory time " ]
    no_output o
}

@test "framework: -q is silent, messages begin with the command's name" {
    fails 1 'gantry copy: absent' gantry copy absent y
    [ -z "$(gantry zeros -q --size 3 a 2>&1)" ]
    [ -z "$(gantry zeros --size 3 a)" ]
}

@test "framework: a progress bar on a terminal after a second, none in a pipe or with -q" {
    script -qec true /dev/null >/dev/null 2>&1 || skip "no script command or no terminals here"
    gantry zeros --size 1000:1000:8 - >stream
    cat >slow.sh <<'END'
{ head -c 8000000 stream; sleep 1.2; tail -c +8000001 stream; } | gantry scale "$@" 2 - y
END
    script -qec "bash slow.sh" /dev/null >terminal.txt
    grep -q '%' terminal.txt
    grep -q 'left' terminal.txt
    script -qec "bash slow.sh -q" /dev/null >terminal.txt
    [ ! -s terminal.txt ]
    [ -z "$(bash slow.sh 2>&1)" ]
    script -qec "gantry scale 2 y z" /dev/null >terminal.txt
    [ ! -s terminal.txt ]
}

@test "framework: messages hold no terminal escapes from file names" {
    run -1 gantry copy $'bad\e[2Jname' y
    [[ $output == *'bad\x1b[2Jname'* ]]
    [[ $output != *$'\e'* ]]
}

@test "framework: closed standard streams never take a file's place" {
    gantry ones --size 3 x
    gantry copy x y <&- >&- 2>&-
    same_bytes x y
    run -1 bash -c 'gantry copy - z <&-'
    run -1 bash -c 'gantry copy x - >&-'
    run -1 bash -c 'gantry zeros --help >&-'
    run -1 bash -c 'gantry help >&-'
    no_output z
}

@test "framework: a full standard output is an error" {
    [ -c /dev/full ] || skip "there is no /dev/full"
    run -1 bash -c 'gantry help zeros >/dev/full'
    [[ $output == *"No space left on device"* ]]
    run -1 bash -c 'gantry --version >/dev/full'
    run -1 bash -c 'gantry zeros --interface >/dev/full'
    run -1 bash -c 'gantry zeros --size 100:100 - >/dev/full'
    [[ $output == "gantry zeros: "* ]]
}

@test "framework: a reader that leaves early ends the command quietly" {
    run bash -c 'set -o pipefail; gantry zeros --size 1000:1000:10 - | true'
    [ "$status" -eq 141 ]
    [ -z "$output" ]
}

@test "framework: a trivial command starts in less than 10 ms" {
    sanitized && skip "the build has sanitizers"
    # of processor time, which other work on the machine leaves alone
    /usr/bin/python3 -c '
import os, shutil
def once(*words):
    pid = os.posix_spawn(shutil.which("gantry"), ["gantry", *words], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    used = os.wait4(pid, 0)
    assert used[1] == 0
    return used[2].ru_utime + used[2].ru_stime
for words in ("zeros", "--version"), ("help",), ("help", "-k", "ring"):
    best = min(once(*words) for _ in range(20))
    print(words, "best of twenty:", best, "s")
    assert best < 0.01'
}

# Compiles src/tools/$1.c of the current folder as build/bin/$1, with the flags of the build under test.
compile_tool() {
    local flags link
    # without the instruction sets of the kernels, which the processor may lack
    flags=$(sed -n '1{s/ -m[a-z0-9=-]*//g;p}' "$GANTRY_BUILD/flags")
    link=$(sed -n 1p "$GANTRY_BUILD/flags_link")
    # (before its own folder of generated headers, and without the compiler, which may be two words)
    eval "${flags/ -Isrc / -Ibuild/gen -Isrc } src/tools/$1.c $GANTRY_BUILD/lib/libgantry-core.a -fopenmp ${link#* -fopenmp} -Wl,--defsym=main=main_$1 -o build/bin/$1"
}

@test "framework: a new tool and its tests work as they are written, without an edit elsewhere" {
    mkdir copy
    cd copy
    cp -r "$GANTRY_SOURCE"/{src,scripts,tests} .
    run -2 scripts/new-tool Bad-Name
    scripts/new-tool brighten
    run -1 scripts/new-tool brighten

    mkdir -p build/bin build/gen
    ln -s "$GANTRY_BUILD"/bin/* build/bin/
    rm build/bin/gantry
    cp "$GANTRY_BUILD"/gen/{features,no_cuda}.inc build/gen/
    { cat "$GANTRY_BUILD/gen/tools.inc"; echo 'TOOL(brighten)'; } >build/gen/tools.inc
    compile_tool brighten
    compile_tool gantry
    scripts/commands build
    # (linked without main.c, which chooses devices)
    GANTRY_TEST_DEVICE='' GANTRY_BUILD=$PWD/build bats tests/brighten.bats
    build/bin/gantry help | grep -q '^  brighten  *Multiply an array'
    build/bin/gantry help brighten | grep -q -- '--factor F'
    fails 2 "did you mean 'brighten'?" build/bin/gantry brigthen
}

@test "framework: a short option means the same in all commands; other spellings of options" {
    sed -n 's/.*`-\([A-Za-z]\), --\([a-z-]*\).*/\1 \2/p' "$BATS_TEST_DIRNAME"/../doc/commands/*.md | sort -u >letters
    [ "$(wc -l <letters)" -gt 10 ]
    [ -z "$(cut -d' ' -f1 letters | uniq -d)" ]
    gantry ones -s 4:4 x
    gantry toimg --colourmap gray x a.png
    gantry toimg --colormap gray x b.png
    cmp a.png b.png
}
