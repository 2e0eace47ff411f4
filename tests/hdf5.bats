load common

# HDF5 files that need more than the library gives: virtual data sets, filters, newer releases, names.

setup() {
    common_setup
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -q 'libhdf5\(_serial\)\?\.so\.[0-9]' || skip "no HDF5 library here"
    needs h5py
    unset HDF5_VDS_PREFIX HDF5_PLUGIN_PATH
}

h5() {
    py "import h5py
rng = np.random.default_rng(4)
$1"
}

@test "hdf5: a virtual data set whose source is missing is an error, wherever it should lie" {
    h5 '
import os
os.makedirs("d/raw")
x = rng.integers(0, 60000, (4, 3, 5)).astype("u2")
def layout(f, names, path="data"):
    v = h5py.VirtualLayout((4, 3, 5), "u2")
    for k, name in enumerate(names):
        v[2 * k:2 * k + 2] = h5py.VirtualSource(name, path, shape=(2, 3, 5))
    f.create_virtual_dataset("v", v, fillvalue=7)
for k in range(2):
    with h5py.File(f"d/raw/{k}.h5", "w") as f:
        f["data"] = x[2 * k:2 * k + 2]
with h5py.File("d/v.h5", "w") as f:
    layout(f, ["raw/0.h5", "raw/1.h5"])
with h5py.File("d/absolute.h5", "w") as f:
    layout(f, [os.path.abspath("d/raw/0.h5"), "/nowhere/raw/1.h5"])
with h5py.File("d/path.h5", "w") as f:
    layout(f, ["raw/0.h5", "raw/1.h5"], "entry/data")
with h5py.File("d/inside.h5", "w") as f:
    f["a"], f["b"] = x[:2], x[2:]
    v = h5py.VirtualLayout((4, 3, 5), "u2")
    v[:2], v[2:] = h5py.VirtualSource(".", "a", shape=(2, 3, 5)), h5py.VirtualSource(".", "b", shape=(2, 3, 5))
    f.create_virtual_dataset("v", v)
with h5py.File("d/nested.h5", "w") as f:
    v = h5py.VirtualLayout((4, 3, 5), "u2")
    v[:] = h5py.VirtualSource("v.h5", "v", shape=(4, 3, 5))
    f.create_virtual_dataset("w", v)
write("x", x.transpose(2, 1, 0))'
    for f in v.h5:/v inside.h5:/v nested.h5:/w; do
        import d/$f back
        same_bytes x back
    done
    (cd d/raw && import ../v.h5:/v ../../back)
    same_bytes x back
    fails 1 "absolute.h5:/v: the source file /nowhere/raw/1.h5 of this virtual data set is missing" import d/absolute.h5 y
    fails 1 "path.h5:/v: the source d/raw/0.h5:/entry/data of this virtual data set is missing" import d/path.h5 y
    mkdir moved
    mv d/raw/1.h5 moved
    fails 1 "d/v.h5:/v: the source file raw/1.h5 of this virtual data set is missing" import d/v.h5 y
    fails 1 "d/v.h5:/v: the source file raw/1.h5 of this virtual data set is missing" import d/nested.h5 y
    mkdir -p elsewhere/raw
    mv moved/1.h5 elsewhere/raw
    HDF5_VDS_PREFIX="$PWD/nothing:$PWD/elsewhere" import d/v.h5 back
    same_bytes x back
    HDF5_VDS_PREFIX='${ORIGIN}/../elsewhere' import d/v.h5 back
    same_bytes x back
    no_output y
}

@test "hdf5: numbered sources of a virtual data set: one missing before the last is an error" {
    h5 '
x = rng.integers(0, 60000, (3, 3, 5)).astype("u2")
for k in range(3):
    with h5py.File(f"s-{k}.h5", "w") as f:
        f["data"] = x[k:k + 1]
with h5py.File("v.h5", "w") as f:
    space = h5py.h5s.create_simple((1, 3, 5), (h5py.h5s.UNLIMITED, 3, 5))
    space.select_hyperslab((0, 0, 0), (h5py.h5s.UNLIMITED, 1, 1), (1, 3, 5), (1, 3, 5))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_virtual(space, b"s-%b.h5", b"data", h5py.h5s.create_simple((1, 3, 5)))
    h5py.h5d.create(f.id, b"v", h5py.h5t.NATIVE_UINT16, space, plist)
write("x", x.transpose(2, 1, 0))'
    import v.h5 back
    same_bytes x back
    h5 '
with h5py.File("s.h5", "w") as f:
    f["exchange/data"] = np.ones((3, 3, 5))
    v = h5py.VirtualLayout((3,), "f8")
    v[:] = h5py.VirtualSource("nothere.h5", "theta", shape=(3,))
    f.create_virtual_dataset("exchange/theta", v)'
    fails 1 "s.h5:/exchange/theta: the source file nothere.h5 of this virtual data set is missing" import --quiet --angles a.txt s.h5 y
    mv s-1.h5 away
    fails 1 "v.h5:/v: some of the numbered sources of this virtual data set are missing" import v.h5 y
    no_output y
}

