/** HDF5 and MATLAB 7.3 files with one array, with the header of the array as an attribute; spacing, origin
 * and unit are also stored as separate attributes. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/embed.h"
#include "misc/formats/hdf5/hdf5_internal.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

enum { USER_BLOCK = 512, CHUNK_BYTES = 1 << 20 };

struct writer {
	const struct hdf5 *h5;
	struct file_out *out;
	hid_t file, dataset, space, type;
	int rank;
	hsize_t dims[H5S_MAX_RANK_];
	long done; // elements
	bool matlab;
};

static _Noreturn void cannot_write(const struct target *t)
{
	const struct writer *w = t->ctx;

	errno = 0;
	file_failed(w->out, "the HDF5 library reports a failure");
}

static void hdf5_write(struct target *t, const void *data, long n)
{
	struct writer *w = t->ctx;
	const char *in = data;

	while (n > 0) {
		hsize_t start[H5S_MAX_RANK_], count[H5S_MAX_RANK_];
		const long box = hdf5_box(w->rank, w->dims, w->done, n, start, count);
		hid_t memory = w->h5->Screate_simple(w->rank, count, NULL);

		w->h5->Sselect_hyperslab(w->space, H5S_SELECT_SET_, start, NULL, count, NULL);

		if (w->h5->Dwrite(w->dataset, w->type, memory, w->space, 0, in) < 0)
			cannot_write(t);

		w->h5->Sclose(memory);
		w->done += box;
		n -= box;
		in += box * (long)dtype_size(t->h.type);
	}
}

static void put_attribute(struct writer *w, const char *name, hid_t type, hid_t space, const void *value)
{
	hid_t a = w->h5->Acreate2(w->dataset, name, type, space, 0, 0);

	if (a < 0) { // the library's limit is 64 KiB
		warn("the attribute '%s' is too long for an HDF5 file and is omitted", name);
		return;
	}

	w->h5->Awrite(a, type, value);
	w->h5->Aclose(a);
}

static void put_text(struct writer *w, const char *name, const char *text)
{
	hid_t type = w->h5->Tcopy(w->h5->T_C_S1), space = w->h5->Screate(H5S_SCALAR_);

	w->h5->Tset_size(type, strlen(text));
	put_attribute(w, name, type, space, text);
	w->h5->Sclose(space);
	w->h5->Tclose(type);
}

/* In the order of the file's dims: the last is our dim 0. */
static void put_numbers(struct writer *w, const char *name, const double v[])
{
	const hsize_t n = (hsize_t)w->rank;
	double turned[H5S_MAX_RANK_];
	hid_t space = w->h5->Screate_simple(1, &n, NULL);

	for (int i = 0; i < w->rank; i++)
		turned[i] = v[w->rank - 1 - i];

	put_attribute(w, name, w->h5->T_NATIVE_DOUBLE, space, turned);
	w->h5->Sclose(space);
}

static const char *matlab_class(enum dtype t)
{
	switch (t) {
	case DT_BOOL:
		return "logical";
	case DT_FLOAT32:
	case DT_COMPLEX64:
		return "single";
	case DT_FLOAT64:
	case DT_COMPLEX128:
		return "double";
	default:
		return dtype_name(t);
	}
}

static void put_attributes(struct target *t, struct writer *w)
{
	char *text = embed_text(&t->h);

	put_text(w, "gantry", text);
	free(text);

	if (w->matlab)
		put_text(w, "MATLAB_class", matlab_class(t->h.type));

	if (w->matlab && DT_BOOL == t->h.type) {
		const int one = 1;
		hid_t space = w->h5->Screate(H5S_SCALAR_);

		put_attribute(w, "MATLAB_int_decode", w->h5->T_NATIVE_INT32, space, &one);
		w->h5->Sclose(space);
	}

	if (t->h.unit[0])
		put_text(w, "units", t->h.unit);

	if (Q_UNKNOWN != t->h.quantity)
		put_text(w, "quantity", quantity_name(t->h.quantity));

	if (t->h.has_spacing)
		put_numbers(w, "spacing_mm", t->h.spacing);

	if (t->h.has_origin) {
		double origin[DIMS];

		for (int d = 0; d < DIMS; d++)
			origin[d] = hdr_origin(&t->h, d);

		put_numbers(w, "origin_mm", origin);
	}
}

