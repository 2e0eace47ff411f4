"""All operators on all pairs of types against NumPy, by the tables of doc/types.md: `make FOLDER` writes the operands,
`check FOLDER` compares what tests/unit/array_types.c wrote there."""

import sys

import numpy as np

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex32 complex64 complex128".split()
COUNT = 22  # values of a type; the first 12 are finite and small
LD, CLD = np.longdouble, np.clongdouble


def is_complex(t):
    return t.startswith("complex")


def is_float(t):
    return t.startswith("float")


def is_integer(t):
    return not is_complex(t) and not is_float(t)


def limits(t):
    return (0, 1) if t == "bool" else (int(np.iinfo(t).min), int(np.iinfo(t).max))


def storage(t):
    return {"bool": "u1", "complex32": "complex64"}.get(t, t)


def values(t):
    if t == "bool":
        v = [0, 1] * (COUNT // 2)
    elif is_integer(t):
        lo, hi = limits(t)
        signed = lo < 0
        v = [3, 0, 1, 2, 5, 7, 11, 13, -1 if signed else 4, -2 if signed else 6, -7 if signed else 100, 64]
        v += [hi, lo, hi - 1, lo + 1, hi // 2, hi // 2 + 1, hi // 3, 17, 0, 1]
    elif is_float(t):
        top = float(np.finfo(t).max)
        v = [3, 0, 1, -1, 0.5, -2.5, 1.5, 0.1, -7.25, 2, -0.75, 1.0 / 3]
        v += [np.nan, np.inf, -np.inf, -0.0, top, -top / 3, float(np.finfo(t).tiny), 1e-3, 100.25, 0.9999]
    else:
        v = [3, 0, 1, -1, 1j, -1j, 0.5 + 0.25j, -2 - 3j, 3 - 0.5j, 0.1 + 0.1j, -0.75, 2.5 + 1e-2j]
        v += [complex(np.nan, 1), complex(np.inf, 0), complex(1, -np.inf), 100 + 1e-2j, -1e-2 - 7j, 0.9 + 1e-3j]
        v += [4 - 4j, -0.5j, 1.25, 1e-3 + 1e-3j]
    a = np.array(v, dtype=storage(t))
    assert len(a) == COUNT, t
    return np.asarray(half(a), "complex64") if t == "complex32" else a


def half(z):
    """Both parts rounded to float16."""
    z = np.asarray(z)
    with np.errstate(all="ignore"):
        return z.real.astype("f2").astype("f8") + 1j * z.imag.astype("f2").astype("f8") if not np.isnan(z).any() else join(
            z.real.astype("f2").astype("f8"), z.imag.astype("f2").astype("f8"))


def join(re, im):
    re, im = np.broadcast_arrays(re, im)
    z = np.empty(re.shape, "complex128")
    z.real, z.imag = re, im
    return z


def make(folder):
    for t in NAMES:
        v = values(t)
        if t == "complex32":
            v = np.stack([v.real.astype("f2"), v.imag.astype("f2")], axis=-1)
        v.tofile(folder + "/" + t)


# ---- doc/types.md ----


class Doc:
    def __init__(self, path):
        self.sections, name = {}, ""
        for line in open(path, encoding="utf-8"):
            if line.startswith("## "):
                name = line[3:].strip()
            elif line.startswith("|") and not line.startswith("| ---"):
                self.sections.setdefault(name, []).append([c.strip() for c in line.strip().strip("|").split("|")])
        short = {row[1]: row[0].strip("`") for row in self.sections["Types"][1:]}
        self.work = {row[0].strip("`"): row[4] for row in self.sections["Types"][1:]}
        assert list(self.work) == NAMES
        table = self.sections["Promotion"]
        self.P = {(short[row[0]], short[c]): short[x] for row in table[1:] for c, x in zip(table[0][1:], row[1:])}
        assert len(self.P) == 225
        self.ops = {}
        for row in self.sections["Results of operators"][1:]:
            for op in row[0].split():
                self.ops[op] = row[1:]
        self.ulp = {}
        for row in self.sections["Accuracy"][1:]:
            for f in row[0].split():
                self.ulp[f] = dict(zip(self.sections["Accuracy"][0][1:], map(float, row[1:])))
        self.reductions = {}
        for row in self.sections["Reductions"][1:]:
            for r in row[0].split():
                self.reductions[r] = row[1:]

    def promote(self, types):
        p = types[0]
        for t in types[1:]:
            p = self.P[p, t]
        return p

    def rule(self, word, p):
        """The type that a word of the table of operators means for P = p."""
        f = p if not is_integer(p) else "float32" if p in ("bool", "int8", "int16", "uint8", "uint16") else "float64"
        real = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
        return {"P": p, "S": "int8" if p == "bool" else p, "F": f, "bool": "bool", "R(P)": real.get(p, p),
                "R(F)": real.get(f, f), "C(F)": {v: k for k, v in real.items()}.get(f, f)}[word]

    def types(self, op, types, mode):
        """(computed as, result) or None."""
        computed, result, of_complex = self.ops[op]
        p = self.promote(types[1:] if op == "where" else types)
        if is_complex(p) and of_complex == "no":
            return None
        if op == "where":
            return p, p
        if op == "pow":
            unsigned = types[1] == "bool" or types[1].startswith("uint")
            computed = "P" if is_integer(p) and unsigned else "F"
            result = computed
        c, r = self.rule(computed, p), self.rule(result, p)
        if mode == "complex" and computed == "F":
            c = r = self.rule("C(F)", p)
        return c, r


# ---- references ----


def convert(x, t, to):
    """Values of type t as type `to`: integers as Python integers."""
    if to == "bool":
        return (x != 0).astype(object)
    if is_integer(to):
        return np.vectorize(int, otypes=[object])(x)
    if is_complex(to):
        return x.astype("complex128" if to == "complex128" else "complex64")
    return x.astype("float64" if to == "float64" else "float32")


def clip(x, t):
    lo, hi = limits(t)
    return np.vectorize(lambda v: min(max(v, lo), hi), otypes=[object])(x)


def int_pow(x, y):
    if y > 64 and abs(x) > 1:
        y = 65 - (y & 1) + 1 if y & 1 == 0 else 65
    return x ** y


INTEGER = {
    "copy": lambda x: x, "neg": lambda x: -x, "abs": abs, "square": lambda x: x * x, "abs2": lambda x: x * x,
    "floor": lambda x: x, "ceil": lambda x: x, "round": lambda x: x, "trunc": lambda x: x,
    "sign": lambda x: (x > 0) - (x < 0), "real": lambda x: x, "imag": lambda x: 0, "conj": lambda x: x,
    "isnan": lambda x: 0, "isinf": lambda x: 0, "isfinite": lambda x: 1,
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "mulc": lambda x, y: x * y,
    "pow": int_pow, "mod": lambda x, y: x % y if y else 0, "min": min, "max": max,
    "copysign": lambda x, y: -abs(x) if y < 0 else abs(x),
    "soft": lambda x, t: 0 if abs(x) <= t else (abs(x) - t) * (1 if x > 0 else -1),
    "hard": lambda x, t: 0 if abs(x) <= t else x,
    "clamp": lambda x, lo, hi: min(max(x, lo), hi), "muladd": lambda x, y, z: x * y + z,
    "where": lambda m, x, y: x if m else y,
}
COMPARE = {
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y,
    "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
}
LOGIC = {"not": lambda x: not x, "and": lambda x, y: x and y, "or": lambda x, y: x or y, "xor": lambda x, y: bool(x) != bool(y)}


def times(x, y):
    """The plain formula: infinities are not repaired."""
    return join_like(x, x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def join_like(x, re, im):
    z = np.empty(np.shape(re), x.dtype)
    z.real, z.imag = re, im
    return z


def soft(x, t):
    t = t.real
    m = np.abs(x) - t
    return np.where(m <= 0, 0 * x.dtype.type(1), sign(x) * m)


def log1p(x):
    if not np.iscomplexobj(x):
        return np.log1p(x)
    a, b = x.real, x.imag
    return np.where(abs(x) < 0.5, join_like(x, np.log1p(a * (2 + a) + b * b) / 2, np.arctan2(b, 1 + a)), np.log(1 + x))


def sign(x):
    if not np.iscomplexobj(x):
        return np.sign(x)
    a = np.abs(x)
    return np.where(a == 0, 0, x / np.where(a == 0, 1, a))


EXACT = {  # in the work type
    "copy": lambda x: x, "neg": lambda x: -x, "square": lambda x: times(x, x) if np.iscomplexobj(x) else x * x,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc, "real": np.real,
    "imag": lambda x: np.imag(x) * 1, "conj": np.conj, "sqrt": np.sqrt,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "abs2": lambda x: x.real * x.real + x.imag * x.imag if np.iscomplexobj(x) else x * x,
    "add": np.add, "sub": np.subtract, "mul": lambda x, y: times(x, y) if np.iscomplexobj(x) else x * y,
    "mulc": lambda x, y: times(x, np.conj(y)) if np.iscomplexobj(x) else x * y, "min": np.minimum, "max": np.maximum,
    "copysign": np.copysign, "complex": lambda x, y: join(x, y),
    "clamp": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
    "muladd": lambda x, y, z: (times(x, y) if np.iscomplexobj(x) else x * y) + z,
    "where": lambda m, x, y: np.where(m != 0, x, y), **COMPARE,
}
CLOSE = {  # in extended precision
    "abs": np.abs, "inv": lambda x: 1 / x, "div": np.divide, "mod": np.mod, "sign": sign, "soft": soft,
    "hard": lambda x, t: np.where(np.abs(x) <= t.real, 0 * x.dtype.type(1), x), "cbrt": np.cbrt,
    "exp": np.exp, "exp2": lambda x: np.exp(x * np.log(LD(2))) if np.iscomplexobj(x) else np.exp2(x), "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "arg": np.angle, "cis": lambda x: join_like(x.astype(CLD), np.cos(x), np.sin(x)),
    "pow": np.power, "atan2": np.arctan2, "hypot": np.hypot,
}


def erf(x):
    from scipy.special import erf as f

    return f(x.astype("f8")).astype(LD)


CLOSE["erf"] = erf


def stored(x, t):
    """Results as the output holds them."""
    if t == "complex32":
        return half(x).astype("complex64")
    return x.astype(storage(t))


def reference(op, c, result, mode, operands, types, work):
    """(expected, extended precision or None)."""
    if op == "where":
        m = operands[0] != 0
        if is_integer(c):
            x, y = (convert(v, t, c) for v, t in zip(operands[1:], types[1:]))
            return np.vectorize(INTEGER["where"], otypes=[object])(m, x, y).astype(storage(result)), None
        x, y = (convert(v, t, c) for v, t in zip(operands[1:], types[1:]))
        return stored(np.where(m, x, y), result), None
    x = [convert(v, t, c) for v, t in zip(operands, types)]
    if op in LOGIC:
        return np.vectorize(LOGIC[op], otypes=["u1"])(*x), None
    if is_integer(c):
        f = INTEGER.get(op) or COMPARE[op]
        wraps = mode == "wrap" and c != "bool"
        if op == "pow" and wraps:
            f = lambda x, y: pow(x, y, 2**64)
        v = np.vectorize(f, otypes=[object])(*x)
        if result != "bool" or c == "bool":
            if c != "bool" and not wraps:
                v = clip(v, work)
            if mode == "wrap":
                bits = 8 * np.dtype(result).itemsize
                lo = limits(result)[0]
                v = np.vectorize(lambda n: (n - lo) % 2**bits + lo, otypes=[object])(v)
            v = clip(v, result)
        return v.astype(storage(result)), None
    if op in EXACT and not (op == "sqrt" and is_complex(c)):
        return stored(np.asarray(EXACT[op](*x)), result), None
    wide = [v.astype(CLD if np.iscomplexobj(v) else LD) for v in x]
    v = np.asarray((CLOSE.get(op) or EXACT[op])(*wide))
    return stored(v, result), v


def ulp(x, t):
    """Unit in the last place of magnitudes x."""
    f = {"complex32": "f2", "complex64": "f4", "complex128": "f8", "bool": "f4"}.get(t, t)
    info = np.finfo(f)
    e = np.floor(np.log2(np.maximum(np.abs(x), LD(info.tiny))))
    return LD(2) ** (e - info.nmant)


def bound(doc, op, c, work):
    b = doc.ulp.get(op, {}).get(work, 0.5)
    if c in ("float16", "complex32"):
        b = 1
    return b + 0.01


def compare(doc, op, c, result, mode, want, wide, got, operands, work):
    """None, or what is wrong."""
    if op == "soft":  # thresholds are not negative
        got = np.where(np.real(operands[1]) < 0, want, got)
    if wide is None:
        same = (got == want) | ((got != got) & (want != want))
        if np.iscomplexobj(want):
            same = np.ones(want.shape, bool)
            for part in "real", "imag":
                a, b = getattr(got, part), getattr(want, part)
                same &= (a == b) | ((a != a) & (b != b))
        return None if same.all() else (~same, want)
    if is_complex(result):
        # what becomes of infinities and NaN in complex functions is C11's affair, not NumPy's
        ok = np.isfinite(want) & np.isfinite(wide)
        for v in operands:
            ok &= np.isfinite(v)
        scale = np.abs(wide)
        if op == "soft":  # a difference
            scale = np.maximum(scale, np.abs(operands[0].astype(CLD)))
        with np.errstate(all="ignore"):
            err = np.abs(got.astype(CLD) - wide) / ulp(scale, result)
        if op == "pow":  # errors of the logarithm are multiplied by the exponent
            with np.errstate(all="ignore"):
                turns = np.abs(operands[1] * np.log(operands[0].astype(CLD)))
            turns[operands[0] == 0] = 0
            err = err / (1 + turns)
            ok &= turns < 1e6
        bad = ok & ~(err <= bound(doc, op, c, work))
        return (bad, want) if bad.any() else None
    special = ~np.isfinite(want) | ~np.isfinite(got)
    wide = wide.real if np.iscomplexobj(wide) else wide
    err = np.abs(got.astype(LD) - wide) / ulp(wide, result)
    bad = ~special & ~(err <= bound(doc, op, c, work))
    # an overflow may come an ulp early or late
    near = np.abs(wide) > LD(np.finfo(want.dtype).max) * (1 - LD(2) ** -8)
    bad |= special & ~((got == want) | ((got != got) & (want != want)) | near)
    return (bad, want) if bad.any() else None


def check_operator(doc, name, mode, work, result, types, got, operands, problems):
    expected = doc.types(name, types, mode)
    label = "%s %s" % (name, " ".join(types))
    if mode == "undefined":
        if expected is not None:
            problems.append(label + ": undefined, but doc/types.md gives " + expected[1])
        return
    if expected is None or expected[1] != result:
        problems.append("%s: result %s, but doc/types.md says %s" % (label, result, expected))
        return
    c = expected[0]
    with np.errstate(all="ignore"):
        want, wide = reference(name, c, result, mode, operands, types, work)
        want = np.broadcast_to(want, got.shape)
        wrong = compare(doc, name, c, result, mode, want, None if wide is None else np.broadcast_to(wide, got.shape), got,
                        [np.broadcast_to(o, got.shape) for o in operands], work)
    if wrong:
        bad, want = wrong
        i = tuple(np.argwhere(bad)[0])
        args = ", ".join(str(np.broadcast_to(o, got.shape)[i]) for o in operands)
        problems.append("%s (%s): %d of %d wrong, first (%s): %r, expected %r" % (
            label, mode, bad.sum(), bad.size, args, got[i], want[i]))


def class_of(t):
    return 1 if t == "uint64" else 0 if is_integer(t) else 2 if is_float(t) else 3


def check_reduction(doc, name, mode, result, types, got, operands, problems):
    p = doc.promote(types)
    rule = doc.reductions[name][class_of(p)]
    expected = p if rule == "P" else rule
    label = "reduce-%s %s (%s)" % (name, " ".join(types), mode)
    if mode == "undefined":
        if rule != "none":
            problems.append(label + ": undefined, but doc/types.md gives " + rule)
        return
    if rule == "none" or expected != result:
        problems.append("%s: result %s, but doc/types.md says %s" % (label, result, expected))
        return
    x = [convert(o, t, p) for o, t in zip(operands, types)]
    got = got.reshape(-1)[0]
    exact = is_integer(p)
    if not exact:
        x = [v.astype(CLD if np.iscomplexobj(v) else LD) for v in x]
    with np.errstate(all="ignore"):
        want = {
            "sum": lambda v: v.sum(), "prod": lambda v: v.prod(), "mean": lambda v: v.sum() / len(v),
            "norm": lambda v: np.sqrt(sum(abs(float(a)) ** 2 for a in v) if exact else (np.abs(v) ** 2).sum()),
            "norm1": lambda v: sum(abs(float(a)) for a in v) if exact else np.abs(v).sum(),
            "min": lambda v: v.min(), "max": lambda v: v.max(), "argmin": lambda v: v.argmin(),
            "argmax": lambda v: v.argmax(), "any": lambda v: int((v != 0).any()), "all": lambda v: int((v != 0).all()),
            "count": lambda v: int((v != 0).sum()),
            "dot": lambda v, w: (v * (np.conj(w) if not exact else w)).sum(),
        }[name](*x)
        scale = 0 if exact else {"sum": lambda: np.abs(x[0]).sum(), "mean": lambda: np.abs(x[0]).mean(),
                                 "dot": lambda: (np.abs(x[0]) * np.abs(x[1])).sum()}.get(name, lambda: np.abs(want))()
    if exact and result in ("int64", "uint64"):
        want = min(max(int(want), limits(result)[0]), limits(result)[1])
        good = int(got) == want
    elif result == "bool" or name in ("min", "max", "argmin", "argmax", "count"):
        good = got == want or (got != got and want != want)
    elif not exact and not all(np.isfinite(v).all() for v in x):
        good = not np.isfinite(got)  # NaN and infinity are among the elements
    else:
        good = np.abs(LD(1) * got - want) <= 1e-15 * max(scale, np.abs(want))
    if not good:
        problems.append("%s: %r, expected %r" % (label, got, want))


def check(folder, doc_path, quiet=False):
    doc, problems, counts = Doc(doc_path), [], {}
    inputs = {t: values(t) for t in NAMES}
    for (a, b), p in doc.P.items():  # the table is NumPy's
        if "complex32" not in (a, b, p) and np.result_type(np.dtype(a), np.dtype(b)) != np.dtype(p):
            problems.append("promotion of %s and %s: %s, NumPy: %s" % (a, b, p, np.result_type(np.dtype(a), np.dtype(b))))
    with open(folder + "/results", "rb") as f:
        for line in f:
            head, shape = line.decode().split(":")
            name, mode, work, result, *types = head.split()
            dims = [int(n) for n in shape.split()]
            counts[name, mode] = counts.get((name, mode), 0) + 1
            if mode == "undefined":
                got = None
            else:
                n = int(np.prod(dims))
                size = 4 if result == "complex32" else np.dtype(storage(result)).itemsize
                raw = f.read(n * size)
                if result == "complex32":
                    h = np.frombuffer(raw, "f2").astype("f4")
                    got = join(h[0::2], h[1::2]).astype("complex64")
                else:
                    got = np.frombuffer(raw, storage(result))
                got = got.reshape(dims, order="F")
            if name.startswith("reduce-"):
                operands = [inputs[t][:12] if mode == "finite" else inputs[t] for t in types]
                check_reduction(doc, name[7:], mode, result, types, got, operands, problems)
                continue
            operands = [inputs[t] for t in types]
            if len(types) > 1:
                operands = [operands[0][:, None, None], operands[1][None, :, None]] + [o[None, None, :5] for o in operands[2:]]
                if name == "where":
                    operands = [inputs[types[0]][:5, None, None], inputs[types[1]][None, :, None], inputs[types[2]][None, None, :5]]
                if len(types) == 2:
                    operands = [o[:, :, 0] for o in operands]
            check_operator(doc, name, mode, work, result, types, got, operands, problems)
    for op, args in list(doc.ops.items()):
        n = sum(k for (name, _), k in counts.items() if name == op)
        if n < 15:
            problems.append("%s: %d pairs of types, expected all" % (op, n))
    print("%d operations, %d wrong" % (sum(counts.values()), len(problems)))
    for p in problems[:None if quiet else 60]:
        print(p)
    return 1 if problems else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2], sys.argv[3]))
