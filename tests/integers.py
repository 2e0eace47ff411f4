"""64-bit integers against Python's exact ones: operators and reductions of gantry expr under the three rules of --narrow."""

import random
import re
import subprocess

import numpy as np
from arrays import read, write

LIMITS = {"i8": (-(1 << 63), (1 << 63) - 1), "u8": (0, (1 << 64) - 1)}

OPERATORS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a*b": lambda a, b: a * b,
    "-a": lambda a, b: -a,
    "abs(a)": lambda a, b: abs(a),
    "square(a)": lambda a, b: a * a,
    "a^2": lambda a, b: a**2,
    "a^3": lambda a, b: a**3,
    "a^17": lambda a, b: a**17,
    "a + 3": lambda a, b: a + 3,
    "7 - a": lambda a, b: 7 - a,
    "a*5": lambda a, b: a * 5,
    "muladd(a, b, a)": lambda a, b: a * b + a,
    "copysign(a, b)": lambda a, b: abs(a) if b >= 0 else -abs(a),
    "a % b": lambda a, b: a % b if b else 0,
    "soft(a, abs(b % 99))": lambda a, b: max(abs(a) - abs(b % 99 if b else 0), 0) * (1 if a >= 0 else -1),
    "hard(a, 9223372036854775807)": lambda a, b: a if abs(a) > 9223372036854775807 else 0,
    "min(a, b) + max(a, b)": lambda a, b: a + b,
}


def samples(kind, n, seed):
    """Extreme and random values of every size."""
    low, high = LIMITS[kind]
    r = random.Random(seed)
    near = [low, low + 1, high, high - 1, 0, 1, 2, high // 2, high // 2 + 1, 3037000499, 3037000500, 4294967295, 4294967296, 2097151, 2097152]
    near += [-x for x in near if -x >= low] + [low // 2, low // 2 - (1 if low else 0)]
    out = [r.choice(near) if r.random() < 0.4 else r.randrange(low, high + 1) >> r.randrange(64) for _ in range(n)]
    return [x for x in out if low <= x <= high]


def run(*words):
    return subprocess.run(["gantry", "expr", *words], capture_output=True, text=True)


def narrowed(exact, kind, rule):
    low, high = LIMITS[kind]
    if rule == "wrap":
        return [(x - low) % (1 << 64) + low for x in exact]
    return [min(max(x, low), high) for x in exact]


def count_of(messages):
    return sum(int(n) for n in re.findall(r"(\d+) values?(?: of \S+)? do(?:es)? not fit", messages))


def check(text, kind, exact, words, bad):
    """The three rules; `bad` elements do not fit."""
    for rule in ("saturate", "wrap", "error"):
        r = run("--narrow", rule, "--", text, *words, "out_" + rule)
        if rule == "error" and bad:
            assert r.returncode == 1, (text, kind, r)
            continue
        assert r.returncode == 0, (text, kind, rule, r.stderr)
        got = [int(x) for x in np.squeeze(read("out_" + rule)).reshape(-1, order="F")]
        want = narrowed(exact, kind, rule)
        wrong = [(g, w) for g, w in zip(got, want) if g != w]
        assert len(got) == len(want) and not wrong, (text, kind, rule, wrong[:3])
        assert count_of(r.stderr) == bad, (text, kind, rule, bad, r.stderr)


def operators(seed=1, n=3001):
    for kind in LIMITS:
        low, high = LIMITS[kind]
        a, b = samples(kind, n, seed), samples(kind, n, seed + 1)
        m = min(len(a), len(b))
        a, b = a[:m], b[:m]
        write("a", np.array(a, kind))
        write("b", np.array(b, kind))
        for text, fn in OPERATORS.items():
            exact = [fn(x, y) for x, y in zip(a, b)]
            words = [name + "=" + name for name in "ab" if re.search(r"\b%s\b" % name, text)]
            check(text, kind, exact, words, sum(not low <= x <= high for x in exact))


def rings(seed=3, n=500):
    """Sums and products of several operands wrap to the exact result modulo 2^64."""
    r = random.Random(seed)
    for kind in LIMITS:
        low = LIMITS[kind][0]
        v = {name: (samples(kind, 2 * n, seed + i) * 2)[:n] for i, name in enumerate("abc")}
        for name in v:
            write(name, np.array(v[name], kind))
        for _ in range(20):
            text = r.choice("abc")
            for _ in range(r.randrange(2, 6)):
                text = "(%s %s %s)" % (text, r.choice("+-*"), r.choice(["a", "b", "c", "3", "-c", "b^4"]))
            text += " + 0*(a + b + c)"
            exact = [eval(text.replace("^", "**"), dict(zip("abc", x))) for x in zip(v["a"], v["b"], v["c"])]
            assert run("--narrow", "wrap", "--", text, "a=a", "b=b", "c=c", "out").returncode == 0, text
            got = [int(x) for x in np.squeeze(read("out"))]
            assert got == [(x - low) % (1 << 64) + low for x in exact], (text, kind)


def product_of(values):
    p = 1
    for x in values:
        p *= x
    return p


def reductions(seed=5):
    cases = {"sum(a)": lambda a, b: sum(a), "prod(a)": lambda a, b: product_of(a), "dot(a, b)": lambda a, b: sum(x * y for x, y in zip(a, b))}
    for kind in LIMITS:
        low, high = LIMITS[kind]
        lists = [([high, 0, 0], [1, 1, 1]), ([high, 1], [1, 1]), ([low, high], [1, 1]), ([1 << 62, 2, 1], [1, 1, 1]), ([high, high], [high, high])]
        if low:
            lists += [([1 << 62, 4, -1], [1, -1, 1]), ([-(1 << 62), 2], [1, 1]), ([high] * 4, [high, high, low + 1, low + 1]), ([low, -1], [1, -1])]
        lists += [(samples(kind, n, seed + n), samples(kind, n, seed + n + 1)) for n in (2, 5, 900)]
        for a, b in lists:
            m = min(len(a), len(b))
            write("a", np.array(a[:m], kind))
            write("b", np.array(b[:m], kind))
            for text, fn in cases.items():
                exact = fn(a[:m], b[:m])
                words = ["a=a", "b=b"] if "b" in text else ["a=a"]
                check(text, kind, [exact], words, int(not low <= exact <= high))
