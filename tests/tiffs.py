"""Writes TIFF files byte by byte for the tests: pages, strips or tiles, four compressions, either byte order, BigTIFF."""

import struct
import zlib
from fractions import Fraction

import numpy as np

CODES = {"none": 1, "lzw": 5, "deflate": 8, "packbits": 32773}


def packbits(data):
    out = bytearray()
    for i in range(0, len(data), 128):
        part = data[i : i + 128]
        if len(set(part)) == 1 and len(part) > 1:
            out += bytes([257 - len(part), part[0]])
        else:
            out += bytes([len(part) - 1]) + part
    return bytes(out)


def lzw(data):
    """Every byte as a 9-bit code; the table is cleared before it needs longer codes."""
    bits = ""
    for i in range(0, len(data), 240):
        bits += format(256, "09b") + "".join(format(b, "09b") for b in data[i : i + 240])
    bits += format(257, "09b")
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


PACK = {"none": bytes, "deflate": zlib.compress, "packbits": packbits, "lzw": lzw}


def pieces(page, rows, tile):
    """The strips or tiles of a page, as arrays."""
    if tile is None:
        return [page[r : r + rows] for r in range(0, page.shape[0], rows)]
    th, tw = tile
    out = []
    for r in range(0, page.shape[0], th):
        for c in range(0, page.shape[1], tw):
            block = np.zeros((th, tw) + page.shape[2:], page.dtype)
            part = page[r : r + th, c : c + tw]
            block[: part.shape[0], : part.shape[1]] = part
            out.append(block)
    return out


def write_tiff(path, pages, rows=7, tile=None, compression="none", order="<", big=False, predictor=1, tags=None):
    """pages: arrays [row, column] (or [row, column, 3] for colour). tags: {number: value} to add or
    replace; bytes are texts."""
    word, count_fmt = ("Q", "Q") if big else ("I", "H")
    mark = b"II" if order == "<" else b"MM"
    out = bytearray(mark + (struct.pack(order + "HHHQ", 43, 8, 0, 0) if big else struct.pack(order + "HI", 42, 0)))
    link = 8 if big else 4
    for page in pages:
        page = np.asarray(page)
        samples = page.shape[2] if page.ndim == 3 else 1
        offsets, sizes = [], []
        for piece in pieces(page, rows, tile):
            if predictor == 2:
                piece = np.concatenate([piece[:, :1], np.diff(piece, axis=1)], axis=1)
            data = PACK[compression](np.ascontiguousarray(piece).astype(piece.dtype.newbyteorder(order)).tobytes())
            out += b"\0" * (len(out) % 2)
            offsets.append(len(out))
            sizes.append(len(data))
            out += data
        kind = {"u": 1, "i": 2, "f": 3, "c": 6}[page.dtype.kind]
        entries = {256: page.shape[1], 257: page.shape[0], 258: [8 * page.dtype.itemsize] * samples, 259: CODES[compression],
                   262: 2 if samples == 3 else 1, 277: samples, 339: [kind] * samples}
        if predictor != 1:
            entries[317] = predictor
        if tile is None:
            entries.update({273: offsets, 278: rows, 279: sizes})
        else:
            entries.update({322: tile[1], 323: tile[0], 324: offsets, 325: sizes})
        entries.update(tags or {})
        fields = []
        for tag in sorted(entries):
            values = entries[tag] if isinstance(entries[tag], list) else [entries[tag]]
            long_one = tag in (256, 257, 273, 279, 324, 325)
            code, fmt = ((16, "Q") if big else (4, "I")) if long_one else (3, "H")
            if isinstance(values[0], bytes):  # a text
                code, fmt, values = 2, "B", values[0] + b"\0"
            elif isinstance(values[0], Fraction):
                data = struct.pack(order + "II", values[0].numerator, values[0].denominator)
                code, fmt = 5, None
            if fmt:
                data = struct.pack(order + fmt * len(values), *values)
            if len(data) > struct.calcsize(word):
                out += b"\0" * (len(out) % 2)
                where = len(out)
                out += data
                data = struct.pack(order + word, where)
            fields.append(struct.pack(order + "HH" + word, tag, code, len(values)) + data.ljust(struct.calcsize(word), b"\0"))
        out += b"\0" * (len(out) % 2)
        out[link : link + struct.calcsize(word)] = struct.pack(order + word, len(out))
        out += struct.pack(order + count_fmt, len(fields)) + b"".join(fields)
        link = len(out)
        out += struct.pack(order + word, 0)
    with open(path, "wb") as f:
        f.write(out)
