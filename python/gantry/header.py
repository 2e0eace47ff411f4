"""The text half of an array on disk: sections of doc/format.md."""

import math
import re
from dataclasses import dataclass, replace
from typing import Dict, Optional, Tuple

import numpy as np

MAX_DIMS = 16

# Name in the file -> element type. NumPy has no complex number of two halves: see files.py.
DTYPES = {name: np.dtype(name) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128")}
DTYPES["complex32"] = np.dtype([("real", "f2"), ("imag", "f2")])

QUANTITIES = ("counts", "transmission", "line-integral", "attenuation", "hounsfield", "weights", "mask", "geometry")


class GantryError(RuntimeError):
    """A file that is not what it says, or a command that failed (then with its exit status)."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class GantryWarning(UserWarning):
    """What a command warned of, or an array without a grid beside a geometry."""


@dataclass(frozen=True)
class Header:
    """What a file says about its array. None where it says nothing.

    dims        extents, trailing ones dropped, dimension 0 first
    type        name of the element type; "complex64" when the file names none
    byte_order  "little" or "big", of the file
    spacing     mm between neighbours along dimension 0, 1, ...; 1 where it ends
    origin      mm, centre of element 0; the grid is centred on 0 where it ends
    detector    of geometry arrays: (cols, rows) or (cols, rows, radius in mm)
    extra       sections that Gantry does not know, by name
    """

    dims: Tuple[int, ...]
    type: str = "complex64"
    byte_order: str = "little"
    spacing: Optional[Tuple[float, ...]] = None
    origin: Optional[Tuple[float, ...]] = None
    quantity: Optional[str] = None
    unit: Optional[str] = None
    detector: Optional[Tuple[float, ...]] = None
    command: Optional[str] = None
    files: Optional[str] = None
    creator: Optional[str] = None
    history: Optional[str] = None
    extra: Optional[Dict[str, str]] = None

    @property
    def dtype(self):
        """NumPy's type of the elements in the file, byte order included."""
        return DTYPES[self.type].newbyteorder("<" if self.byte_order == "little" else ">")

    @property
    def count(self):
        return math.prod(self.dims)

    def step(self, dim):
        """Distance [mm] of neighbours along one dimension."""
        return self.spacing[dim] if self.spacing and dim < len(self.spacing) else 1.0

    def first(self, dim):
        """Centre [mm] of element 0 along one dimension."""
        if self.origin and dim < len(self.origin):
            return self.origin[dim]
        return -(self._size(dim) - 1) / 2 * self.step(dim)

    def coordinates(self, dim):
        """Centres [mm] of the elements along one dimension."""
        return self.first(dim) + self.step(dim) * np.arange(self._size(dim))

    def _size(self, dim):
        return self.dims[dim] if dim < len(self.dims) else 1

    def same_array(self, other):
        """Whether both say the same of the elements, wherever they come from."""
        return all(getattr(self, key) == getattr(other, key)
                   for key in ("dims", "type", "spacing", "origin", "quantity", "unit", "detector", "extra"))

    def changed(self, **fields):
        """The same header with some fields replaced."""
        return replace(self, **fields)


# ---- reading ----------------------------------------------------------------

def sections(text, name):
    """[(section, value)] of header text; value lines joined, blanks at their ends removed."""
    found = []
    for line in re.split(r"\r?\n", text):
        line = line.rstrip()
        if line.startswith("#"):
            found.append((line[1:].strip(), []))
        elif line and found:
            found[-1][1].append(line)
        elif line:
            raise GantryError(f"{name}: found {line[:40]!r} before the first '# Section' line")
    return [(key, "\n".join(lines)) for key, lines in found]


def parse(text, name):
    """Header of the text of a .hdr file; `name` is for messages. GantryError when it is malformed."""
    known = {}
    extra = {}
    for key, value in sections(text, name):
        field = _FIELDS.get(key)
        if field in known and field in _PARSERS:
            raise GantryError(f"{name}: found {'# ' + key!r} twice, expected it once")
        if key == "Checksum":
            continue  # of that file alone
        if field is None:
            extra[key] = value
        else:
            known[field] = _PARSERS[field](value, key, name) if field in _PARSERS else value
    if "dims" not in known:
        raise GantryError(f"{name}: found no '# Dimensions' section")
    return Header(extra=extra or None, **known)


def trimmed(dims):
    """dims without the 1s at their end."""
    rank = max([d for d, n in enumerate(dims) if n > 1], default=0) + 1
    return tuple(dims[:rank])


def _parse_dims(value, key, name):
    words = value.split()
    whole = words and all(re.fullmatch(r"[0-9]+", w) and int(w) > 0 for w in words)
    dims = trimmed([int(w) for w in words]) if whole else ()
    if not 1 <= len(dims) <= MAX_DIMS:
        raise GantryError(f"{name}: found {value[:60]!r} under '# {key}', expected 1 to {MAX_DIMS} positive integers")
    if math.prod(dims) >= 2**63:
        raise GantryError(f"{name}: {' x '.join(words)} elements do not fit into 63 bits")
    return dims


def _parse_numbers(value, key, name):
    try:
        numbers = tuple(float(w) for w in value.split())
    except ValueError:
        numbers = (math.nan,)
    if not all(math.isfinite(x) for x in numbers) or len(numbers) > MAX_DIMS:
        raise GantryError(f"{name}: found {value[:60]!r} under '# {key}', expected up to {MAX_DIMS} finite numbers")
    return numbers


def _parse_spacing(value, key, name):
    numbers = _parse_numbers(value, key, name)
    if not all(x > 0 for x in numbers):
        raise GantryError(f"{name}: found {value[:60]!r} under '# {key}', expected numbers over 0")
    return numbers


def _parse_detector(value, key, name):
    numbers = _parse_numbers(value, key, name)
    whole = all(x == int(x) and x > 0 for x in numbers[:2])
    if not 2 <= len(numbers) <= 3 or not whole:
        raise GantryError(f"{name}: found {value[:60]!r} under '# {key}', expected COLS ROWS [RADIUS]")
    return (int(numbers[0]), int(numbers[1])) + tuple(r for r in numbers[2:] if r != 0)


def _parse_word(allowed):
    def parse_word(value, key, name):
        if value not in allowed:
            raise GantryError(f"{name}: found {value[:60]!r} under '# {key}', expected one of {', '.join(allowed)}")
        return value
    return parse_word


def _parse_quantity(value, key, name):
    return None if value == "unknown" else _parse_word(QUANTITIES)(value, key, name)


_FIELDS = {
    "Dimensions": "dims", "Type": "type", "Byte-Order": "byte_order", "Spacing": "spacing", "Origin": "origin",
    "Quantity": "quantity", "Unit": "unit", "Detector": "detector", "Command": "command", "Files": "files",
    "Creator": "creator", "History": "history"}

_PARSERS = {
    "dims": _parse_dims, "type": _parse_word(tuple(DTYPES)), "byte_order": _parse_word(("little", "big")),
    "spacing": _parse_spacing, "origin": _parse_numbers, "quantity": _parse_quantity,
    "detector": _parse_detector}


# ---- writing ----------------------------------------------------------------

def _numbers(values):
    return " ".join(repr(float(x)) if not float(x).is_integer() else str(int(x)) for x in values)


def format_header(head, creator):
    """Text of a .hdr file for an array of Python's making: little endian."""
    check(head)
    parts = [("Dimensions", " ".join(str(n) for n in head.dims)), ("Type", head.type), ("Byte-Order", "little")]
    for key, values in (("Spacing", head.spacing), ("Origin", head.origin), ("Detector", head.detector)):
        if values is not None:
            parts.append((key, _numbers(values)))
    for key, value in (("Quantity", head.quantity), ("Unit", head.unit), ("Creator", creator)):
        if value:
            parts.append((key, value))
    parts.extend((head.extra or {}).items())
    if head.history:
        parts.append(("History", head.history))
    return "".join(f"# {key}\n{value}\n" for key, value in parts)


def check(head):
    """ValueError when a header made by hand cannot be written."""
    if not 1 <= len(head.dims) <= MAX_DIMS or not all(n > 0 for n in head.dims):
        raise ValueError(f"dims {head.dims}: expected 1 to {MAX_DIMS} positive extents")
    if head.type not in DTYPES:
        raise ValueError(f"type {head.type!r}: expected one of {', '.join(DTYPES)}")
    if head.quantity is not None and head.quantity not in QUANTITIES:
        raise ValueError(f"quantity {head.quantity!r}: expected one of {', '.join(QUANTITIES)}")
    for key, values in (("spacing", head.spacing), ("origin", head.origin), ("detector", head.detector)):
        if values is not None and not all(math.isfinite(x) and (x > 0 or key != "spacing") for x in values):
            raise ValueError(f"{key} {values}: expected finite numbers" + (" over 0" if key == "spacing" else ""))
    if head.detector is not None and len(head.detector) not in (2, 3):
        raise ValueError(f"detector {head.detector}: expected (cols, rows) or (cols, rows, radius)")
    for key, value in [("unit", head.unit), *(head.extra or {}).items()]:
        if value and re.search(r"(^|\n)#|\r", value):
            raise ValueError(f"{key} {value!r}: a line cannot begin with '#'")
    if head.unit and (len(head.unit) > 31 or "\n" in head.unit):
        raise ValueError(f"unit {head.unit!r}: expected one line of at most 31 characters")
