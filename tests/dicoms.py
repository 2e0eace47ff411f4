"""Writes DICOM files for the tests, element by element, and packs their pixels: independent of any library."""

import struct
import zlib

PLAIN, IMPLICIT, BIG, DEFLATED = "1.2.840.10008.1.2.1", "1.2.840.10008.1.2", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.1.99"
RLE, BASELINE, EXTENDED, LOSSLESS, LOSSLESS_SV1 = ("1.2.840.10008.1.2.5", "1.2.840.10008.1.2.4.50",
    "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70")
JPEG_LS, JPEG_2000 = "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.90"
LONG = ("OB", "OW", "SQ", "UN", "OV")


def value(vr, v, order):
    """The bytes of a value: numbers, lists of numbers, texts or bytes."""
    if isinstance(v, bytes):
        b = v
    elif vr == "US":
        b = struct.pack(order + "H", v)
    elif vr == "UL":
        b = struct.pack(order + "I", v)
    else:
        b = "\\".join(str(x) for x in v) if isinstance(v, (list, tuple)) else str(v)
        b = b.encode()
    return b + (b"\0" if vr in ("UI", "OB", "UN") else b" ") * (len(b) % 2)


def element(tag, vr, v, order="<", explicit=True):
    b = value(vr, v, order)
    head = struct.pack(order + "HH", tag >> 16, tag & 0xffff)
    if not explicit:
        return head + struct.pack(order + "I", len(b)) + b
    if vr in LONG:
        return head + vr.encode() + struct.pack(order + "HI", 0, len(b)) + b
    return head + vr.encode() + struct.pack(order + "H", len(b)) + b


def items(fragments, table=b""):
    """Encapsulated pixels: the table of offsets, the fragments, the delimiter."""
    out = struct.pack("<HH2sHI", 0x7fe0, 0x0010, b"OB", 0, 0xffffffff)
    for b in [table] + list(fragments):
        b += b"\0" * (len(b) % 2)
        out += struct.pack("<HHI", 0xfffe, 0xe000, len(b)) + b
    return out + struct.pack("<HHI", 0xfffe, 0xe0dd, 0)


def dicom(path, pixels, cols, rows, bits=16, signed=0, frames=1, syntax=PLAIN, preamble=bytes(128), vr="OW", table=b"", **more):
    """One file. pixels: bytes, or a list of compressed fragments; more: further elements by their tags, t00200032=[0, 0, 0]
    (decimal strings) or t0020000e=("UI", "1.2"); None leaves an element out."""
    order, explicit = ">" if syntax == BIG else "<", syntax != IMPLICIT
    elements = {0x00080060: ("CS", "CT"), 0x0020000e: ("UI", "1.2.3"), 0x00280002: ("US", 1), 0x00280010: ("US", rows),
        0x00280011: ("US", cols), 0x00280100: ("US", bits), 0x00280101: ("US", bits), 0x00280102: ("US", bits - 1),
        0x00280103: ("US", signed)}
    if frames > 1:
        elements[0x00280008] = ("IS", frames)
    for key, v in more.items():
        elements[int(key[1:], 16)] = v if v is None or isinstance(v, tuple) and isinstance(v[0], str) else ("DS", v)
    body = b"".join(element(tag, v[0], v[1], order, explicit) for tag, v in sorted(elements.items()) if v is not None)
    body += items(pixels, table) if isinstance(pixels, list) else element(0x7fe00010, vr, pixels, order, explicit)
    if syntax == DEFLATED:
        z = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = z.compress(body) + z.flush()
    meta = element(0x00020010, "UI", syntax)
    with open(path, "wb") as f:
        f.write(preamble + b"DICM" + element(0x00020000, "UL", len(meta)) + meta + body)


def rle(a):
    """A frame in DICOM's RLE: one segment for each byte of the elements, the most significant first."""
    segments = []
    for k in reversed(range(a.itemsize)):
        plane, out, i = a.astype(a.dtype.newbyteorder("<")).tobytes()[k::a.itemsize], b"", 0
        while i < len(plane):
            n = 1
            while i + n < len(plane) and n < 128 and plane[i + n] == plane[i]:
                n += 1
            if n > 2:
                out += bytes([257 - n, plane[i]])
            else:
                n = min(len(plane) - i, 5)
                out += bytes([n - 1]) + plane[i:i + n]
            i += n
        segments.append(out + b"\x80" * (len(out) % 2))
    head, at = [len(segments)], 64
    for s in segments:
        head.append(at)
        at += len(s)
    return struct.pack("<16I", *(head + [0] * (16 - len(head)))) + b"".join(segments)


# ---- JPEG (ITU-T T.81) ----

class Bits:
    """Bits to bytes, a zero behind each FF."""

    def __init__(self):
        self.text = []

    def put(self, v, n):
        if n:
            self.text.append(format(v & ((1 << n) - 1), "0%db" % n))

    def signed(self, v):
        """The category of a difference, and its bits (figures F.1 and F.2)."""
        n = abs(v).bit_length()
        return n, v if v >= 0 else v + (1 << n) - 1

    def bytes(self):
        s = "".join(self.text)
        s += "1" * (-len(s) % 8)
        return bytes(int(s[i:i + 8], 2) for i in range(0, len(s), 8)).replace(b"\xff", b"\xff\0")


