# make install into an empty folder, use from there, make uninstall.

load common

# "make TARGET" with what the build under test was made with.
quiet_make() {
    local cuda=0
    "$GANTRY_BUILD/bin/gantry" --version | grep -q '^CUDA: no ' || cuda=1
    make -s -C "$GANTRY_SOURCE" O="$GANTRY_BUILD" CUDA=$cuda "$@" >make.log 2>&1 || {
        cat make.log >&2
        return 1
    }
}

# installed: a copy of one installation, in `here`, as if it had been made there.
installed() {
    local all=$BATS_FILE_TMPDIR/here
    [ -d "$all" ] || quiet_make install-files PREFIX="$all"
    cp -rl "$all" here
    sed -i "s|$all|$PWD/here|" here/lib/pkgconfig/gantry.pc
}

@test "install: everything is there, works from there, and uninstall takes it away" {
    quiet_make install-files PREFIX=/opt/ct DESTDIR="$PWD/root"
    top=$PWD/root/opt/ct
    PATH=/usr/bin:/bin

    [ "$("$top/bin/gantry" --exec-path)" = "$top/libexec/gantry" ]
    "$top/bin/gantry" ones --size 4:4 x
    "$top/bin/gantry" saxpy 1 x x y
    [ "$(ls "$top/bin")" = gantry ]
    "$top/bin/gantry" help >help
    for tool in $(sed -n 's/^TOOL(\(.*\))$/\1/p' "$GANTRY_BUILD/gen/tools.inc"); do
        [ -x "$top/libexec/gantry/$tool" ]
        [ -s "$top/share/man/man1/gantry-$tool.1" ]
        grep -q "^  $tool " help
    done
    [ -s "$top/share/man/man1/gantry.1" ]
    bash -n "$top/share/bash-completion/completions/gantry"
    [ -s "$top/share/zsh/site-functions/_gantry" ]
    [ -s "$top/share/fish/vendor_completions.d/gantry.fish" ]
    [ -s "$top/share/gantry/matlab/readcfl.m" ]
    [ -s "$top/share/gantry/python/gantry/__init__.py" ]
    [ -s "$top/lib/libgantry.a" ]
    [ -s "$top/lib/libgantry.so" ]
    [ -s "$top/include/gantry/misc/cfl.h" ]
    grep -qx 'prefix=/opt/ct' "$top/lib/pkgconfig/gantry.pc"

    quiet_make uninstall PREFIX=/opt/ct DESTDIR="$PWD/root"
    [ -z "$(find root ! -type d)" ]
    [ -z "$(find root -name '*gantry*')" ]
}

@test "install: a symbolic link to the front command finds the tools" {
    installed
    mkdir elsewhere
    ln -s ../here/bin/gantry elsewhere/gantry
    elsewhere/gantry zeros --size 3 a
    [ -f a.cfl ]
    mv here there
    there/bin/gantry zeros --size 3 b
    [ -f b.cfl ]
}

@test "install: a program builds and runs with pkg-config, shared and static" {
    sanitized && skip "the build has sanitizers"
    command -v pkg-config >/dev/null || skip "pkg-config is not installed"
    installed
    export PKG_CONFIG_PATH=$PWD/here/lib/pkgconfig
    pkg-config --modversion gantry | grep -qx '[0-9.]*'
    cat >prog.c <<'END'
#include <stdio.h>
#include <misc/cfl.h>
#include <misc/error.h>

int main(void)
{
	struct cfl *x = cfl_open("x");
	const float *v = cfl_map(x);
	float sum = 0;
	for (long i = 0; i < x->count; i++)
		sum += v[i];
	printf("%g\n", sum);
	cfl_close(x);
	return 0;
}
END
    gantry ones --size 5:4 x
    read -ra flags < <(pkg-config --cflags --libs gantry)
    cc -o prog prog.c "${flags[@]}"
    [ "$(LD_LIBRARY_PATH=$PWD/here/lib ./prog)" = 20 ]
    LD_LIBRARY_PATH=$PWD/here/lib ldd ./prog | grep -q "here/lib/libgantry.so.0"

    rm here/lib/libgantry.so*
    read -ra flags < <(pkg-config --static --cflags --libs gantry)
    cc -o prog prog.c "${flags[@]}"
    [ "$(./prog)" = 20 ]
}

@test "install: the shared library needs nothing that it does not name" {
    sanitized && skip "the build has sanitizers"
    echo 'int main(void) { return 0; }' >main.c
    cc -o main main.c -Wl,--no-as-needed "$GANTRY_BUILD/lib/libgantry.so" -Wl,--no-undefined
    ln -s "$GANTRY_BUILD/lib/libgantry.so" libgantry.so.0
    LD_BIND_NOW=1 LD_LIBRARY_PATH=$PWD ./main 2>said.txt || {
        ldd -r "$GANTRY_BUILD/lib/libgantry.so" >&2
        cat said.txt >&2
        return 1
    }
}

@test "install: the library does not take the C library's error() and warn()" {
    run ! bash -c "nm -D --defined-only '$GANTRY_BUILD/lib/libgantry.so' | grep -wE 'error|warn|err|errx|warnx'"
}

@test "install: LICENSE names every library that is linked and what it means; FFTW=0 links none that is under the GPL" {
    installed
    licence=here/share/gantry/LICENSE
    cmp "$licence" "$GANTRY_SOURCE/LICENSE"
    system=' c m dl gcc gomp omp pthread rt stdc++ '
    for word in $(cat "$GANTRY_BUILD/flags_link"); do
        [[ $word == -l* && $system != *" ${word#-l} "* ]] || continue
        word=${word#-l}
        grep -qw "lib${word%_static}" "$licence" || { echo "lib$word is not in LICENSE"; false; }
    done
    for page in "$licence" "$GANTRY_SOURCE/README.md"; do
        tr '\n' ' ' <"$page" | grep -q 'links\{0,1\} FFTW.*GNU General Public License.*make FFTW=0'
    done
    make -s -C "$GANTRY_SOURCE" O="$PWD/b" CUDA=0 FFTW=0 "$PWD/b/flags_link"
    if grep -q fftw b/flags_link; then false; fi
}
