/** The public library (include/gantry.h): thin wrappers of the functions that commands use. */

#include "gantry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"

#define PUBLIC __attribute__((visibility("default")))

struct gantry_array {
	struct cfl *file;
	bool output;
};

static struct gantry_array *array(struct cfl *file, bool output)
{
	struct gantry_array *a = NEW(struct gantry_array);

	a->file = file;
	a->output = output;
	return a;
}

PUBLIC const char *gantry_version(void)
{
	return GANTRY_VERSION;
}

PUBLIC struct gantry_array *gantry_open(const char *name)
{
	return array(cfl_open(name), false);
}

PUBLIC struct gantry_array *gantry_create(const char *name, const char *type, int rank, const long dims[])
{
	const int t = dtype_parse(type);
	struct hdr h;

	if (t < 0)
		error("%s: unknown type '%s', expected a type such as float32 (gantry cast --help lists the "
		      "types)",
		        name, type);

	if (rank < 0 || rank > DIMS)
		error("%s: rank %d, expected 0 to %d", name, rank, DIMS);

	for (int i = 0; i < rank; i++)
		if (dims[i] < 1)
			error("%s: dimension %d has length %ld, expected 1 or more", name, i, dims[i]);

	hdr_init(&h);
	h.type = (enum dtype)t;
	hdr_set_dims(&h, rank, dims);

	struct gantry_array *a = array(cfl_create(name, &h), true);

	hdr_free(&h);
	return a;
}

PUBLIC int gantry_rank(const struct gantry_array *a)
{
	return hdr_rank(&a->file->hdr);
}

PUBLIC const long *gantry_dims(const struct gantry_array *a)
{
	return a->file->hdr.dims;
}

PUBLIC long gantry_count(const struct gantry_array *a)
{
	return a->file->count;
}

PUBLIC const char *gantry_type(const struct gantry_array *a)
{
	return dtype_name(a->file->hdr.type);
}

PUBLIC const void *gantry_read(struct gantry_array *a)
{
	if (a->output)
		error("%s is open for writing, so only gantry_write() can access it", a->file->name);

	return cfl_map(a->file);
}

PUBLIC void *gantry_write(struct gantry_array *a)
{
	if (!a->output)
		error("%s is open for reading, so only gantry_read() can access it", a->file->name);

	return cfl_map_out(a->file);
}

PUBLIC void gantry_close(struct gantry_array *a)
{
	cfl_close(a->file);
	free(a);
}
