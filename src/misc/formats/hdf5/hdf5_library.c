#include "misc/formats/hdf5/hdf5_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"

/* Serial builds: first Debian's names, then the usual ones. */
static const char *const names[] = {"libhdf5_serial.so.310", "libhdf5_serial.so.103", "libhdf5.so.320",
        "libhdf5.so.310", "libhdf5.so.200", "libhdf5.so.103", "libhdf5_serial.so", "libhdf5.so"};

static void *symbol(void *lib, const char *name, const char *path)
{
	void *p = dlsym(lib, name);

	if (!p)
		error("%s: the HDF5 library here lacks %s, expected release 1.10 or later", path, name);

	return p;
}

const struct hdf5 *hdf5_library(const char *path)
{
	static struct hdf5 h5;
	static bool ready;

	if (ready)
		return &h5;

	void *lib = NULL;

	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); // read-only folders, network file systems

	for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		error("%s: needs the HDF5 library, which is not installed here (Debian: libhdf5-103-1)",
		        path);

#define X(type, name, args) *(void **)&h5.name = symbol(lib, "H5" #name, path);
	HDF5_FUNCTIONS(X)
#undef X

	if (h5.open() < 0)
		error("%s: the HDF5 library cannot be initialised", path);

	h5.Eset_auto2(0, NULL, NULL); // it prints nothing: one sentence is ours

#define Y(name) h5.name = *(hid_t *)symbol(lib, "H5" #name "_g", path);
	HDF5_IDS(Y)
#undef Y

	ready = true;

	return &h5;
}
