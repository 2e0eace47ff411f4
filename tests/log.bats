load common

@test "log: minus logarithm, low values raised and counted" {
    py '
t = np.exp(-np.random.default_rng(0).random((7, 5, 3))*4)
write("t", t, Quantity="transmission")
write("c", np.round(t*60000).astype("u2"), Quantity="counts")
t[0, 0, 0], t[1, 0, 0] = 0, -3
write("low", t, Quantity="transmission")'
    log t p
    log --air 60000 c q
    log --floor 1e-4 low r 2>said
    grep -q "log: warning: low: 2 of 105 transmissions are below 0.0001 and are raised to this limit" said
    py '
assert np.abs(read("p") + np.log(read("t"))).max() < 1e-15
assert np.abs(read("q") + np.log(read("c")/6e4)).max() < 1e-6
assert np.allclose(read("r")[:2, 0, 0], -np.log(1e-4))'
    [ "$(section p Quantity)" = line-integral ]
    fails 1 "run gantry normalize --no-log first, or give --air" log c x
    fails 1 "line-integral" log p x
    py 'write("nan", np.array([1, np.nan]))'
    fails 1 "1 of 2 values are not finite" log nan x
    no_output x
}
