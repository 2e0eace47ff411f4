"""Running the tools: arrays go in and come out through files in a temporary folder."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from .files import read, write
from .header import GantryError, Header


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
    inputs   the arrays, in the tool's order: NumPy arrays, file names, or pairs (array, Header) to hand on spacing and the like
    out      name(s) for the output(s); without it they go through a temporary folder and come back in memory
    outputs  how many outputs to ask for, where the tool has optional ones
    header   True returns (array, Header) for each output
    options  more options: like="vol", weights=w (arrays too), size=(64, 64, 64), nonneg=True

    Returns the output array; a tuple when there are several; what the tool printed when there is none.
    Raises GantryError with the tool's own message, and its exit status in .status.
    """
    words = shlex.split(command)
    names = [out] if isinstance(out, (str, os.PathLike)) else list(out or [])
    count = outputs if outputs is not None else len(names) or _required_outputs(words[0])
    if names and len(names) != count:
        raise ValueError(f"out={out!r}: expected {count} names")
    with tempfile.TemporaryDirectory(prefix="gantry-", dir=os.environ.get("GANTRY_TMPDIR")) as folder:
        for key, value in options.items():
            words += _option(key, value, folder)
        words += [_file(x, folder, f"in{i}") for i, x in enumerate(inputs, 1)]
        targets = [os.fspath(n) for n in names] or [os.path.join(folder, f"out{i + 1}") for i in range(count)]
        printed = _call(words + targets)
        results = [_result(t, keep=bool(names)) for t in targets]
    if not results:
        return printed
    results = results if header else [array for array, _ in results]
    return results[0] if count == 1 else tuple(results)


def _call(words):
    done = subprocess.run([find_command(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="surrogateescape", check=False)
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip() or f"gantry {words[0]}: ended with status {done.returncode}"
        raise GantryError(said, done.returncode)
    return done.stdout.rstrip("\n")


@lru_cache(maxsize=None)
def _interface(tool, command):
    del command  # part of the key: another gantry may have other tools
    return json.loads(_call([tool, "--interface"]))


def _required_outputs(tool):
    arguments = _interface(tool, find_command())["arguments"]
    return sum(1 for a in arguments if a["kind"] == "output" and not a["optional"])


def _option(key, value, folder):
    name = "--" + key.replace("_", "-")
    if value is True:
        return [name]
    if value is None or value is False:
        return []
    if isinstance(value, np.ndarray) or _is_pair(value):
        return [name, _file(value, folder, "option-" + key)]
    if isinstance(value, (tuple, list)):
        return [name, ":".join(str(x) for x in value)]
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _is_pair(x):
    return isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], Header)


def _file(x, folder, stem):
    """Name of a file with this input."""
    if isinstance(x, (str, os.PathLike)):
        return os.fspath(x)
    path = os.path.join(folder, stem)
    array, head = x if _is_pair(x) else (x, None)
    write(path, array, head)
    return path


def _result(path, keep):
    array, head = read(path, header=True)
    return (array if keep else np.array(array, order="F")), head
