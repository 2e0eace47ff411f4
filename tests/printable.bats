# Texts of headers and file names reach no terminal, page or picture as they are: control characters are written out.
load common

# clean FILE: holds no control character but line feeds and tabs, nothing that turns the direction of text, and only UTF-8.
clean() {
    py "
import re, sys
text = open('$1', 'rb').read().decode('utf-8')
found = re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]', text)
assert not found, (found, text)"
}

# hostile NAME: an array whose header holds such characters wherever a text may stand.
hostile() {
    NAME=$1 py '
import os
bad = "a\x1b[2J\x1b]0;b\x07\x08\x7f\x85\u202e\u2028c\r\td"
name = os.environ["NAME"]
open(name + ".cfl", "wb").write(bytes(8))
with open(name + ".hdr", "wb") as f:
    f.write(("# Dimensions\n2 1\n# Type\nfloat32\n# Unit\n\x1b[2Jmm\u202e\n"
        f"# Secret\n{bad}\nmore\x1b\n# {bad}\nvalue\n# Command\n{bad}\nline\n# Files\n{bad}\n# Creator\n{bad}\n# History\n{bad}\nline\n").encode() +
        b"\xff\xfe\x9b\n")'
}

@test "printable: show writes out control characters of headers" {
    hostile x
    gantry show x >page
    clean page
    grep -qF 'a\x1b[2J\x1b]0;b\x07\x08\x7f\xc2\x85\xe2\x80\xae\xe2\x80\xa8c\r' page
    for field in command creator files unit; do
        gantry show --field "$field" x >page
        clean page
        [ "$(wc -l <page)" -eq 1 ]
        grep -qF '\x1b[2J' page
    done
    gantry show --history x >page
    clean page
    grep -qF '\xff\xfe\x9b' page
    # letters of every language stay
    gantry copy --unit 'µ 雪 é' x y
    [ "$(gantry show --field unit y)" = 'µ 雪 é' ]
}

@test "printable: messages write out names and values, on one line" {
    name=$'a\nb\x1b[2J\xc2\x9b\xe2\x80\xae\xff'
    run -1 --separate-stderr gantry stats "$name"
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *'a\nb\x1b[2J\xc2\x9b\xe2\x80\xae\xff'* ]]
    head -c 8 /dev/zero >x.cfl
    for section in Type Spacing Unit Quantity Detector Byte-Order; do
        printf '# Dimensions\n2\n# %s\n\033[2J\302\233\n\357\273\277 and more than thirty-one characters\n' "$section" >x.hdr
        run -1 --separate-stderr gantry show x
        printf '%s\n' "$stderr" >said
        clean said
        [ "$(wc -l <said)" -eq 1 ]
        grep -qF '\x1b[2J\xc2\x9b\n\xef\xbb\xbf' said
    done
    printf '\033[2J\n' >x.hdr
    fails 1 "begins with '\\x1b[2J'" gantry show x
    run -1 --separate-stderr gantry import "$name.tif" y
    printf '%s\n' "$stderr" >said
    clean said
    hostile x
    gantry scale --plan 2 x $'o\x1b[2J' >plan
    clean plan
    printf 'zeros --size 2 "a\033b"\n' >recipe
    gantry run --plan recipe >plan
    clean plan
}

@test "printable: pages and drawings hold no control characters of names and headers" {
    hostile x
    if [ -e "$GANTRY_BUILD/bin/html" ]; then
        gantry html x page.html
        clean page.html
        gantry html --title $'t\x1b\xe2\x80\xae' x page.html
        clean page.html
        gantry html x - >page.html
        clean page.html
    fi
    printf 'iteration,objective\n0,1\n1,2\n' >log.csv
    gantry toplot --title $'t\x1b[2J<&\x01' --label $'l\x02' log.csv plot.svg
    clean plot.svg
    py 'import xml.dom.minidom; xml.dom.minidom.parse("plot.svg")'
}

@test "printable: a header of a hundred thousand sections, and a history of as many steps, take linear time" {
    py '
n = 100000
data = np.zeros(2, "f4")
write("sections", data)
write("texts", data)
with open("sections.hdr", "a") as f:
    f.write("".join(f"# Section{i}\nvalue {i}\n" for i in range(n)))
with open("texts.hdr", "a") as f:
    f.write("# Command\nabc\n" * n + "# History\nabc def\n" * n)'
    # seconds of processor time; these took 10 and more of quadratic copies
    (ulimit -t 5 && gantry show --field type sections)
    (ulimit -t 5 && gantry copy sections y)
    [ "$(grep -c '^# Section' y.hdr)" = 100000 ]
    (ulimit -t 5 && gantry show --field type texts)
    (
        ulimit -t 5
        PYTHONPATH=$GANTRY_SOURCE/python /usr/bin/python3 -c 'import gantry; gantry.read("sections"); gantry.read("texts")'
    )
}

@test "printable: bytes behind the elements of a file are warned of" {
    py 'write("x", np.arange(6, dtype="f4").reshape(2, 3))'
    for e in nii nii.gz nrrd mha; do
        gantry export x "x.$e" 2>/dev/null
        gantry import "x.$e" y 2>said
        run ! grep 'ignored' said
        printf 'something else' >>"x.$e"
        gantry import "x.$e" y 2>said
        grep -q "warning: x.$e: further bytes .*are ignored" said || { echo "$e" >&2; cat said >&2; return 1; }
        same_bytes x y
    done
    # a second stream behind the first, and the zeros that tapes are padded with
    gantry export x x.nii.gz 2>/dev/null
    cp x.nii.gz padded.nii.gz
    head -c 512 /dev/zero >>padded.nii.gz
    gantry import padded.nii.gz y 2>said
    run ! grep 'ignored' said
    py '
import gzip
data = gzip.open("x.nii.gz").read()
gzip.open("x.nii.gz", "wb").write(data + bytes(20))'
    gantry import x.nii.gz y 2>said
    grep -q 'further compressed bytes .*are ignored' said
    same_bytes x y
}
