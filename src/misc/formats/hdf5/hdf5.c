/**
 * HDF5: any dataset, and the scans that Data Exchange [1] and NXtomo [2] describe.
 *
 * A dataset of shape (view, row, column), last index fastest, is an array (column, row, view): the bytes are
 * in the same order. MATLAB 7.3 files are HDF5 files whose shapes are already reversed in this way.
 *
 * [1] De Carlo et al., "Scientific data exchange: a schema for HDF5-based storage of raw and analyzed data",
 *     J. Synchrotron Rad. 21 (2014) 1224-1230
 * [2] NeXus application definition NXtomo: image_key 0 projection, 1 flat, 2 dark, 3 invalid
 */

#include "misc/formats/hdf5/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/embed.h"
#include "misc/formats/hdf5/hdf5_internal.h"
#include "misc/mem.h"

enum { NAME_MAX_ = 512, DEPTH_MAX = 16, LIST_MAX = 12 };

static const double degree = 3.14159265358979323846 / 180.;

struct dataset {
	const struct hdf5 *h5;
	const char *name;            // of the file
	hid_t file, id, space, type; // type in memory
	int rank;
	hsize_t dims[H5S_MAX_RANK_]; // the file's order
	long *frames;                // of an NXtomo stack: those of this part, or NULL
	long count;
};

/* Where a scan lies in a file. */
struct layout {
	char *data[PART_COUNT]; // paths, NULL = none
	char *keys;             // NXtomo: image_key for all parts, which share one dataset
	char *angles;
};

static void layout_free(struct layout *l)
{
	for (int p = 0; p < PART_COUNT; p++)
		free(l->data[p]);

	free(l->keys);
	free(l->angles);
}

static hid_t open_file(const struct hdf5 *h5, const char *path)
{
	long size;

	close(file_open_regular(path, &size)); // the library would wait for the writer of a FIFO

	hid_t f = h5->Fopen(path, H5F_ACC_RDONLY_, 0);

	if (f < 0)
		error("%s cannot be opened as an HDF5 file and may be damaged or truncated (%s)", path,
		        hdf5_reason(h5));

	return f;
}

bool hdf5_exists(const struct hdf5 *h5, hid_t file, const char *path)
{
	char *part = mem_strdup(path);
	bool there = true;

	for (char *p = part + 1; there; p++) {
		char *slash = strchr(p, '/');

		if (slash)
			*slash = '\0';

		there = h5->Lexists(file, part, 0) > 0;

		if (!slash)
			break;

		*slash = '/';
		p = slash;
	}

	free(part);
	return there;
}

static hid_t open_object(const struct hdf5 *h5, hid_t file, const char *path, int kind)
{
	hid_t o = hdf5_exists(h5, file, path) ? h5->Oopen(file, path, 0) : -1;

	if (o >= 0 && kind != h5->Iget_type(o)) {
		h5->Oclose(o);
		o = -1;
	}

	return o;
}

/* ---- types ---- */

static int integer_type(size_t size, bool negative)
{
	static const enum dtype u[] = {DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64};
	static const enum dtype i[] = {DT_INT8, DT_INT16, DT_INT32, DT_INT64};

	for (int k = 0; k < 4; k++)
		if (size == (size_t)1 << k)
			return negative ? i[k] : u[k];

	return -1;
}

/* Two members of one floating type: a complex number, as h5py and MATLAB write it. */
static int compound_type(const struct hdf5 *h5, hid_t t)
{
	if (2 != h5->Tget_nmembers(t))
		return -1;

	hid_t re = h5->Tget_member_type(t, 0), im = h5->Tget_member_type(t, 1);
	size_t n = h5->Tget_size(re);
	int type = -1;

	if (H5T_FLOAT_ == h5->Tget_class(re) && H5T_FLOAT_ == h5->Tget_class(im) && n == h5->Tget_size(im))
		type = 4 == n ? DT_COMPLEX64 : 8 == n ? DT_COMPLEX128 : -1;

	h5->Tclose(re);
	h5->Tclose(im);
	return type;
}

