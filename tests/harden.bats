load common

# spectrum.txt, water.txt, bone.txt; w, b: lengths [mm]; p: what is measured, m: at 60 keV, both: with bone
make_beam() {
    py '
E = np.arange(20, 121, 5.)
w = (E - 15)*(125 - E)*np.exp(-((E - 20)/60)**2)
mu = lambda c, a: c*((30/E)**3 + a)
water, bone = mu(.02, .9), mu(.2, .25)
for name, x in ("spectrum", w), ("water", water), ("bone", bone):
    np.savetxt(name + ".txt", np.c_[E, x], header="energy value")
rng = np.random.default_rng(1)
t = np.linspace(0, 250, 600).reshape(60, 10)
b = rng.random((60, 10))*25
w = w/w.sum()
poly = lambda t, b: -np.log(np.sum(w*np.exp(-water*t[..., None] - bone*b[..., None]), -1))
i = list(E).index(60)
for name, x in ("p", poly(t, 0*t)), ("m", water[i]*t), ("t", t), ("b", b), ("p2", poly(t, b)), ("m2", water[i]*t + bone[i]*b):
    write(name, x, Quantity="line-integral" if name not in ("t", "b") else "weights")
steps = np.arange(0, 251, 25.)
np.savetxt("steps.txt", np.c_[steps, poly(steps, 0*steps)])
open("mu", "w").write(repr(float(water[i])))'
}

@test "harden: a spectrum's line integrals become those of one energy" {
    make_beam
    harden --spectrum spectrum.txt --attenuation water.txt --energy 60 p o
    py '
p, m, o = read("p"), read("m"), read("o")
assert np.abs(p - m).max() > .2 and np.abs(o - m).max() < 2e-6, (np.abs(p - m).max(), np.abs(o - m).max())'
    harden --spectrum spectrum.txt --attenuation water.txt p q
    [[ $(gantry history q) == *--energy=* ]]
}

@test "harden: two materials, the lengths of the second known" {
    make_beam
    harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt --paths b --energy 60 p2 o
    harden --spectrum spectrum.txt --attenuation water.txt --energy 60 p2 one
    py '
m, o, one = read("m2"), read("o"), read("one")
before, after = np.abs(one - m).max(), np.abs(o - m).max()
assert before > .1 and after < 1e-4, (before, after)'
}

@test "harden: straight lines below -1 and beyond 20" {
    make_beam
    py 'write("far", np.array([-3, -1.5, -1, 20, 21, 25.]), Quantity="line-integral")
write("none", np.zeros(6)); write("some", np.full(6, 3.))'
    harden --spectrum spectrum.txt --attenuation water.txt --energy 60 far one
    harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt --paths none --energy 60 far two
    harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt --paths some --energy 60 far three
    py '
E, w = np.loadtxt("spectrum.txt").T
water, bone = (np.loadtxt(n + ".txt")[:, 1] for n in ("water", "bone"))
at = lambda mu: mu[list(E).index(60)]
def line(p, b): # through the solution at p, found by halving
    f = lambda t: -np.log(np.sum(w/w.sum()*np.exp(-water*t - bone*b)))
    low, high = -2000., 4000.
    for _ in range(100):
        t = (low + high)/2
        low, high = (t, high) if f(t) < p else (low, t)
    dt = 1e-3
    return at(water)*t + at(bone)*b, at(water)*2*dt/(f(t + dt) - f(t - dt))
for name, b in ("one", 0), ("two", 0), ("three", 3):
    o, (first, slope), (last, end) = read(name), line(-1., b), line(20., b)
    want = [first - 2*slope, first - slope/2, first, last, last + end, last + 5*end]
    assert np.abs(o/want - 1).max() < 1e-5, (name, o, want)'
}

