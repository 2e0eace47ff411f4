"""Arrays on disk as NumPy arrays: the pair NAME.hdr, NAME.cfl, streams, and .npy."""

import errno
import fcntl
import os
import secrets
import stat
import sys
import zlib
from contextlib import contextmanager

import numpy as np

from .array import Array, attach, carried, checksum, slabs
from .header import DTYPES, GantryError, Header, check, format_header, parse, trimmed

CREATOR = "gantry-python 0.1.0"
STREAM = b"GANTRY-STREAM 1 "


# ---- reading ----------------------------------------------------------------

def read(name, header=False, mode="r"):
    """The array of that name, mapped into memory and not copied: NAME, NAME.cfl or NAME.hdr; NAME.npy; "-" for a
    stream on standard input. Trailing dimensions of 1 are dropped, element [i, j, k] is element (i, j, k) of the file.
    It is an Array, which knows its header; of a .npy file, which has none, a plain map.

    header  True returns the pair (array, Header)
    mode    "r" read-only, "c" changes stay in memory, and the history in the file; the file never changes
    complex32 comes as complex64, since NumPy has no such type; these and streams are copied.
    """
    if mode not in ("r", "c"):
        raise ValueError(f"mode {mode!r}: expected 'r' or 'c'")
    text = os.fspath(name)
    if text == "-":
        array, head = _read_stream(sys.stdin.buffer)
    elif text.endswith(".npy"):
        _open(text).close()
        array = np.load(text, mmap_mode=mode)
        head = _header_of(array)
    else:
        array, head = _read_pair(_stem(text), mode)
    return (array, head) if header else array


def read_header(name):
    """The Header of that array, without opening its data."""
    text = os.fspath(name)
    if text.endswith(".npy") or text == "-":
        return read(name, header=True)[1]
    with _open_header(_stem(text)) as f:
        return _parse_file(f, _stem(text))


def _stem(text):
    """NAME of NAME, NAME.cfl and NAME.hdr."""
    if text.endswith(".ra"):
        raise GantryError(f"{text}: raw array files are read by 'gantry copy {text} NAME'")
    return text[:-4] if text.endswith((".cfl", ".hdr")) else text


def tied(text, data_path):
    """NAME.cfl~TIE: where the data that belong to this text of a header stand until a commit is complete (doc/format.md)."""
    return f"{data_path}~{zlib.crc32(text):08x}"


def _tied_to(path, data_path):
    """The same for the header at path; None where there is no such header or no such data."""
    try:
        with _open(path) as f:
            data = tied(f.read(), data_path)
    except OSError:
        return None
    return data if os.path.exists(data) else None


def _open(path):
    """Opens a regular file for reading; never waits for the writer of a FIFO."""
    f = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
    if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
        f.close()
        raise OSError(errno.EINVAL, "not a regular file", path)
    return f


def _paths(stem):
    """Header and data of that name, symbolic links followed."""
    return os.path.realpath(stem + ".hdr"), os.path.realpath(stem + ".cfl")


def _open_header(stem):
    """NAME.hdr~ where it and the data tied to it exist, else NAME.hdr."""
    text_path, data_path = _paths(stem)
    _finish(text_path, data_path, os.path.realpath(stem + ".history"))
    for _ in range(1000):
        if _tied_to(text_path + "~", data_path):
            try:
                return _open(text_path + "~")
            except FileNotFoundError:
                continue  # it has got its final name meanwhile
        return _open(text_path)
    raise GantryError(f"{text_path}: changes faster than it can be read")


def _open_data(stem, text, committed):
    """The data of a header: those tied to its text where they have no other name yet."""
    path = _paths(stem)[1]
    names = [tied(text, path)] if committed else [path, tied(text, path), path]
    for name in names[:-1]:
        try:
            return _open(name)
        except FileNotFoundError:
            pass
    return _open(names[-1])


def _parse_file(f, stem):
    return _parse_text(f.read(), f.name, stem)


def _parse_text(text, name, stem):
    head = parse(text.decode("utf-8", "surrogateescape"), name)
    if head.history and head.history.startswith("beside "):
        head = head.changed(history=_history_beside(os.path.realpath(stem + ".history"), head.history))
    return head