static int element_type(const struct hdf5 *h5, hid_t t)
{
	const size_t n = h5->Tget_size(t);

	switch (h5->Tget_class(t)) {
	case H5T_INTEGER_:
		return integer_type(n, 0 != h5->Tget_sign(t));
	case H5T_FLOAT_:
		return 2 == n ? DT_FLOAT16 : 4 == n ? DT_FLOAT32 : 8 == n ? DT_FLOAT64 : -1;
	case H5T_ENUM_: // h5py's bool
		return 1 == n && 2 == h5->Tget_nmembers(t) ? DT_BOOL : -1;
	case H5T_COMPOUND_:
		return compound_type(h5, t);
	default:
		return -1;
	}
}

static hid_t half_type(const struct hdf5 *h5)
{
	hid_t t = h5->Tcopy(h5->T_NATIVE_FLOAT);

	h5->Tset_fields(t, 15, 10, 5, 0, 10);
	h5->Tset_ebias(t, 15);
	h5->Tset_precision(t, 16);
	h5->Tset_size(t, 2);
	return t;
}

static hid_t complex_type(const struct hdf5 *h5, hid_t part, const char *re, const char *im)
{
	const size_t n = h5->Tget_size(part);
	hid_t t = h5->Tcreate(H5T_COMPOUND_, 2 * n);

	h5->Tinsert(t, re, 0, part);
	h5->Tinsert(t, im, n, part);
	return t;
}

static hid_t bool_type(const struct hdf5 *h5)
{
	const signed char no = 0, yes = 1;
	hid_t t = h5->Tenum_create(h5->T_NATIVE_INT8);

	h5->Tenum_insert(t, "FALSE", &no);
	h5->Tenum_insert(t, "TRUE", &yes);
	return t;
}

/* The type in memory; names of the parts of complex numbers are those of the file, or h5py's. */
hid_t hdf5_memory_type(const struct hdf5 *h5, enum dtype t, const char *re, const char *im)
{
	switch (t) {
	case DT_BOOL:
		return bool_type(h5);
	case DT_INT8:
		return h5->Tcopy(h5->T_NATIVE_INT8);
	case DT_INT16:
		return h5->Tcopy(h5->T_NATIVE_INT16);
	case DT_INT32:
		return h5->Tcopy(h5->T_NATIVE_INT32);
	case DT_INT64:
		return h5->Tcopy(h5->T_NATIVE_INT64);
	case DT_UINT8:
		return h5->Tcopy(h5->T_NATIVE_UINT8);
	case DT_UINT16:
		return h5->Tcopy(h5->T_NATIVE_UINT16);
	case DT_UINT32:
		return h5->Tcopy(h5->T_NATIVE_UINT32);
	case DT_UINT64:
		return h5->Tcopy(h5->T_NATIVE_UINT64);
	case DT_FLOAT16:
		return half_type(h5);
	case DT_FLOAT32:
		return h5->Tcopy(h5->T_NATIVE_FLOAT);
	case DT_COMPLEX64:
		return complex_type(h5, h5->T_NATIVE_FLOAT, re, im);
	case DT_COMPLEX128:
		return complex_type(h5, h5->T_NATIVE_DOUBLE, re, im);
	default:
		return h5->Tcopy(h5->T_NATIVE_DOUBLE);
	}
}

/* ---- attributes ---- */