@test "harden: steps of a wedge" {
    make_beam
    harden --steps steps.txt --degree 4 --reference "$(cat mu)" p o 2>said
    grep -q "polynomial .*; the steps deviate from this polynomial by up to" said
    coefficients=$(sed -n 's/.*polynomial \(.*\); the.*/\1/p' said)
    harden --polynomial "$coefficients" p q
    compare --tolerance 1e-7 o q
    py '
p, m, o = read("p"), read("m"), read("o")
before, after = np.linalg.norm(p - m), np.linalg.norm(o - m)
print(before/after)
assert before > 30*after'
    harden -q --steps steps.txt --degree 4 p thin
    py '
p, o = read("p").ravel(), read("thin").ravel()
assert abs((o[1] - o[0])/(p[1] - p[0]) - 1) < .01'
}

@test "harden: a uniform disc is flat again" {
    make_beam
    py '
u = np.arange(96) - 47.5
t = 2*np.sqrt(np.maximum(40.**2 - u**2, 0))
s, a = np.loadtxt("spectrum.txt").T, np.loadtxt("water.txt").T
p = -np.log(np.sum(s[1]/s[1].sum()*np.exp(-a[1]*t[:, None]), 1))
write("disc", np.repeat(p[:, None, None], 90, 2), Quantity="line-integral")'
    traj --views 90 --detector 96 g
    fbp g disc cupped
    harden --spectrum spectrum.txt --attenuation water.txt --energy 60 disc - | fbp g - flat
    py '
x, y = np.meshgrid(np.arange(96) - 47.5, np.arange(96) - 47.5, indexing="ij")
r = np.hypot(x, y)
cup = lambda n: read(n)[(r > 30) & (r < 36)].mean()/read(n)[r < 8].mean() - 1
assert cup("cupped") > .03 and abs(cup("flat")) < .002, (cup("cupped"), cup("flat"))
assert abs(read("flat")[r < 30].mean()/float(open("mu").read()) - 1) < .002'
}

@test "harden: the same bytes for any threads and through pipes" {
    make_beam
    for j in 1 3; do harden -j $j --spectrum spectrum.txt --attenuation water.txt p o$j; done
    copy p - | harden --spectrum spectrum.txt --attenuation water.txt - - | copy - op
    same_bytes o1 o3
    same_bytes o1 op
}

@test "harden: bad input is refused" {
    make_beam
    printf '10 1\n30 2\n20 1\n' >down.txt
    printf '30 1\n60 2\n' >short.txt
    printf '1 2 3\n' >three.txt
    py '
write("counts", np.ones((60, 10)), Quantity="counts")
write("minus", -np.ones((60, 10)))
write("small", np.ones((6, 10)))'
    fails 2 "--degree requires --steps" harden --polynomial 1 --degree 3 p x
    fails 2 "--energy requires --spectrum" harden --steps steps.txt --energy 60 p x
    fails 2 "one of --polynomial" harden p x
    fails 2 "one of --polynomial" harden --polynomial 1 --steps steps.txt p x
    fails 2 "--spectrum and --attenuation must be given together" harden --spectrum spectrum.txt p x
    fails 2 "--material2 and --paths must be given together" harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt p x
    fails 1 "down.txt: row 3: the energy is 20 keV, expected positive energies in ascending" harden --spectrum down.txt --attenuation water.txt p x
    fails 1 "short.txt covers 30 to 60 keV" harden --spectrum spectrum.txt --attenuation short.txt p x
    fails 1 "three.txt contains 3 numbers" harden --steps three.txt p x
    fails 1 "absent.txt" harden --steps absent.txt p x
    fails 1 "run gantry normalize first" harden --polynomial 1 counts x
    printf '0 0\n1 0.1\n2 0.2\n' >few.txt
    printf '1 0.1\n2 0.1\n3 0.1\n' >equal.txt
    printf '0 0\n1 -0.1\n2 -0.2\n' >falling.txt
    fails 1 "3 steps are too few for a polynomial of degree 4" harden --steps few.txt p x
    harden -q --steps few.txt --degree 2 p x
    rm x.*
    fails 1 "too few different line integrals for a polynomial of degree 2" harden --steps equal.txt --degree 2 p x
    fails 1 "the attenuation of thin steps is -0.1 1/mm" harden --steps falling.txt --degree 1 p x
    fails 1 "minus: element 0 is -1" harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt --paths minus p x
    fails 1 "small" harden --spectrum spectrum.txt --attenuation water.txt --material2 bone.txt --paths small p x
    no_output x
}
