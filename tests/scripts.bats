load common

# The pieces of scripts/quickstart and scripts/test that can be tried without touching the machine.

packages() {
    bash -c "set -euo pipefail; cd '$GANTRY_SOURCE'; . scripts/packages.sh; cd '$PWD'; $1"
}

@test "scripts: only the packages whose need is not met are missing" {
    run -0 packages 'missing_packages "here has_command sh" "gone has_command no-such-command" "lib has_library libc.so.6" \
        "nolib has_library libnothing.so.0" "header has_header stdio.h" "noheader has_header no/such.h"'
    [ "$output" = "gone
nolib
noheader" ]
}

@test "scripts: packages are installed by one update and one install, and said first" {
    mkdir bin
    printf '#!/bin/sh\necho "$@" >> "%s/calls"\n' "$PWD" >bin/apt-get
    chmod +x bin/apt-get
    run -0 packages "PATH=$PWD/bin:\$PATH; as_root() { \"\$@\"; }; install_packages $PWD/log one two"
    [ "$output" = "Installing with apt-get: one two" ]
    [ "$(cat calls)" = "update
install -y --no-install-recommends one two" ]
}

@test "scripts: a failed installation is a sentence and the end" {
    mkdir bin
    printf '#!/bin/sh\necho E: no such package; exit 100\n' >bin/apt-get
    chmod +x bin/apt-get
    run -1 packages "PATH=$PWD/bin:\$PATH; as_root() { \"\$@\"; }; install_packages $PWD/log one || die 'the machine lacks it'"
    [[ $output == *"E: no such package"*"could not install one"*"the machine lacks it"* ]]
}

@test "scripts: help and unknown options" {
    for s in quickstart test bare-debian; do
        run -0 "$GANTRY_SOURCE/scripts/$s" --help
        [[ $output == "Usage: scripts/$s"* ]]
        run -2 "$GANTRY_SOURCE/scripts/$s" --nonsense
        [[ $output == *"--nonsense"* ]]
    done
}

# A tree with a bats file and a unit program of one name, for scripts/check.
twins() {
    mkdir -p tree/scripts tree/tests/unit tree/build/unit
    cp "$GANTRY_SOURCE/scripts/check" tree/scripts/
    printf '@test "of bats" { true; }\n' >tree/tests/twin.bats
    printf '#!/bin/sh\necho "ok of unit in $(basename "$PWD")"\n' >tree/build/unit/twin
    cp tree/build/unit/twin tree/build/unit/alone
    chmod +x tree/build/unit/*
    cd tree || return
}

@test "scripts: check runs a unit program by a relative path, and by its name" {
    twins
    run -0 scripts/check build build/unit/twin
    [[ $output == "twin "*"1 passed, 0 failed" ]]
    run -0 scripts/check build alone
    [[ $output == "alone "*"1 passed, 0 failed" ]]
    cd build/unit
    run -0 ../../scripts/check .. ./alone ../unit/twin
    [[ $output == *"2 passed, 0 failed" ]]
}

@test "scripts: check runs a bats file and a unit program of one name, together or one of them" {
    twins
    run -0 scripts/check build twin
    [[ $output == *"2 passed, 0 failed" ]]
    run -0 scripts/check build twin.bats
    [[ $output == "twin.bats "*"1 passed, 0 failed" ]]
    run -0 scripts/check build unit/twin
    [[ $output == "twin "*"1 passed, 0 failed" ]]
    run -0 scripts/check build tests/twin.bats build/unit/twin
    [[ $output == *"2 passed, 0 failed" ]]
    # the name of a file in the folder in use means nothing
    touch other
    run -2 scripts/check build other
    [[ $output == *"other: neither a bats file nor a unit program"* ]]
}

# bare_debian WORD..: the script with stand-ins for what needs root and the network.
bare_debian() {
    mkdir -p bin tmp
    local tool
    for tool in mount umount chroot apt-config apt-get; do printf '#!/bin/sh\n' >"bin/$tool"; done
    printf '#!/bin/sh\necho 0\n' >bin/id
    printf '#!/bin/sh\nexit 1\n' >bin/mountpoint
    # shellcheck disable=SC2016 # words of the stand-ins
    {
        printf '#!/bin/bash\nwhile [ "${1#-}" != "$1" ]; do shift; [ "$1" != private ] || shift; done\nexec "$@"\n' >bin/unshare
        printf '#!/bin/sh\nfor last; do :; done\nmkdir -p "$last/out"\n' >bin/git
        printf '#!/bin/sh\nfor w; do case $w in -*|bookworm) ;; *) break ;; esac; done\nmkdir -p "$w/usr/bin" "$w/root" "$w/proc" "$w/dev" "$w/etc/apt/apt.conf.d"\ntouch "$w/usr/bin/apt-get"\nchmod +x "$w/usr/bin/apt-get"\n' >bin/debootstrap
    }
    chmod +x bin/*
    PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp MIRROR=none "$GANTRY_SOURCE/scripts/bare-debian" "$@"
}

@test "scripts: bare-debian leaves the files of others alone" {
    echo mine >system.log
    run -0 bare_debian --keep --quickstart-only "$PWD/system"
    [ "$(cat system.log)" = mine ]

    # in a system that was kept
    mkdir -p system/root/gantry
    echo mine >system/root/gantry/notes
    run -0 bare_debian --keep --quickstart-only "$PWD/system"
    [ "$(cat system/root/gantry/notes)" = mine ]
    [ "$(cat system.log)" = mine ]

    # a folder that holds something else, with --keep and without
    mkdir data
    echo mine >data/scan
    run -1 bare_debian --keep --quickstart-only "$PWD/data"
    [[ $output == *"data: holds files but no bare system"* ]]
    run -1 bare_debian --quickstart-only "$PWD/data"
    [ "$(cat data/scan)" = mine ]
    [ "$(ls data)" = scan ]

    # what it has made itself goes
    run -0 bare_debian --quickstart-only "$PWD/new"
    [ ! -e new ]
    [ -z "$(ls tmp)" ]
}

# A tree of one source that scripts/mutate can work on. Loops without an end wait there, rather than keep a core busy.
tiny_tree() {
    mkdir -p tree/scripts tree/src/misc tree/src/tools tree/tests/unit
    cp "$GANTRY_SOURCE/scripts/mutate" tree/scripts/
    printf '#include <unistd.h>\n#define while(c) while (usleep(1000), (c))\n' >tree/idle.h
    cat >tree/Makefile <<'END'
$(O)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) -O1 -include idle.h -MMD -MP -c $< -o $@
all: $(O)/obj/misc/area.o $(O)/bin/gantry
units: $(O)/unit/area
$(O)/lib/libarea.a: $(O)/obj/misc/area.o
	@mkdir -p $(@D)
	@rm -f $@
	ar qcs $@ $<
$(O)/unit/%: tests/unit/%.c $(O)/lib/libarea.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^
$(O)/bin/gantry: $(O)/obj/tools/gantry.o $(O)/lib/libarea.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^
END
    cat >tree/src/misc/area.c <<'END'
long area(long a, long b);
long unused(long a);
long area(long a, long b)
{
	long n = 0;

	while (n < a * b)
		n += 1;

	return n;
}
long unused(long a)
{
	return a + 1;
}
END
    printf 'long area(long, long);\nint main(void) { return 6 != area(2, 3); }\n' | tee tree/src/tools/gantry.c >tree/tests/unit/area.c
    printf '@test "area: exit status" {\n    "$GANTRY_BUILD/bin/gantry"\n}\n' >tree/tests/area.bats
}

fails_mutate() {
    run -2 tree/scripts/mutate "${@:2}"
    [[ $output == *"$1"* ]]
}

@test "scripts: mutate tells killed edits from those that survive, and goes on where it stopped" {
    tiny_tree
    run -1 tree/scripts/mutate --count 99 --limit 3 --state state --report report.md --at-least 85
    [[ $output == *"mutants, "*" killed ("*"does not compile"* || $output == *"of the same object code" ]]
    sed -n '/## Survivors/,/## Killed/p' report.md >survivors
    sed -n '/## Killed/,$p' report.md >killed
    # nothing tests unused(), a product tells nothing from one with the factors swapped, and a loop without an end is stopped
    grep -qF 'area.c:14 | arithmetic | `return a + 1;` | `return a - 1;`' survivors
    grep -qF 'area.c:14 | result | `return a + 1;` | `return 0;`' survivors
    grep -qF 'area.c:7 | compare | `while (n < a * b)` | `while (n <= a * b)` | `unit area: exit status 1`' killed
    grep -q 'area.c:8 | statement | .n += 1;. | .(void)0;. | .unit area: stopped after' killed
    if grep -q 'area.c:7' survivors; then false; fi
    cp report.md before
    rm -r state/job0
    run -0 tree/scripts/mutate --count 99 --limit 3 --state state --report report.md --at-least 20
    cmp report.md before
    [ ! -e state/job0 ] # all was known
    # interrupted, and continued by two at a time: the same report
    tree/scripts/mutate --count 99 --limit 3 --state other --report other.md 3>&- &
    sleep 3
    fails_mutate "in use by another run" --count 99 --state other
    kill -TERM $!
    local got=0
    wait $! || got=$?
    [ "$got" = 130 ]
    [ ! -e other.md ]
    tree/scripts/mutate --count 99 --limit 3 --state other --report other.md --jobs 2
    cmp other.md report.md
    echo '/* more */' >>tree/src/misc/area.c
    fails_mutate "other sources" --count 99 --state state
}

@test "scripts: mutate --emulate tests code of the GPU as well, that of survivors with --retry" {
    tiny_tree
    printf 'long unused(long);\nint main(void) { return 3 != unused(2); }\n' >tree/tests/unit/gpu_spare.c
    run -0 tree/scripts/mutate --count 99 --limit 3 --state state --report report.md
    grep -qF 'area.c:14 | result | `return a + 1;` | `return 0;`' <(sed '/## Killed/,$d' report.md)
    run -0 tree/scripts/mutate --count 99 --limit 3 --state state --report report.md --retry --emulate
    grep -qF 'area.c:14 | result | `return a + 1;` | `return 0;` | `unit gpu_spare: exit status 1`' report.md
    if grep -q 'area.c:14' <(sed '/## Killed/,$d' report.md); then false; fi
    [ -x state/job0/tree/build-emulate/unit/gpu_spare ]
    [ ! -e state/job0/tree/build/unit/gpu_spare ]
}

@test "scripts: mutate does not count a test that fails without the edit too" {
    tiny_tree
    printf '@test "once: only the first time (a|b)" {\n    [ ! -e "$GANTRY_BUILD/ran" ]\n    touch "$GANTRY_BUILD/ran"\n}\n' >tree/tests/once.bats
    run -0 tree/scripts/mutate --count 4 --seed 2 --deep --limit 3 --state state --report report.md
    [[ $output == *"bats once fails without an edit (once: only the first time (a|b))"* ]]
    if grep -q 'bats once' report.md; then false; fi
}

@test "scripts: mutate draws the same edits for a seed, and refuses what it cannot do" {
    mutate=$GANTRY_SOURCE/scripts/mutate
    "$mutate" --list --count 40 --seed 3 --folder src/misc/looping >a
    "$mutate" --list --count 40 --seed 3 --folder src/misc/looping >b
    "$mutate" --list --count 40 --seed 4 --folder src/misc/looping >c
    cmp a b
    if cmp -s a c; then false; fi
    [ "$(grep -c '^src/misc/looping/.*:[0-9]*  [a-z]*$' a)" = 40 ]
    for folder in src/minimal src/num/expr/cuda; do
        run -2 "$mutate" --list --folder $folder
        [[ $output == *"$folder: no C files"* ]]
    done
    run -0 "$mutate" --help
    [[ $output == *"--at-least"*"Operators"* ]]
    run -2 "$mutate" --nonsense
    [[ $output == *"--nonsense"* ]]
    run -2 "$mutate" --count 0
    [[ $output == *"0 is not positive"* ]]
    run -2 "$mutate" --at-least 101
    [[ $output == *"not between 0 and 100"* ]]
    run -2 "$mutate" --folder nowhere
    [[ $output == *"nowhere: no C files"* ]]
}

@test "scripts: mutate finds the commands that a bats file runs, however they are called" {
    cat >forms <<'END'
    gantry one x y
    fails 2 "no such file" two x
    fails 1 'of a file' gantry three x
    run -1 gantry four | five
    for i in 1 2; do gantry six; done; [ "$(gantry seven x)" = 1 ]
    eight -q && ! nine
subprocess.run(["gantry", "ten", "-q"]); start = ["eleven", "-a", name]
END
    MUTATE=$GANTRY_SOURCE/scripts/mutate py '
import importlib.machinery, os, re, sys
sys.dont_write_bytecode = True
mutate = importlib.machinery.SourceFileLoader("mutate", os.environ["MUTATE"]).load_module()
found = set(re.findall(mutate.COMMAND, open("forms").read(), re.M))
names = set("one two three four five six seven eight nine ten eleven".split())
assert names <= found, names - found
assert "quiet" not in found and "name" not in found and "a" not in found, found'
}
