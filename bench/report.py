#!/usr/bin/env python3
"""report.py RESULTS.csv: the results of `gantry bench --csv` as Markdown on standard output. Where NumPy is
here, what it does with the same shapes (copies, permutations, reductions, types) is measured and put beside."""

import csv
import re
import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None


def moves(n):
    """Case -> function that NumPy runs, for arrays of n^3 float32 (Fortran order, as Gantry's)."""
    x = np.asfortranarray(np.random.default_rng(0).random((n, n, n), dtype=np.float32))
    y = np.empty_like(x)
    half = (n + 1) // 2
    first = (n - half) // 2
    inner = x[first : first + half, first : first + half, first : first + half]
    small = np.empty((half, n, n), np.float32, order="F")
    block = np.empty((half, half, half), np.float32, order="F")
    cases = {
        "copy": lambda: np.copyto(y, x),
        "flip of dim 0": lambda: np.copyto(y, x[::-1]),
        "every second along dim 0": lambda: np.copyto(small, x[::2]),
        "inner block of half the extents": lambda: np.copyto(block, inner),
        "sum of all": lambda: x.sum(),
        "dot product": lambda: np.vdot(x, y),
        "sum along dim 0": lambda: x.sum(axis=0),
        "sum along dims 1 and 2": lambda: x.sum(axis=(1, 2)),
    }
    for order in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
        cases["permute " + ",".join(map(str, order))] = lambda order=order: np.copyto(y, x.transpose(order))
    for a, b in ("u1", "f4"), ("u2", "f4"), ("f4", "u2"), ("f4", "f8"), ("f8", "f4"):
        source, target = x.astype(a), np.empty(x.shape, b, order="F")
        name = f"{np.dtype(a).name} to {np.dtype(b).name}"
        cases[name] = lambda s=source, t=target: np.copyto(t, s, casting="unsafe")
    return cases


def measure(fn, rounds):
    fn()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        fn()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def add_numpy(rows):
    """Rows like those of the file for NumPy, by case and shape."""
    found = {}
    wanted = {}
    for r in rows:
        cube = re.match(r"(\d+) x \1 x \1\b", r["shape"])
        if r["suite"] == "md" and cube:
            wanted.setdefault(int(cube[1]), {})[r["case"]] = (r["shape"], int(r["rounds"]))
    for n, cases in wanted.items():
        for name, fn in moves(n).items():
            if name in cases:
                shape, rounds = cases[name]
                found[name, shape] = measure(fn, rounds)
    return found


def number(text, digits=3):
    return f"{float(text):.{digits}f}" if text else ""


def print_machine(r):
    print(f"Machine: {r['cpu']}, {r['cores']} cores, {float(r['memory']) / 2**30:.0f} GiB, {r['system']}. "
          f"Gantry {r['version']}, {r['compiler']}, {r['isa']} kernels, {r['threads']} threads. "
          f"By hand: {r['loops']}. {r['date']}.\n")
    print(f"Medians of {r['rounds']} rounds in which the contenders take turns. / hand: time in units of the hand-written "
          "loop's. / triad: speed in units of that of a = 2 b + c in the same rounds.")


def print_suite(suite, rows, numpy):
    print(f"\n## {suite}\n")
    print("| case | contender | ms | GB/s | GFLOP/s | / hand | / triad | temporaries |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    last = None
    for i, r in enumerate(rows):
        key = (r["case"], r["shape"])
        case = f"`{r['case']}` {r['shape']}" if key != last else ""
        last = key
        temporaries = ""
        if r["temporaries"]:
            temporaries = f"{float(r['temporaries']):.0f}, {float(r['peak_bytes']) / 2**20:.1f} MiB"
        print(f"| {case} | {r['contender']} | {number(r['ms'])} | {number(r['gb_per_s'], 2)} | "
              f"{number(r['gflop_per_s'], 2)} | {number(r['vs_hand'], 2)} | {number(r['vs_triad'], 2)} | {temporaries} |")
        if key in numpy and (i + 1 == len(rows) or (rows[i + 1]["case"], rows[i + 1]["shape"]) != key):
            hand = [float(q["ms"]) for q in rows if (q["case"], q["shape"]) == key and q["contender"] == "by hand"]
            ratio = f"{numpy[key] / hand[0]:.2f}" if hand else ""
            print(f"|  | NumPy | {numpy[key]:.3f} |  |  | {ratio} |  |  |")


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    if not rows:
        sys.exit("report: no results in " + sys.argv[1])
    numpy = add_numpy(rows) if np else {}
    print_machine(rows[0])
    for suite in dict.fromkeys(r["suite"] for r in rows):
        print_suite(suite, [r for r in rows if r["suite"] == suite], numpy)


main()
