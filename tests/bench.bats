load common

# without_compiler ARGUMENTS..: bench with the loops built into it; to compile them again takes longer than a small measurement.
without_compiler() {
    mkdir -p empty
    ln -sf "$(command -v sh)" "$(command -v cat)" empty/
    env -u GANTRY_DEVICE CC=none PATH="$PWD/empty" "$GANTRY_BUILD/bin/bench" "$@" # nor drivers that compile
}

@test "bench: every suite measures at a small size, and its contenders agree" {
    gantry bench --size 24 --repeat 2 --picture 320:180 --radius 2 --steps 3 >said
    for suite in cg distance expr fbp fft label md morph projector resample saxpy stencil vivaldi; do grep -q "^$suite: " said; done
    grep -q '^machine   .* cores, ' said
    grep -q '^program   gantry .* threads, ' said
    grep -q '^by hand   ' said
    for shape in '24^3 uint16, 320 x 180 pixels' '24^3 float32, 5^3 elements each' '24^3 float32, 3 steps'; do grep -q "^vivaldi: .*, $shape" said; done
    fails 2 "--picture: expected W:H" bench --picture 5 vivaldi
    fails 2 "have no effect without vivaldi" bench --steps 3 saxpy
    # cg and fbp are measured against their own projections
    [ "$(grep -c '^  triad ' said)" -eq "$(grep '^[a-z]*: ' said | grep -vc '^cg: \|^fbp: \|^note: ')" ]
    for expression in 'x\*y' 'x\*y+y' 'x\*y+y/z' 'x\*y+y/z+x' 'x\*y+y/z+x\*z' 'norm(1.2\*x + y)'; do
        [ "$(grep -A 4 "^expr: $expression, 24 x 24 x 24" said | grep -c -E '^  (one call per operator|fused|by hand) ')" -eq 3 ]
    done
}

@test "bench: CSV and JSON hold the results and the machine" {
    gantry bench --size 20:24 --repeat 3 --csv r.csv --json r.json expr saxpy >said
    /usr/bin/python3 - <<'END'
import csv, json, math
rows = list(csv.DictReader(open("r.csv")))
data = json.load(open("r.json"))
assert len(rows) == len(data["results"]) > 20
for a, b in zip(rows, data["results"]):
    for key in b:
        assert a[key] == ("" if b[key] is None else a[key])
        if isinstance(b[key], (int, float)):
            assert math.isclose(float(a[key]), b[key])
    for key, value in data["machine"].items():
        assert a[key] == str(value) or math.isclose(float(a[key]), value), key
    assert a["rounds"] == "3" and float(a["ms_min"]) <= float(a["ms"]) <= float(a["ms_max"])
    assert {"cpu", "cores", "isa", "threads", "memory", "compiler", "version", "date"} <= set(data["machine"])
hand = [r for r in rows if r["contender"] == "by hand"]
assert hand and all(float(r["vs_hand"]) == 1 for r in hand)
assert {r["shape"].split()[0] for r in rows} == {"20", "24"}
END
}

@test "bench: a fused expression has no temporary, one call per operator has" {
    without_compiler --size 64 --repeat 1 --csv r.csv expr >said
    /usr/bin/python3 - <<'END'
import csv
for r in csv.DictReader(open("r.csv")):
    if r["contender"] == "fused":
        assert r["temporaries"] == "0", r
    if r["contender"] == "one call per operator" and r["case"] != "x*y":
        assert int(r["temporaries"]) > 0, r
END
    sanitized && skip "sanitizers need memory of their own"
    /usr/bin/python3 - <<'END'
import csv
naive, fused = {}, {}
for r in csv.DictReader(open("r.csv")):
    if r["peak_bytes"]:
        (fused if r["contender"] == "fused" else naive)[r["case"]] = float(r["peak_bytes"])
assert max(fused.values()) < 64**3 * 4 / 2 and naive["x*y+y/z+x*z"] > 64**3 * 4
END
}

@test "bench: projector: voxels times views a second of every model and kind of scan" {
    without_compiler --size 16 --repeat 1 --csv r.csv --json r.json projector >said
    grep -q '^  float32 FMA ' said
    /usr/bin/python3 - <<'END'
import csv, json
rows = [r for r in csv.DictReader(open("r.csv")) if r["contender"] != "triad"]
assert float(rows[0]["gflop_per_s"]) > 0 and rows[0]["contender"] == "float32 FMA"
cases = {}
for r in rows[1:]:
    cases.setdefault(r["case"], {})[r["contender"]] = float(r["gup_per_s"])
assert len(cases) == 24
for name, rates in cases.items():
    assert {"joseph", "siddon", "sf", "naive loop (joseph)"} == set(rates), name
    assert all(rate > 0 for rate in rates.values()), name
for kind in ("parallel", "cone", "helix", "curved, pitch 1.5", "vectors", "tomosynthesis", "2-D parallel", "2-D fan", "fan stack"):
    assert kind + " forward" in cases and kind + " adjoint" in cases
assert [r["gup_per_s"] for r in json.load(open("r.json"))["results"] if r["contender"] == "joseph"]
END
    without_compiler --size 16 --repeat 1 --only 'fan stack adjoint' --csv r.csv projector
    [ "$(grep -c '^"projector","fan stack adjoint"' r.csv)" = 5 ]
    [ "$(grep -c '^"projector"' r.csv)" = 5 ]
    fails 1 "--only helical: no case of that name" without_compiler --size 16 --repeat 1 --only helical projector
}

@test "bench: without a compiler it says so and measures all the same" {
    without_compiler --size 16 --repeat 1 saxpy >said
    grep -q '^by hand   as built into this program' said
    grep -q '^  by hand ' said
}

@test "bench: what does not fit into memory is left out" {
    GANTRY_MEM=100K without_compiler --size 64 --repeat 1 cg expr fbp fft md projector saxpy >said
    [ "$(grep -c '^note: .* left out: it needs .* of memory, but only 100 KiB are available' said)" = 8 ] # two scans of cg
    run grep -qE '^(cg|expr|fbp|fft|md|projector|saxpy):' said
    [ "$status" -eq 1 ]
}

@test "bench: bad input" {
    fails 2 'unknown suite nothing, expected one of: ' gantry bench nothing
    fails 2 'did you mean saxpy?' gantry bench --size 8 saxpi
    fails 2 '--repeat' gantry bench --repeat 0 expr
    fails 2 '--size' gantry bench --size 0 expr
    fails 1 'none/r.csv' gantry bench --size 8 --repeat 1 --csv none/r.csv saxpy
}
