#include "ct/fbp/fbp_options.h"

#include <math.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/kern/convert.h"

static void read_window(const char *name, struct ramp_filter *r)
{
	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);

	for (int d = 0; d < DIMS; d++)
		if (f->hdr.dims[d] > 1 && f->hdr.dims[d] < f->count)
			error("%s has several dimensions, expected the values of a filter window along one "
			      "dimension",
			        name);

	if (f->count < 2)
		error("%s has 1 value, expected the values of a filter window from frequency 0 to the "
		      "cut-off",
		        name);

	double *own = mem_alloc((size_t)f->count * sizeof *own);

	convert(DT_FLOAT64, own, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);

	for (long i = 0; i < f->count; i++)
		if (!isfinite(own[i]))
			error("%s: element %ld is not finite", name, i);

	r->samples = f->count;
	r->own = own;
	cfl_close(f);
}

/** Refuses an option that belongs to another window. */
static double only_for(double value, bool fits, const char *option, const char *window)
{
	if (isnan(value))
		return 0.;

	if (!fits)
		usage_error("--%s requires --filter %s", option, window);

	return value;
}

struct fbp_settings fbp_options_read(const struct fbp_options *o)
{
	struct fbp_settings s = {
	        .short_scan = o->short_scan < 0 ? SCAN_SILVER : (enum scan_short)o->short_scan};
	struct ramp_filter *r = &s.filter;

	if (o->own && RAMP_RAMP != o->filter)
		usage_error("--window %s and --filter exclude each other", o->own);

	if (RAMP_LAMBDA == o->filter && !isnan(o->cutoff))
		usage_error("--cutoff is for windows of the ramp filter, not for --filter lambda");

	r->window = o->own ? RAMP_OWN : (enum ramp_window)o->filter;
	r->cutoff = isnan(o->cutoff) ? 0. : o->cutoff;
	r->order = only_for(o->order, RAMP_BUTTERWORTH == r->window, "order", "butterworth");
	r->beta = only_for(o->beta, RAMP_KAISER == r->window, "beta", "kaiser");
	r->mean = only_for(o->mean, RAMP_LAMBDA == r->window, "mean", "lambda");

	if (o->own)
		read_window(o->own, r);

	return s;
}

void fbp_options_check(const struct fbp_options *o, const struct fbp *f, const char *name)
{
	if (o->short_scan >= 0 && !fbp_is_short(f))
		usage_error("--short-scan requires a fan or cone beam over less than 360 degrees (found in "
		            "%s: %s)",
		        name, fbp_describe(f));
}