/* An attribute that is one string (malloc'd), or NULL. */
static char *read_text(const struct hdf5 *h5, hid_t object, const char *name)
{
	if (h5->Aexists(object, name) <= 0)
		return NULL;

	hid_t a = h5->Aopen(object, name, 0), t = h5->Aget_type(a), s = h5->Aget_space(a);
	char *text = NULL;

	if (a >= 0 && H5T_STRING_ == h5->Tget_class(t) && 1 == h5->Sget_simple_extent_npoints(s)) {
		if (h5->Tis_variable_str(t) > 0) {
			char *p = NULL;

			if (h5->Aread(a, t, &p) >= 0 && p)
				text = mem_strdup(p);

			h5->free_memory(p);
		} else {
			text = mem_calloc(1, h5->Tget_size(t) + 1);

			if (h5->Aread(a, t, text) < 0)
				text[0] = '\0';
		}
	}

	h5->Sclose(s);
	h5->Tclose(t);
	h5->Aclose(a);
	return text;
}

/* ---- looking round ---- */

struct walk {
	const struct hdf5 *h5;
	hid_t file;
	int least; // dims longer than 1 that an array has
	long found;
	char *first[LIST_MAX];
	char *refused, *reason; // the first object that cannot be opened, and why
};

static bool is_array(const struct hdf5 *h5, hid_t d, int least)
{
	hid_t s = h5->Dget_space(d), t = h5->Dget_type(d);
	hsize_t dims[H5S_MAX_RANK_];
	const int rank = h5->Sget_simple_extent_ndims(s);
	int n = 0;

	if (rank > 0 && rank <= H5S_MAX_RANK_) {
		h5->Sget_simple_extent_dims(s, dims, NULL);

		for (int i = 0; i < rank; i++)
			n += dims[i] > 1;
	}

	const bool good = rank > 0 && n >= least && element_type(h5, t) >= 0;

	h5->Tclose(t);
	h5->Sclose(s);
	return good;
}

/* MATLAB's own bookkeeping. */
static bool is_hidden(const char *name)
{
	return '#' == name[0];
}

static void walk(struct walk *w, const char *group, int depth)
{
	char name[NAME_MAX_];

	for (hsize_t i = 0; depth < DEPTH_MAX && w->found < 4096; i++) {
		ssize_t n = w->h5->Lget_name_by_idx(
		        w->file, group, H5_INDEX_NAME_, H5_ITER_INC_, i, name, sizeof name, 0);

		if (n < 0 || n >= NAME_MAX_)
			return;

		if (is_hidden(name))
			continue;

		char *path = mem_printf("%s%s%s", group, '/' == group[strlen(group) - 1] ? "" : "/", name);
		hid_t o = w->h5->Oopen(w->file, path, 0);
		char *reason = o < 0 && !w->refused ? hdf5_reason(w->h5) : NULL;
		const int kind = o >= 0 ? w->h5->Iget_type(o) : -1;

		if (reason) {
			w->refused = mem_strdup(path);
			w->reason = reason;
		}

		if (H5I_DATASET_ == kind && is_array(w->h5, o, w->least)) {
			if (w->found < LIST_MAX)
				w->first[w->found] = mem_strdup(path);

			w->found++;
		}

		if (o >= 0)
			w->h5->Oclose(o);

		if (H5I_GROUP_ == kind)
			walk(w, path, depth + 1);

		free(path);
	}
}

static char *join(const char *a, const char *b)
{
	return mem_printf("%s%s", a, b);
}

static char *if_dataset(const struct hdf5 *h5, hid_t file, const char *base, const char *rest)
{
	char *path = join(base, rest);
	hid_t o = open_object(h5, file, path, H5I_DATASET_);

	if (o >= 0) {
		h5->Oclose(o);
		return path;
	}

	free(path);
	return NULL;
}

static bool data_exchange(const struct hdf5 *h5, hid_t file, struct layout *l)
{
	static const char *const names[] = {"/data", "/data_white", "/data_dark"};

	for (int p = 0; p < PART_COUNT; p++)
		l->data[p] = if_dataset(h5, file, "/exchange", names[p]);

	l->angles = if_dataset(h5, file, "/exchange", "/theta");
	return l->data[PART_DATA];
}

