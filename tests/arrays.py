"""A reader and a writer of .cfl arrays for the tests, independent of the python/ folder."""

import numpy as np

TYPES = {
    "bool": "u1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2",
    "uint32": "u4", "uint64": "u8", "float16": "f2", "float32": "f4", "float64": "f8", "complex32": "f2",
    "complex64": "c8", "complex128": "c16",
}


def sections(name):
    """Header sections of an array as {title: value}."""
    found, title = {}, None
    with open(name + ".hdr", encoding="utf-8") as f:
        for line in f.read().splitlines():
            if line.startswith("# "):
                title = line[2:].strip()
                found[title] = ""
            elif title:
                found[title] = (found[title] + "\n" + line).strip()
    return found


def read(name):
    """The array, trailing dimensions of size 1 dropped (at least one is kept)."""
    head = sections(name)
    dims = [int(n) for n in head["Dimensions"].split()]
    kind = head.get("Type", "complex64")
    order = ">" if head.get("Byte-Order") == "big" else "<"
    data = np.fromfile(name + ".cfl", dtype=order + TYPES[kind])
    if kind == "complex32":
        data = data[0::2].astype("f4") + 1j * data[1::2].astype("f4")
    while len(dims) > 1 and dims[-1] == 1:
        dims.pop()
    return data.reshape(dims, order="F")


def write(name, array, **extra):
    """Writes the pair; extra header sections by keyword (Spacing="1 1 2", Quantity="counts")."""
    array = np.asarray(array)
    kind = array.dtype.name
    with open(name + ".hdr", "w", encoding="utf-8") as f:
        f.write("# Dimensions\n" + " ".join(str(n) for n in array.shape or (1,)) + "\n# Type\n" + kind + "\n")
        for title, value in extra.items():
            f.write("# %s\n%s\n" % (title.replace("_", "-"), value))
    array.ravel(order="F").astype(array.dtype.newbyteorder("<")).tofile(name + ".cfl")