def _history_beside(path, pointer):
    """A long history stands in NAME.history; the header has its size in bytes and its hash."""
    for candidate in (path, path + "~"):
        try:
            with open(candidate, "rb") as f:
                text = f.read()
        except FileNotFoundError:
            continue
        if str(len(text)) == pointer.split()[1]:
            return text.decode("utf-8", "surrogateescape").rstrip("\n")
    return None


def _same_file(stem, fd):
    """Whether the header opened as fd is still the one a reader would open now."""
    try:
        with _open_header(stem) as now:
            return os.path.samestat(os.fstat(now.fileno()), os.fstat(fd))
    except FileNotFoundError:
        return False


def _read_pair(stem, mode):
    """Header and data of one commit: when a writer replaced the pair in between, look again."""
    for attempt in range(100):
        with _open_header(stem) as h:
            committed = h.name.endswith("~")
            text = h.read()
            head = _parse_text(text, h.name, stem)
            try:
                data = _open_data(stem, text, committed)
            except FileNotFoundError:  # data of a commit get their final name before their header does
                if attempt < 99 and (committed or not _same_file(stem, h.fileno())):
                    continue
                raise
            with data:
                if attempt < 99 and not committed and not _same_file(stem, h.fileno()):
                    continue
                return _map(data, head, mode), head
    raise GantryError(f"{stem}: was replaced by another program again and again while it was read")


def _map(data, head, mode):
    found = os.fstat(data.fileno()).st_size
    expected = head.count * head.dtype.itemsize
    if found != expected:
        shape = " x ".join(str(n) for n in head.dims)
        raise GantryError(f"{data.name}: found {found} bytes, expected {expected} ({shape} {head.type})")
    array = np.memmap(data, dtype=head.dtype, mode=mode, shape=head.dims, order="F")
    return _with_header(array, head, fixed=mode == "r")


def _with_header(array, head, fixed):
    """The Array that read() returns; fixed: its elements cannot change."""
    if head.type == "complex32":
        array = _halves_to_complex(array)
    if head.type == "complex32" or not fixed:
        head = head.changed(history=None)
    return attach(Array(array), head)


def _halves_to_complex(array):
    out = np.empty(array.shape, np.complex64, order="F")
    out.real = array["real"]
    out.imag = array["imag"]
    return out


def _read_stream(f):
    line = f.readline(64)
    number = line[len(STREAM):].strip()
    if not line.startswith(STREAM) or not number.isdigit():
        raise GantryError(f"standard input: found {line[:24]!r}, expected a 'GANTRY-STREAM 1' line")
    head = parse(f.read(int(number)).decode("utf-8", "surrogateescape"), "standard input")
    expected = head.count * head.dtype.itemsize
    buffer = bytearray(f.read(expected + 1))
    if len(buffer) != expected:
        raise GantryError(f"standard input: found {'more than ' if len(buffer) > expected else ''}"
                          f"{min(len(buffer), expected)} bytes of elements, expected {expected}")
    array = _with_header(np.frombuffer(buffer, head.dtype).reshape(head.dims, order="F"), head, fixed=True)
    return attach(array, array._head, checksum(array)), head


# ---- writing ----------------------------------------------------------------

def write(name, array, header=None, *, type=None, spacing=None, origin=None, quantity=None, unit=None, detector=None):
    """Writes the array under that name ("-": a stream on standard output), whole or not at all: the old pair stays until the new one
    is complete. Elements are kept as they are; type="complex32" (or any other type name) converts.

    header   Header whose spacing, origin, quantity, unit, detector and unknown sections are taken over;
             without it, that of an Array
    spacing  mm between neighbours, a number or one per dimension
    origin   mm, centre of element 0, one per dimension; without it the grid is centred on 0
    quantity "counts", "transmission", "line-integral", "attenuation", "hounsfield", "weights", "mask" or "geometry"
    The history of an Array is written when nothing of its elements and of its header has changed.
    """
    array = np.asanyarray(array)
    own = carried(array)
    head = _header_of(array, type)
    given = header or own
    if given is not None:
        head = given.changed(dims=head.dims, type=head.type, history=None)
    given = {"spacing": _per_dim(spacing, head.dims), "origin": _per_dim(origin, head.dims), "quantity": quantity,
             "unit": unit, "detector": None if detector is None else tuple(detector)}
    head = head.changed(**{key: value for key, value in given.items() if value is not None})
    if own is not None and head.same_array(own):
        head = head.changed(history=own.history)
    check(head)
    text = os.fspath(name)
    if text == "-":
        _write_stream(sys.stdout.buffer, array, head)
    elif text.endswith(".npy"):
        _write_npy(text, array, head)
    else:
        _write_pair(_stem(text), array, head)