/* An entry, or a subentry of it, that looks like NXtomo. */
static bool nxtomo(const struct hdf5 *h5, hid_t file, const char *entry, struct layout *l)
{
	static const char *const data[] = {
	        "/instrument/detector/data", "/data/data", "/tomo_data/data", "/result/data"};
	static const char *const keys[] = {"/instrument/detector/image_key", "/data/image_key"};
	static const char *const angles[] = {
	        "/sample/rotation_angle", "/data/rotation_angle", "/config/angles"};

	for (int i = 0; i < 4 && !l->data[PART_DATA]; i++)
		l->data[PART_DATA] = if_dataset(h5, file, entry, data[i]);

	if (!l->data[PART_DATA])
		return false;

	for (int i = 0; i < 2 && !l->keys; i++)
		l->keys = if_dataset(h5, file, entry, keys[i]);

	for (int i = 0; i < 3 && !l->angles; i++)
		l->angles = if_dataset(h5, file, entry, angles[i]);

	if (l->keys || l->angles)
		return true;

	free(l->data[PART_DATA]);
	l->data[PART_DATA] = NULL;
	return false;
}

static bool find_layout(const struct hdf5 *h5, hid_t file, struct layout *l)
{
	char name[NAME_MAX_];

	*l = (struct layout){0};

	if (data_exchange(h5, file, l))
		return true;

	layout_free(l);
	*l = (struct layout){0};

	for (hsize_t i = 0;
	        h5->Lget_name_by_idx(file, "/", H5_INDEX_NAME_, H5_ITER_INC_, i, name, sizeof name, 0) >= 0;
	        i++) {
		char *entry = mem_printf("/%s", name), *sub = mem_printf("/%s/tomo_entry", name);
		const bool found = nxtomo(h5, file, sub, l) || nxtomo(h5, file, entry, l);

		free(entry);
		free(sub);

		if (found)
			return true;
	}

	return false;
}

/* The dataset that is meant when none is named. */
static char *only_array(const struct hdf5 *h5, hid_t file, const char *path)
{
	struct walk w = {.h5 = h5, .file = file, .least = 2};

	walk(&w, "/", 0);

	if (0 == w.found) { // then a line or a single number is meant
		w.least = 0;
		walk(&w, "/", 0);
	}

	if (0 == w.found && w.refused)
		error("%s:%s: cannot be opened (%s)", path, w.refused, w.reason);

	if (0 == w.found)
		error("%s contains no array of numbers", path);

	static bool told; // a file is opened more than once

	if (w.refused && !told)
		warn("%s:%s: cannot be opened (%s)", path, w.refused, w.reason);

	told |= NULL != w.refused;

	if (w.found > 1) {
		struct str s = {0};

		for (int i = 0; i < LIST_MAX && i < w.found; i++)
			str_printf(&s, "%s%s:%s", i ? ", " : "", path, w.first[i]);

		error("%s contains %ld arrays: choose one of %s%s", path, w.found, s.data,
		        w.found > LIST_MAX ? ", ..." : "");
	}

	return w.first[0];
}

/* ---- reading ---- */

/* All elements of a small dataset of numbers in the file `name` as float64 (malloc'd), or NULL. */
static double *read_numbers(
        const struct hdf5 *h5, hid_t file, const char *name, const char *path, long *n, char **units)
{
	hid_t d = open_object(h5, file, path, H5I_DATASET_);

	if (d < 0)
		return NULL;

	h5->Oclose(d);
	hdf5_check_virtual(h5, file, name, path);
	d = h5->Dopen2(file, path, 0);

	hid_t s = h5->Dget_space(d), t = h5->Dget_type(d);
	const hssize_t count = h5->Sget_simple_extent_npoints(s);
	const int class = h5->Tget_class(t);
	double *v = NULL;

	if (count > 0 && count < 1 << 28 && (H5T_INTEGER_ == class || H5T_FLOAT_ == class)) {
		v = mem_alloc((size_t)count * sizeof *v);
		*n = (long)count;

		if (h5->Dread(d, h5->T_NATIVE_DOUBLE, 0, 0, 0, v) < 0) {
			free(v);
			v = NULL;
		}
	}

	if (units) {
		*units = read_text(h5, d, "units");

		if (!*units) // CIL's name for it
			*units = read_text(h5, d, "angle_unit");
	}

	h5->Tclose(t);
	h5->Sclose(s);
	h5->Oclose(d);
	return v;
}

