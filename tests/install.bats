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
    [ "$(find "$top/include" -type f)" = "$top/include/gantry.h" ]
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
    # with functions whose names are those of inner ones
    cat >prog.c <<'END'
#include <stdio.h>
#include <string.h>
#include <gantry.h>

int fft(int n);
void error(const char *why);
long md_copy(const long dims[]);

int fft(int n) { return -n; }
void error(const char *why) { printf("mine: %s\n", why); }
long md_copy(const long dims[]) { return dims[0] * dims[1]; }

int main(void)
{
	struct gantry_array *x = gantry_open("x");
	const float *v = gantry_read(x);
	struct gantry_array *y = gantry_create("y", "float64", 2, gantry_dims(x));
	double *w = gantry_write(y), sum = 0;

	for (long i = 0; i < gantry_count(x); i++)
		sum += w[i] = v[i] + i;
	printf("%s %d %g %ld %d\n", gantry_type(x), gantry_rank(x), sum, md_copy(gantry_dims(x)), fft(1));
	error(gantry_version());
	gantry_close(x);
	gantry_close(y);
	gantry_open("none");
	return 0;
}
END
    cat >want <<END
float32 2 210 20 -1
mine: $(gantry --version | sed -n 's/^gantry //p')
END
    proved() {
        run -1 --separate-stderr ./prog
        diff want - <<<"$output"
        [[ $stderr == "gantry: none.hdr: "* ]]
        [ "$(gantry show --field dims y)" = 5:4 ]
        [ "$(gantry show --range 19:20 y)" = 20 ]
        rm y.hdr y.cfl
    }
    gantry ones --size 5:4 x
    read -ra flags < <(pkg-config --cflags --libs gantry)
    cc -o prog prog.c "${flags[@]}"
    LD_LIBRARY_PATH=$PWD/here/lib proved
    LD_LIBRARY_PATH=$PWD/here/lib ldd ./prog | grep -q "here/lib/libgantry.so.0"

    rm here/lib/libgantry.so*
    read -ra flags < <(pkg-config --static --cflags --libs gantry)
    cc -o prog prog.c "${flags[@]}"
    proved
}

@test "install: the public library exports what gantry.h declares and nothing else" {
    grep -o '\bgantry_[a-z]*(' "$GANTRY_SOURCE/include/gantry.h" | tr -d '(' | sort -u >want
    nm -D --defined-only "$GANTRY_BUILD/lib/libgantry.so" | awk '{ print $3 }' | sort >exported
    diff want exported
    nm --defined-only --extern-only "$GANTRY_BUILD/lib/libgantry.a" | awk 'NF == 3 && $3 !~ /^[.]/ { print $3 }' | sort | diff want -
}

@test "install: stripped, it takes less than 25 MB" {
    sanitized && skip "the build has sanitizers"
    quiet_make install-files PREFIX="$PWD/small"
    quiet_make install-strip PREFIX="$PWD/small" -o install-files
    [ "$(du -sm small | cut -f1)" -lt 25 ]
    small/bin/gantry ones --size 3 x
    # one program under all names, which does not hang on the name it is given
    [ "$(find small/libexec/gantry -samefile small/libexec/gantry/ones | wc -l)" -gt 90 ]
    (exec -a other small/libexec/gantry/scale 2 x y)
    [ "$(gantry show --data y)" = "2 2 2" ]
    fails 1 "must be called by the name of a command, found '.commands'" small/libexec/gantry/.commands
}

@test "install: the shared library needs nothing that it does not name" {
    sanitized && skip "the build has sanitizers"
    echo 'int main(void) { return 0; }' >main.c
    cc -o main main.c -Wl,--no-as-needed "$GANTRY_BUILD/lib/libgantry.so" -Wl,--no-undefined
    LD_BIND_NOW=1 LD_LIBRARY_PATH=$GANTRY_BUILD/lib ./main 2>said.txt || {
        ldd -r "$GANTRY_BUILD/lib/libgantry.so" >&2
        cat said.txt >&2
        return 1
    }
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
        tr '\n' ' ' <"$page" | grep -q 'FFTW.*GNU General Public License.*make FFTW=0'
    done
    make -s -C "$GANTRY_SOURCE" O="$PWD/b" CUDA=0 FFTW=0 "$PWD/b/flags_link"
    if grep -q fftw b/flags_link; then false; fi
}
