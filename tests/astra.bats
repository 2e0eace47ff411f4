load common

# The ASTRA toolbox as an independent projector, where it is installed (scripts/test --astra fetches it).

setup() {
    /usr/bin/python3 -c "import astra" 2>/dev/null || skip "the ASTRA toolbox is not installed"
    common_setup
}

# astra_project PROJECTOR KIND: ASTRA's projections of vol along the vectors of geom, into the array other
astra_project() {
    py "
import astra
vol, G = read('vol'), read('geom')
n = vol.shape[0]
vectors = np.concatenate([G[:2, c, :].T for c in (0, 1, 2)], axis=1)
grid = astra.create_vol_geom(n, n)
scan = astra.create_proj_geom('$2', read('proj').shape[0], np.ascontiguousarray(vectors))
_, sino = astra.create_sino(np.ascontiguousarray(vol.T[::-1]), astra.create_projector('$1', scan, grid))
write('other', sino.T.reshape(-1, 1, sino.shape[0]).astype(np.float32))"
}

@test "astra: parallel beam, Joseph's weights: the same projections" {
    gantry phantom --size 64:64 --kind letter-f vol
    gantry traj --views 50 --detector 96 --pitch 0.9 --offset 3.3 geom
    gantry project geom vol proj
    astra_project linear parallel_vec
    gantry compare --tolerance 1e-5 other proj
}

@test "astra: fan beam: the same projections, up to the weights of another method" {
    gantry phantom --size 64:64 --kind modified vol
    gantry traj --views 50 --sod 150 --sdd 260 --detector 96 --pitch 1.6 --offset 3.3 geom
    gantry project geom vol proj
    astra_project line_fanflat fanflat_vec
    gantry compare --tolerance 0.03 other proj
}
