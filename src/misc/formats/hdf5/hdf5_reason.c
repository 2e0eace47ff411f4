/** Error texts of the HDF5 library, and detection of missing filters. */

#include <string.h>

#include "misc/formats/hdf5/hdf5_internal.h"
#include "misc/mem.h"

/* The first entry is the innermost one. */
static herr_t keep_first(unsigned n, const struct hdf5_error *e, void *ctx)
{
	char **text = ctx;

	if (0 == n && e->text)
		*text = mem_strdup(e->text);

	return 0;
}

char *hdf5_reason(const struct hdf5 *h5)
{
	unsigned v[3] = {0};
	char *text = NULL;

	h5->Ewalk2(0, H5E_WALK_UPWARD_, keep_first, &text);
	h5->get_libversion(&v[0], &v[1], &v[2]);

	return mem_printf("HDF5 library %u.%u.%u: %s%s", v[0], v[1], v[2], text ? text : "no reason given",
	        text && strstr(text, "version") ? "; a file of a newer release?" : "");
}

/* Registered filters and the packages of Debian that have them. */
static const struct {
	int id;
	const char *name, *package;
} filters[] = {
        {4, "szip", NULL},
        {307, "bzip2", NULL},
        {32000, "lzf", "hdf5-plugin-lzf"},
        {32001, "blosc", "hdf5-filter-plugin-blosc-serial"},
        {32004, "lz4", NULL},
        {32008, "bitshuffle", "bitshuffle"},
        {32013, "zfp", "hdf5-filter-plugin-zfp-serial"},
        {32015, "zstd", NULL},
        {32026, "blosc2", NULL},
};

static char *describe(int id, const char *said)
{
	const char *name = *said ? said : "of no name", *package = NULL;

	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
		if (filters[i].id == id) {
			name = filters[i].name;
			package = filters[i].package;
		}

	return mem_printf(
	        "compressed with the HDF5 filter %.60s (%d), which is not installed (Debian: "
	        "hdf5-filter-plugin%s%s; PyPI's hdf5plugin has more: HDF5_PLUGIN_PATH names the folder of "
	        "its plugins)",
	        name, id, package ? " or " : "", package ? package : "");
}

char *hdf5_missing_filter(const struct hdf5 *h5, hid_t dataset)
{
	const hid_t list = h5->Dget_create_plist(dataset);
	const int n = h5->Pget_nfilters(list);
	char *why = NULL;

	for (int i = 0; i < n && !why; i++) {
		char name[128] = "";
		size_t count = 0;
		unsigned flags, config;
		const int id =
		        h5->Pget_filter2(list, (unsigned)i, &flags, &count, NULL, sizeof name, name, &config);

		if (id >= 0 && h5->Zfilter_avail(id) <= 0)
			why = describe(id, name);
	}

	h5->Pclose(list);
	return why;
}