def segment(marker, data):
    return struct.pack(">BBH", 0xff, marker, len(data) + 2) + data


def codes(symbols):
    """A Huffman table in which all symbols have codes of one length, and no code is all ones."""
    n = len(symbols).bit_length()
    return bytes([len(symbols) if k == n else 0 for k in range(1, 17)]) + bytes(symbols), {s: (i, n) for i, s in enumerate(symbols)}


def jpeg_lossless(a, bits=16, predictor=1, shift=0, restart=0):
    """Process 14 of unsigned pixels; restart: an interval of so many lines."""
    rows, cols = a.shape
    v = [[int(x) >> shift for x in line] for line in a]
    table, code = codes(range(17))
    out = b"\xff\xd8" + segment(0xc3, struct.pack(">BHHBBBB", bits, rows, cols, 1, 1, 0x11, 0)) + segment(0xc4, b"\0" + table)
    if restart:
        out += segment(0xdd, struct.pack(">H", restart * cols))
    out += segment(0xda, bytes([1, 1, 0, predictor, 0, shift]))
    b = Bits()
    for y in range(rows):
        fresh = y == 0 or restart and y % restart == 0
        if fresh and y:
            out += b.bytes() + bytes([0xff, 0xd0 + (y // restart - 1) % 8])
            b = Bits()
        for x in range(cols):
            left, up, corner = (v[y][x - 1] if x else 0), (v[y - 1][x] if y else 0), (v[y - 1][x - 1] if x and y else 0)
            if x == 0:
                guess = 1 << (bits - shift - 1) if fresh else up
            elif fresh:
                guess = left
            else:
                guess = [left, up, corner, left + up - corner, left + ((up - corner) >> 1), up + ((left - corner) >> 1),
                    (left + up) >> 1][predictor - 1]
            d = (v[y][x] - guess + 32768) % 65536 - 32768
            if d == -32768:
                b.put(*code[16])
                continue
            n, rest = b.signed(d)
            b.put(*code[n])
            b.put(rest, n)
    return out + b.bytes() + b"\xff\xd9"


ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8))


def jpeg_dct(a, bits=8, quantum=1, restart=0):
    """Sequential DCT of unsigned pixels of 8 or 12 bits; quantum: the step of every coefficient, or 64 of them in zigzag order."""
    import numpy as np
    rows, cols = a.shape
    padded = np.pad(a.astype(float) - (1 << (bits - 1)), ((0, -rows % 8), (0, -cols % 8)), mode="edge")
    u = np.arange(8)
    basis = np.where(u == 0, np.sqrt(0.125), 0.5)[:, None] * np.cos((2 * u[None, :] + 1) * u[:, None] * np.pi / 16)
    dc_table, dc_code = codes(range(16))
    ac_symbols = [run << 4 | size for run in range(16) for size in range(1, 15)] + [0, 0xf0]
    ac_table, ac_code = codes(ac_symbols)
    steps = np.full(64, quantum) if np.isscalar(quantum) else np.array(quantum)
    wide = int(steps.max() > 255)
    out = b"\xff\xd8" + segment(0xdb, bytes([wide << 4]) + steps.astype(">u2" if wide else "u1").tobytes())
    out += segment(0xc0 if bits == 8 else 0xc1, struct.pack(">BHHBBBB", bits, rows, cols, 1, 1, 0x11, 0))
    out += segment(0xc4, b"\0" + dc_table + b"\x10" + ac_table)
    if restart:
        out += segment(0xdd, struct.pack(">H", restart))
    out += segment(0xda, bytes([1, 1, 0, 0, 63, 0]))
    b, last = Bits(), 0
    blocks = [(y, x) for y in range(0, padded.shape[0], 8) for x in range(0, padded.shape[1], 8)]
    for k, (y, x) in enumerate(blocks):
        if restart and k and k % restart == 0:
            out += b.bytes() + bytes([0xff, 0xd0 + (k // restart - 1) % 8])
            b, last = Bits(), 0
        c = np.rint((basis @ padded[y:y + 8, x:x + 8] @ basis.T).ravel()[ZIGZAG] / steps).astype(int)
        n, rest = b.signed(int(c[0]) - last)
        last = int(c[0])
        b.put(*dc_code[n])
        b.put(rest, n)
        run = 0
        for v in c[1:int(np.max(np.nonzero(c)[0], initial=0)) + 1]:
            if v == 0:
                run += 1
                continue
            for _ in range(run // 16):
                b.put(*ac_code[0xf0])
            n, rest = b.signed(int(v))
            b.put(*ac_code[run % 16 << 4 | n])
            b.put(rest, n)
            run = 0
        if not np.any(c[63:]):
            b.put(*ac_code[0])
    return out + b.bytes() + b"\xff\xd9"
