#include "volume/voxels.h"

#include <math.h>
#include <string.h>

#include "misc/error.h"
#include "num/kern/convert.h"

unsigned voxels_axes(const struct hdr *h)
{
	unsigned axes = 0;

	for (int d = 0; d < 3; d++)
		axes |= (unsigned)(h->dims[d] > 1) << d;

	return axes ? axes : 1;
}

void voxels_open(struct voxels *v, struct cfl *f)
{
	cfl_expect_real(f);

	v->file = f;
	v->type = f->hdr.type;
	v->data = cfl_is_mapped(f) ? NULL : cfl_map(f);
	v->nx = f->hdr.dims[0];
	v->ny = f->hdr.dims[1];
	v->nz = f->hdr.dims[2];
	v->each = v->nx * v->ny * v->nz;
	v->volumes = f->count / v->each;
	v->at = 0;
}

void voxels_select(struct voxels *v, long k)
{
	v->at = k * v->each;
}

const void *voxels_get(const struct voxels *v, long first, long n, void *buffer)
{
	if (v->data)
		return v->data + (v->at + first) * (long)dtype_size(v->type);

	return cfl_block(v->file, v->at + first, n, buffer);
}

const void *voxels_get_as(const struct voxels *v, enum dtype t, long first, long n, void *buffer, void *raw)
{
	if (v->type == t)
		return voxels_get(v, first, n, buffer);

	convert(t, buffer, v->type, voxels_get(v, first, n, raw), n, NARROW_SATURATE);

	return buffer;
}

void voxels_create(struct voxels_out *o, struct cfl *f)
{
	o->file = f;
	o->size = (long)dtype_size(f->hdr.type);
	o->data = cfl_takes_put(f) ? NULL : cfl_map_out(f);
}

void voxels_put(const struct voxels_out *o, long first, long n, const void *data)
{
	if (o->data)
		memcpy(o->data + first * o->size, data, (size_t)(n * o->size));
	else
		cfl_put(o->file, first, n, data);
}

static long nan_halves(long n, const unsigned short *x)
{
	long nans = 0;

	for (long i = 0; i < n; i++)
		nans += (x[i] & 0x7fff) > 0x7c00;

	return nans;
}

static long nan_floats(long n, const float *x)
{
	long nans = 0;

	for (long i = 0; i < n; i++)
		nans += isnan(x[i]);

	return nans;
}

static long nan_doubles(long n, const double *x)
{
	long nans = 0;

	for (long i = 0; i < n; i++)
		nans += isnan(x[i]);

	return nans;
}

long voxels_count_nan(enum dtype t, long n, const void *x)
{
	switch (t) {
	case DT_FLOAT16:
		return nan_halves(n, x);
	case DT_FLOAT32:
		return nan_floats(n, x);
	case DT_FLOAT64:
		return nan_doubles(n, x);
	default:
		return 0;
	}
}

void voxels_refuse_nan(const struct cfl *f)
{
	error("%s contains NaN, expected numbers (gantry stats counts them)", f->name);
}