static void select_frames(struct dataset *d, struct source *s, const char *keys, enum part part)
{
	long n = 0;
	double *key = read_numbers(d->h5, d->file, d->name, keys, &n, NULL);

	if (!key || n != (long)d->dims[0])
		error("%s: %s has %ld elements, expected one for each of %llu frames", s->name, keys, n,
		        d->dims[0]);

	d->frames = mem_alloc((size_t)n * sizeof *d->frames);

	for (long i = 0; i < n; i++)
		if ((double)part == key[i])
			d->frames[d->count++] = i;

	free(key);
}

/* Frames [first, first + n) of the slowest dim. */
static void read_slab(
        struct source *s, struct dataset *d, const hsize_t start[], const hsize_t count[], void *out)
{
	hid_t memory = d->h5->Screate_simple(d->rank, count, NULL);

	d->h5->Sselect_hyperslab(d->space, H5S_SELECT_SET_, start, NULL, count, NULL);

	if (d->h5->Dread(d->id, d->type, memory, d->space, 0, out) < 0) {
		char *reason = hdf5_reason(d->h5), *filter = hdf5_missing_filter(d->h5, d->id);

		if (filter)
			error("%s: %s", s->name, filter);

		error("%s: the elements cannot be read and may be damaged (%s)", s->name, reason);
	}

	d->h5->Sclose(memory);
}

long hdf5_box(int rank, const hsize_t dims[], long first, long n, hsize_t start[], hsize_t count[])
{
	long rest = first, box = 1;
	int k = rank - 1;

	for (int i = rank - 1; i >= 0; i--) {
		start[i] = (hsize_t)rest % dims[i];
		rest /= (long)dims[i];
		count[i] = 1;
	}

	for (; k >= 0 && 0 == start[k] && box * (long)dims[k] <= n; k--) {
		count[k] = dims[k];
		box *= (long)count[k];
	}

	if (k >= 0) {
		const long room = (long)(dims[k] - start[k]), want = n / box;

		count[k] = (hsize_t)(want < room ? want : room);
		box *= (long)count[k];
	}

	return box;
}

static void read_run(struct source *s, struct dataset *d, long first, long n, char *out)
{
	while (n > 0) {
		hsize_t start[H5S_MAX_RANK_], count[H5S_MAX_RANK_];
		const long box = hdf5_box(d->rank, d->dims, first, n, start, count);

		read_slab(s, d, start, count, out);
		first += box;
		n -= box;
		out += box * (long)dtype_size(s->h.type);
	}
}

static void hdf5_read(struct source *s, long first, long n, void *out)
{
	struct dataset *d = s->ctx;

	if (!d->frames) {
		read_run(s, d, first, n, out);
		return;
	}

	const long size = (long)dtype_size(s->h.type);
	long frame = 1;

	for (int i = 1; i < d->rank; i++)
		frame *= (long)d->dims[i];

	while (n > 0) {
		const long k = first / frame, at = first % frame, m = n < frame - at ? n : frame - at;

		read_run(s, d, d->frames[k] * frame + at, m, out);
		out = (char *)out + m * size;
		first += m;
		n -= m;
	}
}

static void hdf5_close(struct source *s)
{
	struct dataset *d = s->ctx;

	d->h5->Tclose(d->type);
	d->h5->Sclose(d->space);
	d->h5->Oclose(d->id);
	d->h5->Fclose(d->file);
	free(d->frames);
	free(d);
}

