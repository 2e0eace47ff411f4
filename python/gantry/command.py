"""Running the tools: arrays go in and come out through files in a temporary folder."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np

from .array import Array, attach, carried, checksum
from .files import read, write
from .header import GantryError, GantryWarning, Header


def find_command():
    """Path of the gantry command: $GANTRY, then PATH, then build/bin of the source tree this file lies in."""
    if os.environ.get("GANTRY"):
        return os.environ["GANTRY"]
    found = shutil.which("gantry")
    if found:
        return found
    built = Path(__file__).resolve().parents[2] / "build" / "bin" / "gantry"
    if built.exists():
        return str(built)
    raise GantryError("found no gantry command: put it on PATH or its path into the environment variable GANTRY")


def run(command, *inputs, out=None, outputs=None, header=False, **options):
    """Runs a tool: run("wls -i 30", geom, proj) returns the reconstruction.

    command  the tool with its options and plain words, as after "gantry" in a shell
    inputs   the arrays, in the tool's order: NumPy arrays, file names, or pairs (array, Header). An Array, as read() and run()
             return it, passes its header on; a plain array beside a geometry is warned about, since its grid is unknown
    out      name(s) for the output(s); without it they go through a temporary folder and come back in memory
    outputs  how many outputs to ask for, where the tool has optional ones
    header   True returns (array, Header) for each output
    options  more options: like="vol", weights=w (arrays too), size=(64, 64, 64), nonneg=True

    Returns the output, an Array; a tuple when there are several; what the tool printed when there is none.
    Raises GantryError with the tool's own message, and its exit status in .status. The tool's warnings come as
    GantryWarning. An interrupt is passed on to the tool and raised when the tool has ended and removed its temporaries.
    """
    words = shlex.split(command)
    names = [out] if isinstance(out, (str, os.PathLike)) else list(out or [])
    count = outputs if outputs is not None else len(names) or _required_outputs(words[0])
    if names and len(names) != count:
        raise ValueError(f"out={out!r}: expected {count} names")
    with tempfile.TemporaryDirectory(prefix="gantry-", dir=os.environ.get("GANTRY_TMPDIR")) as folder:
        bare = set()
        for key, value in options.items():
            words += _option(key, value, folder, bare)
        words += [_file(x, folder, f"in{i}", bare) for i, x in enumerate(inputs, 1)]
        for sentence in _without_grid(words, bare):
            warnings.warn(sentence, GantryWarning, stacklevel=2)
        targets = [os.fspath(n) for n in names] or [os.path.join(folder, f"out{i + 1}") for i in range(count)]
        printed, said = _call(words + targets, folder)
        for sentence in _warnings(said):
            warnings.warn(sentence, GantryWarning, stacklevel=2)
        results = [_result(t, keep=bool(names)) for t in targets]
    if not results:
        return printed
    results = results if header else [array for array, _ in results]
    return results[0] if count == 1 else tuple(results)


def _call(words, folder=""):
    """What the tool printed, and what it said on standard error: there files in the folder go by their names alone."""
    with subprocess.Popen([find_command(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="surrogateescape") as child:
        printed, said = _end_of(child)
    said = said.replace(os.path.join(folder, ""), "") if folder else said
    if child.returncode != 0:
        raise GantryError(said.strip() or printed.strip() or f"gantry {words[0]}: ended with status {child.returncode}",
                          child.returncode)
    return printed.rstrip("\n"), said


def _end_of(child):
    """The child's output, once it has ended. Whatever interrupts us ends it first, and it removes its temporaries."""
    interrupt = None
    while True:
        try:
            output = child.communicate()
            break
        except KeyboardInterrupt as e:  # a second one, too
            interrupt = e
            child.send_signal(signal.SIGINT)
        except BaseException:
            child.terminate()
            child.wait()
            raise
    if interrupt is not None:
        raise interrupt
    return output


def _warnings(said):
    """The warnings among a tool's messages; a message begins with "gantry", its further lines do not."""
    for message in re.split(r"^(?=gantry )", said, flags=re.MULTILINE):
        if ": warning: " in message.partition("\n")[0]:
            yield message.strip().replace("warning: ", "", 1)


@lru_cache(maxsize=None)
def _interface(tool, command):
    del command  # part of the key: another gantry may have other tools
    return json.loads(_call([tool, "--interface"])[0])


def _required_outputs(tool):
    arguments = _interface(tool, find_command())["arguments"]
    return sum(1 for a in arguments if a["kind"] == "output" and not a["optional"])


def _without_grid(words, bare):
    """A sentence for each plain array (the names of their files are in `bare`) that meets a geometry."""
    interface = _interface(words[0], find_command()) if bare else {"arguments": []}
    if not any(a["name"] == "GEOM" for a in interface["arguments"]):
        return
    for place, word in _places(words[1:], interface):
        if word in bare and place in ("VOL", "--like"):
            yield (f"gantry {words[0]}: {place} is an array without a grid: voxels of 1 mm, centred on 0, are assumed "
                   "(gantry.Array(x, spacing=...) gives it one)")
        if word in bare and place == "PROJ":
            yield (f"gantry {words[0]}: {place} is an array without a header: its grid is taken from GEOM, its values as they are "
                   "(gantry.Array(x, quantity=...) says what they are)")


def _places(words, interface):
    """(ARGUMENT or --option, its word) for the words of a command line."""
    takes = {o["long"]: o["kind"] != "flag" and not o["value_optional"] for o in interface["options"]}
    longs = {o["short"]: o["long"] for o in interface["options"] if "short" in o}
    names = iter(a["name"] for a in interface["arguments"])
    words = iter(words)
    for word in words:
        if re.match(r"--.", word):
            name, equals, value = word[2:].partition("=")
            name = next((full for full in sorted(takes, key=len) if full.startswith(name)), name)
        elif re.match(r"-[A-Za-z]", word):
            name, equals, value = longs.get(word[1], ""), word[2:], word[2:]
        else:
            if word != "--":
                yield next(names, ""), word
            continue
        if takes.get(name):
            yield "--" + name, value if equals else next(words, "")


def _option(key, value, folder, bare):
    name = "--" + key.replace("_", "-")
    if value is True:
        return [name]
    if value is None or value is False:
        return []
    if isinstance(value, np.ndarray) or _is_pair(value):
        return [name, _file(value, folder, "option-" + key, bare)]
    if isinstance(value, (tuple, list)):
        return [name, ":".join(str(x) for x in value)]
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _is_pair(x):
    return isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], Header)


def _file(x, folder, stem, bare):
    """Name of a file with this input; of one without a header it goes into `bare`."""
    if isinstance(x, (str, os.PathLike)):
        return os.fspath(x)
    path = os.path.join(folder, stem)
    array, head = x if _is_pair(x) else (x, None)
    if head is None and carried(array) is None:
        bare.add(path)
    write(path, array, head)
    return path


def _result(path, keep):
    array, head = read(path, header=True)
    if not keep:
        array = attach(Array(np.array(array, order="F")), array.header, checksum(array))
    return array, head
