"""Ratios of processor time: rows that a kernel three times slower cannot pass. Run by speed.bats in an empty folder.

A row compares two commands, with one thread: a special path beside the general one (a detector rolled in its plane by 1e-3 rad takes that),
or kernels in plain C beside those for this processor. `usual` are the ratios with AVX-512 and with AVX2; a row fails where LEAST of
that is not reached in 12 rounds, of which the least time of the faster command counts.
"""

import os
import resource
import shlex
import subprocess
import sys

import numpy as np

from arrays import read, sections, write

ISA = os.environ["ISA"]  # avx512 or avx2
ROUNDS = 12
LEAST = 0.55  # of the usual ratio: machines differ


def gantry(line, isa=ISA):
    """Seconds of processor time."""
    words = shlex.split(line)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["gantry", words[0], "-j1", "-q"] + words[1:], check=True, env={**os.environ, "GANTRY_ISA": isa}, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def scan(name, options):
    """Writes the geometry NAME, and NAME_any, whose detector is rolled in its plane; projections are needed for A'."""
    gantry(f"traj {options} {name}")
    g = read(name)
    u, v = g[:, 2].copy(), g[:, 3].copy()
    g[:, 2], g[:, 3] = np.cos(1e-3) * u + np.sin(1e-3) * v, np.cos(1e-3) * v - np.sin(1e-3) * u
    write(name + "_any", g, Quantity="geometry", Detector=sections(name)["Detector"])
    cols, rows = sections(name)["Detector"].split()
    gantry(f"random --size {cols}:{rows}:{g.shape[2]} p_{name}")


def projector_rows(table):
    """Rows of A and A': `general` beside the special path, `plain` C beside the processor's kernels."""
    for kind, geometry, volume, model, a512, t512, a2, t2 in table:
        slow = geometry + "_any" if kind == "general" else geometry
        isa = ISA if kind == "general" else "plain"
        base = geometry.removesuffix("_any")
        forward = f"project --model {model} {{}} {volume} out"
        adjoint = f"backproject --model {model} --like {volume} {{}} p_{base} out"
        for line, usual in ((forward, (a512, a2)), (adjoint, (t512, t2))):
            yield kind, line.format(slow), isa, line.format(geometry), usual


def main():
    gantry("random --size 80:80:80 v")
    gantry("random --size 192:192 s")
    gantry("random --size 128:128:160 w")
    scan("parallel", "--views 120 --detector 80:80")
    scan("cone", "--views 30 --sod 400 --sdd 600 --pitch 1.5 --detector 80:80")
    scan("slice", "--views 90 --detector 192")
    scan("fan", "--views 90 --sod 400 --sdd 600 --pitch 1.5 --detector 192")
    rows = list(projector_rows(TABLE)) + [("plain", line, "plain", line, usual) for line, *usual in PLAIN]
    bad = 0
    for kind, slow, isa, fast, usual in rows:
        usual = usual[ISA == "avx2"]
        slowest, least = gantry(slow, isa), gantry(fast)
        rounds = 1
        while slowest < LEAST * usual * least and rounds < ROUNDS:
            least = min(least, gantry(fast))
            rounds += 1
        ok = slowest >= LEAST * usual * least
        bad += not ok
        print(f"{'ok' if ok else 'SLOW':4} {slowest / least:6.2f}, usually {usual:5.1f} ({least:.3f} s, {rounds} rounds)  {fast}  beside {kind}", flush=True)
    sys.exit(bad > 0)


# kind, geometry, volume, model, A and A' with AVX-512, A and A' with AVX2
TABLE = [
    ("general", "parallel", "v", "joseph", 8.7, 11, 13, 11),
    ("general", "parallel", "v", "siddon", 13, 16, 16, 17),
    ("general", "parallel", "v", "sf", 6.6, 7.1, 10, 6.8),
    ("general", "cone", "v", "joseph", 1.4, 2.2, 1.9, 2.6),
    ("general", "cone", "v", "siddon", 3.6, 2.3, 3.3, 1.7),
    ("general", "cone", "v", "sf", 2.6, 2.5, 3.3, 1.8),
    ("plain", "cone", "v", "joseph", 2.0, 3.0, 1.2, 1.1),
    ("plain", "cone", "v", "siddon", 3.4, 2.8, 1.25, 1.05),
    ("plain", "cone", "v", "sf", 4.8, 4.6, 1.5, 1.4),
    ("plain", "cone_any", "v", "joseph", 4.5, 3.4, 1.7, 2.5),
    ("plain", "cone_any", "v", "siddon", 3.2, 3.1, 2.3, 2.3),
    ("plain", "cone_any", "v", "sf", 20, 21, 12, 15),
    ("plain", "slice", "s", "joseph", 2.1, 1.8, 2.1, 1.6),
    ("plain", "slice", "s", "siddon", 2.0, 1.9, 2.0, 1.7),
    ("plain", "slice", "s", "sf", 2.5, 2.3, 1.2, 1.4),
    ("plain", "fan", "s", "joseph", 1.8, 1.5, 1.8, 1.3),
    ("plain", "fan", "s", "siddon", 2.2, 1.65, 2.1, 1.3),
    ("plain", "fan", "s", "sf", 7.1, 7.2, 3.6, 4.8),
]

# command, ratio with AVX-512, with AVX2
PLAIN = [
    ("fbp --like v cone p_cone out", 2.5, 1.6),
    ("fbp --like v parallel p_parallel out", 1.5, 1.4),
    ("expr 'sum(exp(sin(v) + cos(v)) * log(1 + v) + sqrt(v))' v=w", 28, 23),
    ("cast --type float16 w out", 1.8, 1.8),
]

if __name__ == "__main__":
    main()