@test "hdf5: a filter that is missing is named, with where to find it" {
    h5 '
for code in 307, 32000, 32001, 32004, 32008, 32013, 32015, 32026, 31999:
    with h5py.File("%d.h5" % code, "w") as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4, 5))
        if code > 32008:  # one that is there comes first
            plist.set_deflate(4)
        plist.set_filter(code, h5py.h5z.FLAG_OPTIONAL, ())
        d = h5py.h5d.create(f.id, b"a", h5py.h5t.NATIVE_UINT16, h5py.h5s.create_simple((4, 5)), plist)
        d.write_direct_chunk((0, 0), bytes(40))
with h5py.File("damaged.h5", "w") as f:
    d = f.create_dataset("a", (4, 5), "u2", chunks=(4, 5), compression="gzip")
    d.id.write_direct_chunk((0, 0), bytes(40))'
    mkdir plugins
    export HDF5_PLUGIN_PATH=$PWD/plugins
    local id name package
    while read -r id name package; do
        fails 1 "$id.h5:/a: compressed with the HDF5 filter $name ($id), which is not installed (Debian: hdf5-filter-plugin${package:+ or }$package; PyPI's hdf5plugin has more: HDF5_PLUGIN_PATH names the folder" \
            import $id.h5 y
    done <<'FILTERS'
307 bzip2
32000 lzf hdf5-plugin-lzf
32001 blosc hdf5-filter-plugin-blosc-serial
32004 lz4
32008 bitshuffle bitshuffle
32013 zfp hdf5-filter-plugin-zfp-serial
32015 zstd
32026 blosc2
FILTERS
    fails 1 "(31999), which is not installed" import 31999.h5 y
    fails 1 "damaged.h5:/a: the elements cannot be read and may be damaged (HDF5 library" import damaged.h5 y
    no_output y
}

@test "hdf5: what this library cannot open is said in its words" {
    h5 '
with h5py.File("old.h5", "w", libver="earliest") as f:
    f["a"] = rng.random((3, 4)).astype("f4")
data = open("old.h5", "rb").read()
open("super.h5", "wb").write(data[:8] + b"\x63" + data[9:])
at = data.index(bytes([1, 2, 1, 0, 0, 0, 0, 0]) + (3).to_bytes(8, "little"))  # the message of the shape: version, rank, flags
open("space.h5", "wb").write(data[:at] + b"\x63" + data[at + 1:])
with h5py.File("two.h5", "w", libver="earliest") as f:
    f["b"] = np.ones((3, 4), "f4")
    f["link"] = h5py.SoftLink("/nowhere")
with h5py.File("s.mat", "w") as f:
    f["s/y"], f["t.u"], f["s/deep/z"] = np.ones((3, 4)), np.zeros((3, 4)), np.ones((5, 4))'
    fails 1 "super.h5 cannot be opened as an HDF5 file and may be damaged or truncated (HDF5 library " import super.h5 y
    fails 1 "superblock" import super.h5 y
    fails 1 "space.h5:/a: cannot be opened (HDF5 library " import space.h5:/a y
    fails 1 "space.h5:/a: cannot be opened (HDF5 library " import space.h5 y
    fails 1 "version" import space.h5 y
    import two.h5 b 2>said
    [ "$(grep -c "two.h5:/link: cannot be opened (HDF5 library " said)" = 1 ]
    [ "$(dims b)" = "4 3" ]
    fails 1 "s.mat:/s.y: no such array in the file; did you mean s.mat:/s/y?" import s.mat:s.y y
    fails 1 "did you mean s.mat:/s/deep/z?" import s.mat:s.deep.z y
    fails 1 "s.mat:/s.q: no such array in the file" import s.mat:s.q y
    fails 1 "s.mat:/s is a group, expected an array" import s.mat:s y
    import s.mat:t.u b
    no_output y
}

@test "hdf5: groups on the way to the array, and names that are none" {
    gantry random --size 3:2 x
    for name in a /a a/b/c 'a b/c' é/x; do
        gantry export x "y.h5:$name"
        import "y.h5:$name" y
        same_bytes x y
        rm y.h5
    done
    for name in a/./c ./c; do fails 1 "cannot create group /${name%/c}" gantry export x "y.h5:$name"; done
    for name in . a/.; do fails 1 "cannot create array /$name" gantry export x "y.h5:$name"; done
    for name in / a/ a//b; do fails 1 "'$name' is not the name of an array in the file" gantry export x "y.h5:$name"; done
    [ ! -e y.h5 ]
}
