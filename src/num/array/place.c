#include <stdlib.h>

#include "num/array/place.h"

#include "misc/file/cfl.h"
#include "misc/file/resident.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/device/device.h"
#include "num/md/multind.h"

void *place_on_device(struct cfl *f, bool write)
{
	static const struct resident_device how = {device_alloc, device_free, device_copy};

	return (device_used() < 0) ? NULL : cfl_on_device(f, &how, write);
}

const void *place_input(struct cfl *f)
{
	const void *there = place_on_device(f, false);

	return (NULL != there) ? there : cfl_map(f);
}

void *place_output(struct cfl *f)
{
	void *there = place_on_device(f, true);

	return (NULL != there) ? there : cfl_map_out(f);
}

void *place_take(const void *p, size_t bytes)
{
	if (!device_holds(p))
		return (void *)p;

	void *here = mem_alloc(bytes);

	device_copy(here, p, bytes);
	return here;
}

void place_done(void *here, const void *p)
{
	if (here != p)
		free(here);
}

void place_back(void *here, void *p, size_t bytes)
{
	if (here != p)
		device_copy(p, here, bytes);

	place_done(here, p);
}

void *place_bring(const void *p, size_t bytes)
{
	void *there = device_alloc(bytes);

	device_copy(there, p, bytes);
	return there;
}

double number_take(double *p)
{
	double value;

	device_copy(&value, p, sizeof value);
	device_free(p);
	return value;
}

void number_put(double *p, double value)
{
	const long one = 1;

	md_fill(1, &one, p, &value, sizeof value);
}

double place_left(const void *p)
{
	return device_holds(p) ? (double)device_left() : (double)tool_memory();
}
