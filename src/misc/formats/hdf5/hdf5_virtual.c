/**
 * Virtual data sets of HDF5: elements stored in other data sets, mostly of other files. For a missing source
 * the library silently returns fill values; its search path is in the manual of H5Pset_virtual_prefix() [1].
 *
 * [1] HDF5 Reference Manual, release 1.10 and later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/formats/hdf5/hdf5_internal.h"
#include "misc/mem.h"

enum {
	DEPTH_MAX = 8,
	NAME_LENGTH = 4096,
	SOURCES_MAX = 1000000,
	GAP_MAX = 100 /* missing blocks that are noticed */
};

/* A virtual data set and the file it is in. */
struct virtual
{
	const struct hdf5 *h5;
	const char *path;
	hid_t file;
	int depth;
	long *looked_at; // sources
};

static void check(const struct virtual *v, const char *inside);

/* "%b" or "%04b": the number of a block, of which there may be any number. */
static bool has_pattern(const char *name)
{
	for (const char *p = strchr(name, '%'); p; p = strchr(p + 1, '%')) {
		const char *q = p + 1 + strspn(p + 1, "0123456789");

		if ('b' == *q)
			return true;

		p += '%' == p[1];
	}

	return false;
}

/* Opens folder/name: < 0 when it is not there. */
static hid_t open_in(const struct virtual *v, const char *folder, int length, const char *name, char **found)
{
	char *path = mem_printf("%.*s%s%s", length, folder, length > 0 ? "/" : "", name);
	const hid_t f = v->h5->Fopen(path, H5F_ACC_RDONLY_, 0);

	free(*found);
	*found = path;
	return f;
}

static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

/* The folders of HDF5_VDS_PREFIX, separated by colons; ${ORIGIN} is that of the file. */
static hid_t open_by_prefix(const struct virtual *v, const char *name, char **found)
{
	static const char origin[] = "${ORIGIN}";
	hid_t f = -1;

	for (const char *p = getenv("HDF5_VDS_PREFIX"); p && *p && f < 0; p += ':' == *p) {
		const int n = (int)strcspn(p, ":"), at = (int)strlen(origin);
		const bool relative = 0 == strncmp(p, origin, strlen(origin));
		char *folder =
		        relative ? mem_printf("%.*s%.*s", folder_length(v->path), v->path, n - at, p + at)
		                 : mem_printf("%.*s", n, p);

		f = open_in(v, folder, (int)strlen(folder), name, found);
		free(folder);
		p += n;
	}

	return f;
}

/* The file of a source, looked for where the library does; *found is its path (malloc'd). */
static hid_t open_source(const struct virtual *v, const char *name, char **found)
{
	const char *slash = strrchr(name, '/');
	hid_t f = -1;

	if ('/' == *name) {
		f = open_in(v, "", 0, name, found);
		name = slash + 1;
	}

	if (f < 0)
		f = open_by_prefix(v, name, found);

	if (f < 0)
		f = open_in(v, v->path, folder_length(v->path), name, found);

	if (f < 0)
		f = open_in(v, "", 0, name, found);

	char *real = f < 0 ? realpath(v->path, NULL) : NULL;

	if (real)
		f = open_in(v, real, folder_length(real), name, found);

	free(real);
	return f;
}

static void check_source(const struct virtual *v, const char *name, const char *inside, const char *whole)
{
	inside += '/' == *inside;

	char *path = NULL;
	const bool same = 0 == strcmp(name, ".");
	const hid_t f = same ? v->file : open_source(v, name, &path);

	if (f < 0)
		error("%s:/%s: the source file %s of this virtual data set is missing or not an HDF5 file",
		        v->path, whole, name);

	const hid_t d = hdf5_exists(v->h5, f, inside) ? v->h5->Dopen2(f, inside, 0) : -1;

	if (d < 0)
		error("%s:/%s: the source %s:/%s of this virtual data set is missing or cannot be opened",
		        v->path, whole, same ? v->path : path, inside);

	const struct virtual of = {.h5 = v->h5,
	        .path = same ? v->path : path,
	        .file = f,
	        .depth = v->depth + 1,
	        .looked_at = v->looked_at};

	v->h5->Oclose(d);
	check(&of, inside);

	if (!same)
		v->h5->Fclose(f);

	free(path);
}

/* Elements of the data set when the library looks for numbered sources beyond `gap` missing ones. */
static hssize_t count_elements(const struct virtual *v, const char *inside, hsize_t gap)
{
	const struct hdf5 *h5 = v->h5;
	const hid_t access = h5->Pcreate(h5->P_CLS_DATASET_ACCESS_ID);

	h5->Pset_virtual_printf_gap(access, gap);

	const hid_t d = h5->Dopen2(v->file, inside, access), space = h5->Dget_space(d);
	const hssize_t n = h5->Sget_simple_extent_npoints(space);

	h5->Sclose(space);
	h5->Oclose(d);
	h5->Pclose(access);
	return n;
}

/* All sources whose names are not numbered; true when others are. */
static bool check_sources(const struct virtual *v, const char *inside, hid_t list)
{
	char name[NAME_LENGTH], path[NAME_LENGTH], last[2 * NAME_LENGTH] = "", now[2 * NAME_LENGTH];
	size_t n = 0;
	bool numbered = false;

	v->h5->Pget_virtual_count(list, &n);

	for (size_t i = 0; i < n; i++) {
		if (v->h5->Pget_virtual_filename(list, i, name, sizeof name) < 0 ||
		        v->h5->Pget_virtual_dsetname(list, i, path, sizeof path) < 0)
			error("%s:/%s: source %zu of this virtual data set cannot be read", v->path, inside,
			        i);

		if (++*v->looked_at > SOURCES_MAX)
			error("%s:/%s: this virtual data set has more than %d sources", v->path, inside,
			        SOURCES_MAX);

		const bool pattern = has_pattern(name) || has_pattern(path);

		snprintf(now, sizeof now, "%s\n%s", name, path);

		if (!pattern && 0 != strcmp(now, last))
			check_source(v, name, path, inside);

		memcpy(last, now, sizeof last);
		numbered |= pattern;
	}

	return numbered;
}

/* An object that is open already would keep the settings of its first opening: none is open here. */
static void check(const struct virtual *v, const char *inside)
{
	const struct hdf5 *h5 = v->h5;
	const hid_t d = h5->Dopen2(v->file, inside, 0), list = h5->Dget_create_plist(d);
	const bool is_virtual = H5D_VIRTUAL_ == h5->Pget_layout(list) && v->depth < DEPTH_MAX;

	inside += '/' == *inside;
	h5->Oclose(d);

	if (is_virtual && check_sources(v, inside, list) &&
	        count_elements(v, inside, 0) != count_elements(v, inside, GAP_MAX))
		error("%s:/%s: some of the numbered sources of this virtual data set are missing", v->path,
		        inside);

	h5->Pclose(list);
}

void hdf5_check_virtual(const struct hdf5 *h5, hid_t file, const char *path, const char *inside)
{
	long looked_at = 0;

	check(&(struct virtual){.h5 = h5, .path = path, .file = file, .looked_at = &looked_at}, inside);
}
