"""Names and histories that want to run something: for tests/history_hostile.bats, in whose folder this runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
from arrays import write

SHELLS = [["sh"], ["bash"]] + ([["dash"]] if shutil.which("dash") else [])

NAMES = [
    "a\ntouch canary",
    "a\n\ntouch canary\n#",
    "a\rtouch canary",
    "a\r\ntouch canary",
    "\ntouch canary",
    "touch canary\n",
    "a'\ntouch canary\n'",
    "a';touch canary;'",
    'a";touch canary;"',
    "a'\"'\"';touch canary #",
    "$(touch canary)",
    "`touch canary`",
    "${IFS}$(touch${IFS}canary)",
    "a;touch canary",
    "a|touch canary",
    "a&touch canary",
    "a&&touch canary",
    "a>canary",
    "a<canary>canary",
    "-rf",
    "-h",
    "--help",
    "--trust",
    "--log=canary",
    "-",
    "--",
    "@x",
    "@0123456789abcdef",
    "<a:1:b>",
    ">1",
    "=x",
    "x=y",
    "~",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "!!",
    "#",
    "# a",
    "\\",
    "a\\\ntouch canary",
    "a\ttouch\tcanary",
    "a\vtouch canary",
    "a\x1b[2J\x1b]0;touch canary\x07",
    "a\x85touch canary",
    "a\u2028touch canary",
    "a\u2029touch canary",
    "a\u202etouch canary",
    "a\x7f\x01\x1f",
    "é ü 雪",
    "$'\\ntouch canary'",
    "$nl",
    "'\"$nl\"touch canary",
    "%s%n\\041",
    "n" * 200,
    b"a\xff\xfetouch canary",
    b"a\x9btouch canary",
    b"\xc3",
]


def quoted(text):
    return "'" + text.replace("'", "'\\''").replace("\n", "'$'\\n''") + "'"


# Words of one step; ID is what the array x of the step before has.
X = "<x:20:HASH>"
STEPS = [
    f"scale 2 {X} > ;touch",
    "touch canary >",
    "sh -c >",
    f"scale 'two words' {X} >",
    f"scale '$(touch canary)' {X} >",
    f"scale '`touch canary`' {X} >",
    f"scale '2;touch canary' {X} >",
    f"scale --;touch canary;=2 {X} >",
    "scale --;touch${IFS}canary;x 2 " + X + " >",
    "scale --`touch${IFS}canary`=1 2 " + X + " >",
    "scale --$(touch${IFS}canary) 2 " + X + " >",
    "scale --\rtouch 2 " + X + " >",
    "scale --\x1b[2J 2 " + X + " >",
    f"scale --help 2 {X} >",
    f"scale --no-such-option 2 {X} >",
    f"scale 2 {X} /tmp/gantry-canary",
    f"scale 2 {X} ../canary",
    f"scale 2 {X} sub/../../canary",
    f"scale 2 {X} canary",
    f"scale 2 {X} <canary:20:HASH>",
    f"scale 2 {X} </tmp/gantry-canary:20:HASH> >",
    f"scale 2 {X} > --log=canary",
    f"scale 2 {X}",
    "import --raw --size=5 --type=float32 --flats=canary <x.cfl:20:HASH> >",
    "import --raw --size=5 --type=float32 --angles=canary <x.cfl:20:HASH> >",
    "denoise --denoiser=" + quoted("touch canary {in} {out}") + f" --method=external {X} >",
    "denoise --denoiser='sh'\\'' -c' --method=external " + X + " >",
    "recon --denoiser=" + quoted("touch canary {in} {out}") + f" --iterations=1 --regularise='pnp:external:1' {X} {X} >",
    f"cg --log=canary --iterations=1 {X} {X} >",
    f"cg --log=<canary:1:b> --iterations=1 {X} {X} >",
    f"cg --checkpoint=canary --every=1 --iterations=1 {X} {X} >",
    f"cg --save-as=canary --save-every=1 --iterations=1 {X} {X} >",
    f"rof --curve=canary --lambda=0.1 {X} >",
    "run <recipe:20:HASH>",
    "run <recipe:20:HASH> >",
    "run recipe >",
    f"expr 'x = 1' 'x=canary' {X} >",
    f"expr 'x + 1' {X} canary >",
    "expr 'y = 1' 'y=/tmp/gantry-canary' >",
    f"expr 'y = 1; y + 1' y={X} >",
    "expr 'y\t= 1; y + 1' y=<x:20:unhashed> >",
    "expr 'w = 1; y = 2' <x:20:unhashed> w=>",
    f"expr 'y = v; z = v + 1; z' <x:20:unhashed> v={X} y=>",
    f"expr <'y = 1':0:folder> {X} >",
    f"expr --type '-qtfloat32' 'y = 1' {X} >",
    f"join --loop '--quiet' x {X} >",
    "toimg " + X + " canary",
    "toimg " + X + " >",
    f"export {X} canary.tif",
    "html " + X + " <canary:1:b> >",
    "bench --csv=canary expr >",
    "history --trust " + X + " >",
    "geom --draw=canary.svg " + X + " >",
    "gantry scale 2 " + X + " >",
    "help >",
    "scale 2 <'a'$'\\n''touch canary':20:HASH> >",
    "scale 2 <'-rf':20:HASH> >",
    "scale 2 <../../../../../../etc/passwd:20:HASH> >",
    "scale 2 <a/..:20:HASH> >",
    "scale 2 <..:20:folder> >",
    "scale 2 <x:20:-rf> >",
    "scale 2 @0123456789abcdef >",
    "copy --unit=" + quoted("1/mm\ntouch canary") + f" {X} >",
    "copy --unit=" + quoted("\x1b]0;x\x07") + f" {X} >",
    "scale 2 " + "<x:20:HASH> " * 50 + ">",
    "scale " + "2" * 100000 + f" {X} >",
    f"--loop=x scale 2 {X} >",
    f"scale --loop='$(touch canary)' 2 {X} >",
]

HEADERS = [
    "not a history\ntouch canary\n",
    "0123456789abcdef: scale 2 <x:20:b> >\ntouch canary\n",
    "@0123456789abcdef.1\ntouch canary\n",
    "$(touch canary)\n",
    "beside 10 0123456789abcdef0123456789abcdef\n",
]

BOILERPLATE = re.compile(rb"(#.*|set -eu|nl='|'|trap 'rm -f [^';$`]*' EXIT|trap 'exit 1' HUP INT TERM|"
                         rb"echo 'step [0-9a-f]{16} is left out: read this script' >&2|exit 1)$")


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False,
                          timeout=60, **more)


def known():
    with open(os.environ["GANTRY_BUILD"] + "/gen/tools.inc", encoding="ascii") as f:
        return [line[5:-1].encode() for line in f.read().split()]


def check_lines(script, tools, what):
    """Every line is a comment, one of the few that all scripts have, or words of a command of ours."""
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", script), (what, "control characters", script)
    for line in script.split(b"\n")[:-1]:
        if BOILERPLATE.match(line):
            continue
        words = shlex.split(line.decode("utf-8"))
        assert words[0] == "gantry" and words[1].encode() in tools, (what, line)
        # outside quotes stands nothing that a shell knows, but the characters from printf and $nl
        bare = re.sub(rb"\\'|'[^']*'|\"\$nl\"|\"\$\(printf '(\\[0-7]{3})+'\)\"", b"", line)
        assert not re.search(rb"[^A-Za-z0-9_./:,+@%= -]", bare), (what, line, bare)


def run_script(script, what, originals, result=None):
    """In an empty folder with the originals: nothing runs that is not ours; returns the statuses."""
    statuses = []
    for shell in SHELLS:
        shutil.rmtree("again", ignore_errors=True)
        os.makedirs("again/in")
        for name in originals:
            shutil.copy(name, b"again/in/" + name)
        done = subprocess.run(shell, input=script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="again/in",
                              check=False, timeout=60)
        for folder in ("again", "again/in", "."):
            made = [n for n in os.listdir(folder) if n.startswith("canary")]
            assert not made, (what, shell, made)
        assert not os.path.exists("/tmp/gantry-canary.cfl"), what
        for name in originals:
            with open(name, "rb") as f, open(b"again/in/" + name, "rb") as g:
                assert f.read() == g.read(), (what, shell, name)
        left = [n for n in os.listdir("again/in") if n.startswith((".", "gantry-"))]
        assert not left, (what, shell, left)
        statuses.append(done.returncode)
        if done.returncode == 0 and result is not None:
            name, data = result
            with open(b"again/in/" + name + b".cfl", "rb") as f:
                assert f.read() == data, what
        if done.returncode != 0:
            assert done.stderr.startswith((b"gantry ", b"step ")), (what, done.stderr)
    assert len(set(statuses)) == 1, (what, statuses)
    return statuses[0]


def as_bytes(name):
    return name if isinstance(name, bytes) else name.encode()


def pair(name):
    return [name + b".cfl", name + b".hdr"]


def names():
    """Arrays of these names, and arrays made from originals of these names."""
    tools = known()
    write("x", np.arange(5, dtype="f4"))
    for name in map(as_bytes, NAMES):
        here = b"./" + name
        assert run("gantry", "scale", "2", "x", here).returncode == 0, name
        made = run("gantry", "history", here)
        assert made.returncode == 0, (name, made.stderr)
        check_lines(made.stdout, tools, name)
        with open(name + b".cfl", "rb") as f:
            data = f.read()
        assert run_script(made.stdout, name, [b"x.cfl", b"x.hdr"], (name, data)) == 0, name

        shutil.copy("x.cfl", name + b".cfl")
        shutil.copy("x.hdr", name + b".hdr")
        assert run("gantry", "scale", "2", here, "result").returncode == 0, name
        made = run("gantry", "history", "result")
        check_lines(made.stdout, tools, name)
        assert run_script(made.stdout, name, pair(name), (b"result", data)) == 0, name
        for path in pair(name):
            os.unlink(path)


def forged(words):
    """A header whose last step is these words, with the ID that they need."""
    with open("words", "wb") as f:
        f.write(words.encode())
    step = run("gantry", "import", "--raw", "--type", "uint8", "--size", str(os.path.getsize("words")), "words", "of-words")
    assert step.returncode == 0, step.stderr
    with open("of-words.hdr", encoding="ascii") as f:
        identity = re.search(r"<words:[0-9]*:([0-9a-f]{16})", f.read()).group(1)
    return f"{identity}: {words}\n"


def forge(history):
    with open("forged.hdr", "wb") as f:
        f.write(b"# Dimensions\n5\n# Type\nfloat32\n# History\n" + history.encode())
    shutil.copy("x.cfl", "forged.cfl")


def histories():
    """Histories that somebody has written; the originals they name are there."""
    tools = known()
    write("x", np.arange(5, dtype="f4"))
    with open("recipe", "w", encoding="ascii") as f:
        f.write("zeros --size 5 canary\n")
    assert run("gantry", "scale", "2", "x", "y").returncode == 0
    with open("y.hdr", encoding="ascii") as f:
        of_x = re.search(r"<x:20:([0-9a-f]*)>", f.read()).group(1)
    done = 0
    for words in STEPS:
        forge(forged(words.replace("HASH", of_x)))
        made = run("gantry", "history", "forged")
        if made.returncode == 0:
            check_lines(made.stdout, tools, words)
            done += run_script(made.stdout, words, [b"x.cfl", b"x.hdr", b"recipe"]) == 0
        else:
            assert made.returncode == 1 and made.stderr.startswith(b"gantry history: ") and not made.stdout, words
    for text in HEADERS:
        forge(text)
        made = run("gantry", "history", "forged")
        assert made.returncode == 1 and not made.stdout, text
    print(done, "of", len(STEPS), "ran to their end")


if __name__ == "__main__":
    {"names": names, "histories": histories, "forge": lambda: forge(forged(sys.argv[2]))}[sys.argv[1]]()