static void hdf5_finish(struct target *t)
{
	struct writer *w = t->ctx;

	w->h5->Tclose(w->type);
	w->h5->Sclose(w->space);

	if (w->h5->Oclose(w->dataset) < 0 || w->h5->Fclose(w->file) < 0)
		cannot_write(t);

	if (w->matlab) { // the user block says what it is; the sizes of 128 bytes are those of older MAT
		         // files
		char head[129];
		FILE *f = file_stream(w->out);

		memset(head, ' ', 124);
		snprintf(head, sizeof head, "%-116s",
		        "MATLAB 7.3 MAT-file, Created by: gantry " GANTRY_VERSION " HDF5 schema 1.00 .");
		memset(head + 116, 0, 8);
		memcpy(head + 124, "\0\2IM", 4);

		if (0 != fseek(f, 0, SEEK_SET) || 128 != fwrite(head, 1, 128, f))
			cannot_write(t);
	}

	file_commit(w->out);
	free(w);
}

/* Compressed arrays are kept in pieces of whole planes where those are small, else of rows. */
static hid_t storage(struct target *t, struct writer *w)
{
	hsize_t chunk[H5S_MAX_RANK_];
	long bytes = (long)dtype_size(t->h.type);

	if (!t->o->compress)
		return 0;

	for (int i = w->rank - 1; i >= 0; i--) {
		const long room = CHUNK_BYTES / bytes;

		chunk[i] = room < 1 ? 1 : (hsize_t)room < w->dims[i] ? (hsize_t)room : w->dims[i];
		bytes *= (long)chunk[i];
	}

	hid_t list = w->h5->Pcreate(w->h5->P_CLS_DATASET_CREATE_ID);

	w->h5->Pset_chunk(list, w->rank, chunk);
	w->h5->Pset_shuffle(list);
	w->h5->Pset_deflate(list, 4);
	return list;
}

/* The groups on the way to the dataset, in a new file. */
static void make_groups(struct target *t, struct writer *w, char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';

		hid_t g = w->h5->Gcreate2(w->file, path, 0, 0, 0);

		if (g < 0)
			error("%s: cannot create group %s", t->path, path);

		w->h5->Gclose(g);
		*p = '/';
	}
}

static void create(struct target *t, bool matlab, const char *inside)
{
	struct writer *w = NEW(struct writer);
	char *path = mem_printf("%s%s", '/' == *inside ? "" : "/", inside);
	hid_t list = 0;

	if (strstr(path, "//") || '/' == path[strlen(path) - 1])
		error("%s: '%s' is not the name of an array in the file, expected one like /exchange/data",
		        t->path, inside);

	// the new file has a lock of ours, and nobody else knows it
	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
	w->h5 = hdf5_library(t->path);
	w->matlab = matlab;
	w->out = file_create_named(t->path);
	t->ctx = w;
	w->rank = hdr_rank(&t->h) < 2 ? 2 : hdr_rank(&t->h);

	for (int i = 0; i < w->rank; i++)
		w->dims[i] = (hsize_t)t->h.dims[w->rank - 1 - i];

	if (matlab) {
		list = w->h5->Pcreate(w->h5->P_CLS_FILE_CREATE_ID);
		w->h5->Pset_userblock(list, USER_BLOCK);
	}

	w->file = w->h5->Fcreate(file_out_path(w->out), H5F_ACC_TRUNC_, list, 0);

	if (list)
		w->h5->Pclose(list);

	if (w->file < 0)
		cannot_write(t);

	make_groups(t, w, path);
	w->space = w->h5->Screate_simple(w->rank, w->dims, NULL);
	w->type = matlab && DT_BOOL == t->h.type ? w->h5->Tcopy(w->h5->T_NATIVE_UINT8)
	          : matlab                       ? hdf5_memory_type(w->h5, t->h.type, "real", "imag")
	                                         : hdf5_memory_type(w->h5, t->h.type, "r", "i");
	list = storage(t, w);
	w->dataset = w->h5->Dcreate2(w->file, path, w->type, w->space, 0, list, 0);

	if (list)
		w->h5->Pclose(list);

	if (w->dataset < 0)
		error("%s: cannot create array %s in the file", t->path, path);

	put_attributes(t, w);
	free(path);
	t->write = hdf5_write;
	t->finish = hdf5_finish;
}

void target_hdf5(struct target *t)
{
	create(t, false, t->o->inside ? t->o->inside : "/exchange/data");
}

void target_matlab(struct target *t)
{
	const char *name = t->o->inside ? t->o->inside : "data";

	if (strlen(name) > 63 ||
	        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
	                strlen(name))
		error("%s: '%s' is not the name of a MATLAB variable, expected letters, digits and _",
		        t->path, name);

	create(t, true, name);
}
