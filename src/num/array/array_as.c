#include "num/array/array_as.h"

#include "misc/error.h"
#include "num/array/array_internal.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_load.h"

bool array_as_device(double bytes, double operations)
{
	if (!device_worth(bytes, operations))
		return false;

	if (bytes <= .95 * (double)device_left())
		return true;

	warn("running on the CPU: the arrays do not fit into GPU memory together");

	return false;
}

static struct array *create_there(enum dtype t, const long dims[DIMS])
{
	const long count = md_calc_size(DIMS, dims);

	return array_adopt(t, DIMS, dims, device_alloc((size_t)((0 < count) ? count : 1) * dtype_size(t)));
}

/** Copies the elements to the device and converts them to native byte order and Fortran order. */
static struct array *open_there(struct cfl *f, enum dtype t)
{
	const enum dtype from = f->hdr.type;
	struct array *there = create_there(t, f->hdr.dims);
	const void *resident = place_on_device(f, false);

	if (NULL != resident) {
		device_load(t, there->data, from, resident, f->count);
		return there;
	}

	struct array *a = array_open(f);

	if (a->swapped || !array_is_contiguous(a)) {
		struct array *copy = array_cast(a, from, array_default);

		array_free(a);
		a = copy;
	}

	device_load(t, there->data, from, a->data, f->count);
	array_free(a);

	return there;
}

struct array *array_open_as(struct cfl *f, enum dtype t, bool on_device)
{
	if (on_device)
		return open_there(f, t);

	struct array *a = array_open(f);

	if (t == a->type && !a->swapped)
		return a;

	struct array *copy = array_cast(a, t, array_default);

	array_free(a);

	return copy;
}

struct array *array_open_contiguous(struct cfl *f, enum dtype t, bool on_device)
{
	struct array *a = array_open_as(f, t, on_device);

	if (array_is_contiguous(a))
		return a;

	struct array *copy = array_cast(a, t, array_default);

	array_free(a);

	return copy;
}

long array_open_as_memory(const struct cfl *f, enum dtype t)
{
	return (t == f->hdr.type && !f->hdr.big_endian) ? 0 : f->count * (long)dtype_size(t);
}

struct array *array_out_as(struct cfl *f, enum dtype t, bool on_device)
{
	if (on_device)
		return create_there(t, f->hdr.dims);

	return (t == f->hdr.type) ? array_out(f) : array_create(t, DIMS, f->hdr.dims);
}

/** From the device to where the file's elements are, in its type. */
static void bring_back(struct cfl *f, struct array *a)
{
	const enum dtype t = f->hdr.type;
	const size_t bytes = (size_t)f->count * dtype_size(t);
	struct array *out = array_borrow(t, DIMS, f->hdr.dims, NULL, place_output(f));

	out->name = f->name;

	if (t == a->type) {
		device_copy(out->data, a->data, bytes);
	} else {
		void *converted = device_alloc(bytes);
		const long lost = device_convert(t, converted, a->type, a->data, f->count, true);

		array_report_lost(out, a->type, lost, array_default);
		device_copy(out->data, converted, bytes);
		device_free(converted);
	}

	array_free(out);
}

void array_finish_as(struct cfl *f, struct array *a)
{
	if (device_holds(a->data)) {
		bring_back(f, a);
	} else if (a->type != f->hdr.type) {
		struct array *out = array_out(f);

		array_copy(out, a, array_default);
		array_free(out);
	}

	array_free(a);
}