static void set_dims(struct source *s, struct dataset *d)
{
	int k = 0;

	for (int i = d->rank - 1; i >= 0; i--) {
		const hsize_t n = 0 == i && d->frames ? (hsize_t)d->count : d->dims[i];

		if (0 == n || n > 1ULL << 62)
			error("%s has a dimension of %llu elements, expected at least one", s->name, n);

		if (k >= DIMS && n > 1)
			error("%s has %d dimensions, expected at most %d", s->name, d->rank, DIMS);

		if (k < DIMS)
			s->h.dims[k++] = (long)n;
	}
}

static void set_type(struct source *s, struct dataset *d)
{
	hid_t t = d->h5->Dget_type(d->id);
	const int type = element_type(d->h5, t);

	if (type < 0)
		error("%s has elements of %zu bytes of HDF5 class %d, expected integers, floats or complex "
		      "numbers",
		        s->name, d->h5->Tget_size(t), d->h5->Tget_class(t));

	s->h.type = (enum dtype)type;

	if (DT_BOOL == s->h.type) { // the names of the two values are the file's
		d->type = d->h5->Tcopy(t);
	} else if (dtype_is_complex(s->h.type)) {
		char *re = d->h5->Tget_member_name(t, 0), *im = d->h5->Tget_member_name(t, 1);

		d->type = hdf5_memory_type(d->h5, s->h.type, re, im);
		d->h5->free_memory(re);
		d->h5->free_memory(im);
	} else {
		d->type = hdf5_memory_type(d->h5, s->h.type, "r", "i");
	}

	d->h5->Tclose(t);
}

static void set_attributes(struct source *s, struct dataset *d)
{
	char *text = read_text(d->h5, d->id, "gantry"), *class = read_text(d->h5, d->id, "MATLAB_class");

	if (class && 0 == strcmp(class, "logical") && DT_UINT8 == s->h.type)
		s->h.type = DT_BOOL;

	if (text && embed_find(text))
		embed_apply(&s->h, embed_find(text), s->name, (struct said){0});

	free(text);
	free(class);
}

/* The reason why the array at that path cannot be read. */
static _Noreturn void tell_missing(const struct dataset *d, const char *path, const char *which)
{
	char *slashes = mem_strdup(which);

	if (hdf5_exists(d->h5, d->file, which)) {
		if (d->h5->Oopen(d->file, which, 0) < 0)
			error("%s:%s: cannot be opened (%s)", path, which, hdf5_reason(d->h5));

		error("%s:%s is a group, expected an array", path, which);
	}

	for (char *p = slashes; *p; p++)
		*p = '.' == *p ? '/' : *p;

	if (0 != strcmp(slashes, which) && hdf5_exists(d->h5, d->file, slashes))
		error("%s:%s: no such array in the file; did you mean %s:%s?", path, which, path, slashes);

	error("%s:%s: no such array in the file", path, which);
}

static struct source *hdf5_open(const char *path, const char *inside, enum part part)
{
	struct dataset *d = NEW(struct dataset);
	struct layout l = {0};
	char *which;

	d->h5 = hdf5_library(path);
	d->name = path;
	d->file = open_file(d->h5, path);

	if (inside && PART_DATA == part) {
		which = mem_printf("%s%s", '/' == *inside ? "" : "/", inside);
	} else if (find_layout(d->h5, d->file, &l)) {
		which = l.keys || l.data[part] ? mem_strdup(l.data[l.keys ? PART_DATA : part]) : NULL;
	} else {
		which = PART_DATA == part ? only_array(d->h5, d->file, path) : NULL;
	}

	if (!which) {
		layout_free(&l);
		d->h5->Fclose(d->file);
		free(d);
		return NULL;
	}

	char *name = mem_printf("%s:%s", path, which);
	struct source *s = source_create(name);

	d->id = open_object(d->h5, d->file, which, H5I_DATASET_);

	if (d->id < 0)
		tell_missing(d, path, which);