def _header_of(array, type=None):
    kind = type or array.dtype.name
    if kind not in DTYPES:
        raise ValueError(f"type {kind}: expected one of {', '.join(DTYPES)}")
    if array.size == 0:
        raise ValueError(f"array of shape {array.shape}: expected at least one element")
    if DTYPES[kind].kind in "biuf" and array.dtype.kind == "c":
        raise ValueError(f"complex array: cannot be written as {kind}, take its real part first")
    return Header(dims=trimmed([int(n) for n in array.shape] or [1]), type=kind)


def _per_dim(values, dims):
    if values is None:
        return None
    if np.ndim(values) == 0:
        return (float(values),) * len(dims)
    if len(values) < len(dims):
        raise ValueError(f"{tuple(values)}: expected a number for each of the {len(dims)} dimensions")
    return tuple(float(x) for x in values)


def _blocks(array, head):
    """The array's bytes in Fortran order, little endian, some MiB at a time."""
    dtype = head.dtype
    for part in slabs(array):
        if head.type == "complex32":
            halves = np.empty(part.shape, dtype, order="F")
            halves["real"] = part.real
            halves["imag"] = part.imag
            part = halves
        elif head.type == "bool":
            part = part != 0
        yield np.asfortranarray(part, dtype=dtype).ravel(order="K").view(np.uint8)


def _write_stream(f, array, head):
    text = format_header(head, CREATOR).encode("utf-8", "surrogateescape")
    f.write(STREAM + b"%d\n" % len(text) + text)
    for block in _blocks(array, head):
        f.write(block)
    f.flush()


@contextmanager
def _temporary(path):
    """A new file beside path, removed when the block fails: (file, its name)."""
    temp = f"{path}.{os.getpid()}-{secrets.token_hex(4)}.tmp"
    with open(temp, "xb") as f:
        try:
            yield f, temp
        except BaseException:
            _remove(temp)
            raise


def _write_npy(path, array, head):
    path = os.path.realpath(path)
    with _temporary(path) as (f, temp):
        np.save(f, np.asfortranarray(array, dtype=head.dtype))
        f.flush()
        os.replace(temp, path)


def _write_pair(stem, array, head):
    text_path, data_path = _paths(stem)
    history_path = os.path.realpath(stem + ".history")
    with _temporary(data_path) as (data, data_temp):
        for block in _blocks(array, head):
            data.write(block)
        data.flush()
        with _temporary(text_path) as (text, text_temp):
            content = format_header(head, CREATOR).encode("utf-8", "surrogateescape")
            text.write(content)
            text.flush()
            with _locked(os.path.dirname(text_path)):
                _settle(text_path, data_path, history_path)
                _remove(history_path + "~")
                os.replace(text_temp, text_path + "~")
                os.replace(data_temp, tied(content, data_path))  # from here on readers see the new pair
                _settle(text_path, data_path, history_path)
                _remove(history_path)


@contextmanager
def _locked(folder, how=fcntl.LOCK_EX):
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, how)
        yield
    finally:
        os.close(fd)


def _settle(text_path, data_path, history_path):
    """What is left to do of a commit, ours or one that was interrupted."""
    data = _tied_to(text_path + "~", data_path)
    if data:
        _remove(data_path)
        for path in (history_path, text_path):
            try:
                os.replace(path + "~", path)
            except FileNotFoundError:
                pass
    elif not os.path.exists(data_path):
        data = _tied_to(text_path, data_path)
    if data:
        os.replace(data, data_path)


def _finish(text_path, data_path, history_path):
    """The same by a reader, where it may and no writer is at it."""
    if os.path.exists(text_path + "~") or (os.path.exists(text_path) and not os.path.exists(data_path)):
        try:
            with _locked(os.path.dirname(text_path), fcntl.LOCK_EX | fcntl.LOCK_NB):
                _settle(text_path, data_path, history_path)
        except OSError:
            pass  # the files are read as they are


def _remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
