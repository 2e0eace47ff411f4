#include "num/device/device_load.h"

#include "num/device/device.h"

struct load {
	enum dtype to, from;
	char *out;
	const char *in;
	long n, window;
};

static long window_at(const struct load *l, long k)
{
	const long left = l->n - k * l->window;

	return (left < l->window) ? left : l->window;
}

static void describe(void *ctx, long k, struct device_slab *d)
{
	const struct load *l = ctx;
	const long size = (long)dtype_size(l->from), n = window_at(l, k);

	*d = (struct device_slab){.inputs = 1,
	        .in = {{.host = (char *)l->in + k * l->window * size,
	                .width = (size_t)(n * size),
	                .rows = 1}}};
}

static void compute(void *ctx, long k, void *const in[], void *const out[])
{
	const struct load *l = ctx;

	(void)out;
	device_convert(l->to, l->out + k * l->window * (long)dtype_size(l->to), l->from, in[0],
	        window_at(l, k), false);
}

void device_load(enum dtype to, void *out, enum dtype from, const void *in, long n)
{
	enum { LEAST = 1 << 16, MOST = 1 << 22 };
	const long fit = (long)(device_left() / 8 / dtype_size(from));
	struct load l = {to, from, out, in, n, (fit < LEAST) ? LEAST : (fit > MOST) ? MOST : fit};

	if (to == from)
		device_copy(out, in, (size_t)n * dtype_size(to));
	else if (device_holds(in))
		device_convert(to, out, from, in, n, false);
	else
		device_run_pipeline(&(const struct device_pipeline){.slabs = (n + l.window - 1) / l.window,
		        .describe = describe,
		        .compute = compute,
		        .ctx = &l});
}
