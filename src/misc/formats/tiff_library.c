#include "misc/formats/tiff_library.h"

#include <dlfcn.h>
#include <pthread.h>

#include "misc/error.h"

static struct tiff_library library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		error("the libtiff here lacks %s, expected release 4.0 or later", name);

	return p;
}

static void open_library(void)
{
	void *lib = dlopen("libtiff.so.6", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		lib = dlopen("libtiff.so.5", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		error("TIFF files need libtiff, which is not installed here (Debian: libtiff6)");

#define X(name) *(void **)&library.name = symbol(lib, "TIFF" #name);
	TIFF_FUNCTIONS(X)
#undef X
}

const struct tiff_library *libtiff(void)
{
	pthread_once(&once, open_library);
	return &library;
}