	d->h5->Oclose(d->id);
	hdf5_check_virtual(d->h5, d->file, path, which);
	d->id = d->h5->Dopen2(d->file, which, 0);
	d->space = d->h5->Dget_space(d->id);
	d->rank = d->h5->Sget_simple_extent_ndims(d->space);

	if (d->rank < 1 || d->rank > H5S_MAX_RANK_)
		error("%s: %s, expected an array", name, 0 == d->rank ? "a single number" : "cannot be read");

	d->h5->Sget_simple_extent_dims(d->space, d->dims, NULL);

	if (l.keys)
		select_frames(d, s, l.keys, part);

	if (l.keys && 0 == d->count) {
		s->ctx = d;
		error("%s: no frame is marked %d (%s) in %s", name, (int)part, part_name(part), l.keys);
	}

	set_dims(s, d);
	set_type(s, d);
	set_attributes(s, d);
	hdr_bytes(&s->h, name);

	if (l.keys || l.data[PART_FLATS])
		s->h.quantity = Q_UNKNOWN == s->h.quantity ? Q_COUNTS : s->h.quantity;

	s->ctx = d;
	s->read = hdf5_read;
	s->close = hdf5_close;
	layout_free(&l);
	free(name);
	free(which);
	return s;
}

static bool hdf5_probe(const unsigned char *head, long n, const char *path)
{
	static const unsigned char magic[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

	(void)path;

	// behind a user block of 512 bytes in MATLAB's files
	return (n >= 8 && 0 == memcmp(head, magic, 8)) || (n >= 520 && 0 == memcmp(head + 512, magic, 8));
}

const struct format format_hdf5 = {"HDF5", false, false, hdf5_probe, hdf5_open};

double *hdf5_angles(const char *path, const char *inside, long *n)
{
	const struct hdf5 *h5 = hdf5_library(path);
	hid_t file = open_file(h5, path);
	struct layout l = {0};
	char *units = NULL;
	double *v = NULL, *key = NULL;
	long keys = 0;

	if (inside) {
		char *which = mem_printf("%s%s", '/' == *inside ? "" : "/", inside);

		v = read_numbers(h5, file, path, which, n, &units);
		free(which);
	} else if (find_layout(h5, file, &l) && l.angles) {
		v = read_numbers(h5, file, path, l.angles, n, &units);
		key = l.keys ? read_numbers(h5, file, path, l.keys, &keys, NULL) : NULL;
	}

	// of an NXtomo stack those of the projections alone
	if (v && key && keys == *n) {
		long m = 0;

		for (long i = 0; i < *n; i++)
			if (0. == key[i])
				v[m++] = v[i];

		*n = m;
	}

	if (v && units && units[0] && 0 != strncmp(units, "rad", 3) && 0 != strncasecmp(units, "deg", 3) &&
	        0 != strcmp(units, "\xc2\xb0"))
		warn("%s: angles in '%.40s' are read as degrees", path, units);

	for (long i = 0; v && i < *n; i++) {
		if (!isfinite(v[i]))
			error("%s: angle %ld is not finite", path, i);

		if (units && 0 == strncmp(units, "rad", 3))
			v[i] /= degree;
	}

	layout_free(&l);
	free(key);
	free(units);
	h5->Fclose(file);
	return v;
}

void hdf5_tell_scan(const char *path)
{
	const struct hdf5 *h5 = hdf5_library(path);
	hid_t file = open_file(h5, path);
	struct layout l;

	if (find_layout(h5, file, &l) && (l.data[PART_FLATS] || l.data[PART_DARKS] || l.keys || l.angles))
		info("%s contains a scan, of which only the array %s is imported%s%s", path,
		        l.data[PART_DATA],
		        l.data[PART_FLATS] || l.data[PART_DARKS] || l.keys
		                ? " (--flats and --darks import the other frames)"
		                : "",
		        l.angles ? " (--angles imports the angles)" : "");

	layout_free(&l);
	h5->Fclose(file);
}
