#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/denoise/denoise.h"

#include "iter/denoise/denoisers.h"
#include "iter/denoise/sure.h"
#include "iter/functional/regularisers.h"
#include "iter/monitor/noise_level.h"
#include "iter/monitor/values.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

/** Couples those of x, y and z that are larger than 1; the choice is recorded. */
static void choose_dims(struct denoise_opts *o, const struct cfl *x)
{
	char text[4 * DIMS] = "";

	for (int d = 0; d < 3 && !o->dims_given; d++)
		o->dims |= (1 < x->hdr.dims[d]) ? 1ul << d : 0;

	if (0 == o->dims)
		error("%s has length 1 along x, y and z (choose other dimensions with --dims)", x->name);

	for (int d = 0, at = 0; d < DIMS; d++) {
		if (!(o->dims & (1ul << d)))
			continue;

		if (1 == x->hdr.dims[d] || d == DIMS - 1)
			error("--dims: %s has length %ld along dimension %d, expected a dimension longer "
			      "than 1 and numbered below %d",
			        x->name, x->hdr.dims[d], d, DIMS - 1);

		at += sprintf(text + at, "%s%d", at ? "," : "", d);
	}

	tool_record("dims", "%s", text);
}

static double estimate_noise(struct cfl *x, int dim)
{
	const double sigma = noise_level(x->hdr.type, x->hdr.dims, dim, cfl_map(x), NULL);

	if (isnan(sigma))
		error("%s: the noise cannot be estimated from %ld elements along dimension %d (give --noise)",
		        x->name, x->hdr.dims[dim], dim);

	return sigma;
}

/** gamma of the prox. Total variation: as much per mm as the noise. Soft thresholds: 1.5 times the noise,
 * less than what all noise stays below, which would take more of the image; hard ones twice that. */
static double choose_strength(struct denoise_opts *o, struct cfl *x)
{
	if (DENOISE_MEDIAN == o->method)
		return 1.;

	double h = 1.;
	const int dims = __builtin_popcountl(o->dims);

	for (int d = 0; d < DIMS; d++)
		if (o->dims & (1ul << d))
			h *= pow(fabs(x->hdr.spacing[d]), 1. / dims);

	if (!o->lambda_given && !o->noise_given) {
		o->noise = estimate_noise(x, md_min_idx(o->dims));
		info("noise: standard deviation %.4g", o->noise);
		tool_record("noise", "%.17g", o->noise);
	}

	if (DENOISE_NLM <= o->method)
		return o->noise * o->noise;

	if (!o->lambda_given)
		o->lambda = (DENOISE_WAVELET == o->method) ? 1.5 * o->noise : o->noise * h;

	if (DENOISE_WAVELET == o->method && o->hard && !o->lambda_given)
		o->lambda *= 2.;

	if (!o->lambda_given)
		verbose("lambda %.6g", o->lambda);

	return (DENOISE_WAVELET == o->method && o->hard) ? .5 * o->lambda * o->lambda : o->lambda;
}

static struct functional *create_tv(
        const struct denoise_opts *o, enum dtype type, const long dims[DIMS], const double h[DIMS])
{
	if (0 < o->bounds.n && (2 != o->bounds.n || !(o->bounds.v[0] <= o->bounds.v[1])))
		usage_error("--bounds: expected two numbers, the lower one first");

	return functional_tv_create(type, DIMS - 1, dims,
	        &(struct tv_conf){.flags = o->dims,
	                .h = h,
	                .anisotropic = o->anisotropic,
	                .bounded = 0 < o->bounds.n,
	                .lo = o->bounds.v[0],
	                .hi = o->bounds.v[1],
	                .tolerance = o->tolerance,
	                .iterations = o->iterations});
}

static struct functional *create_wavelet(const struct denoise_opts *o, enum dtype type, const long dims[DIMS])
{
	const long most = wavelet_max_levels(DIMS - 1, dims, o->dims);
	const long levels = (0 < o->levels) ? o->levels : (most < 4) ? most : 4;

	return functional_wavelet_create(type, DIMS - 1, dims,
	        &(struct wavelet_conf){.flags = o->dims,
	                .family = o->wavelet,
	                .boundary = WAVELET_PERIODIC,
	                .levels = levels,
	                .spins = o->spins,
	                .hard = o->hard});
}

static double strength_of(const struct denoise_opts *o)
{
	const double best = (DENOISE_BILATERAL == o->method)   ? BILATERAL_STRENGTH
	                    : (DENOISE_DIFFUSION == o->method) ? DIFFUSION_STRENGTH
	                                                       : 1.;

	return isnan(o->strength) ? best : o->strength;
}

static struct functional *create(const struct denoise_opts *o, enum dtype type, const struct hdr *part)
{
	const long *dims = part->dims;
	double h[DIMS];

	for (int d = 0; d < DIMS; d++)
		h[d] = fabs(part->spacing[d]);

	const struct tgv_conf tgv = {.flags = o->dims,
	        .h = h,
	        .first = 1.,
	        .second = o->ratio,
	        .tolerance = o->tolerance,
	        .iterations = o->iterations};
	const struct nlm_conf nlm = {.flags = o->dims,
	        .patch = o->patch,
	        .search = o->search,
	        .sigma = 1.,
	        .strength = strength_of(o)};
	const struct edges_conf edges = {.flags = o->dims,
	        .sigma = 1.,
	        .strength = strength_of(o),
	        .width = o->width,
	        .steps = o->steps};

	switch ((enum denoise_method)o->method) {
	case DENOISE_TV:
		return create_tv(o, type, dims, h);
	case DENOISE_TGV:
		return functional_tgv_create(type, DIMS - 1, dims, &tgv);
	case DENOISE_ICTV:
		return functional_ictv_create(type, DIMS - 1, dims, &tgv);
	case DENOISE_WAVELET:
		return create_wavelet(o, type, dims);
	case DENOISE_MEDIAN:
		return functional_median_create(type, DIMS - 1, dims, o->dims, o->radius);
	case DENOISE_NLM:
		return functional_nlm_create(type, DIMS - 1, dims, &nlm);
	case DENOISE_BILATERAL:
		return functional_bilateral_create(type, DIMS - 1, dims, &edges);
	case DENOISE_DIFFUSION:
		return functional_diffusion_create(type, DIMS - 1, dims, &edges);
	default:
		return functional_external_create(type, DIMS - 1, dims, o->command, 1., part);
	}
}

/** Arrays of the size of a part in the memory of a device. */
static long vectors(const struct denoise_opts *o)
{
	const long P = __builtin_popcountl(o->dims), M = P * (P + 1) / 2;
	const long all[] = {3 * P, 2 + 4 * P + 2 * M, 4 + 3 * P + 2 * M, 4, 0, 6, 0, 2, 0};

	return all[o->method];
}

/** Bytes that the method allocates on the CPU. */
static long memory(const struct denoise_opts *o, const struct hdr *part, const char *name)
{
	static const char what[] = "the memory of a denoiser";
	const long bytes = hdr_bytes(part, name);

	switch ((enum denoise_method)o->method) {
	case DENOISE_WAVELET:
		return mul_checked(1 < o->spins ? 3 : 1, bytes, what);
	case DENOISE_NLM: // lines in float32, longer by the search
		return mul_checked(hdr_count(part, name) / part->dims[0] * (long)sizeof(float),
		        part->dims[0] + ((o->dims & 1) ? 2 * o->search : 0), what);
	case DENOISE_DIFFUSION:
		return 1 < o->steps ? bytes : 0;
	default:
		return mul_checked(vectors(o), bytes, what);
	}
}

/** Arithmetic of an element, roughly. */
static double operations(const struct denoise_opts *o)
{
	const double dims = __builtin_popcountl(o->dims);

	switch ((enum denoise_method)o->method) {
	case DENOISE_WAVELET:
		return 100. * (double)o->spins;
	case DENOISE_MEDIAN:
		return 20. * pow(2. * (double)o->radius + 1., dims);
	case DENOISE_NLM:
		return 40. * pow(2. * (double)o->search + 1., dims);
	default:
		return 60. * (double)o->iterations;
	}
}

/** Whether parts go to the GPU: it has what the method needs, and room for that. */
static bool goes_there(const struct denoise_opts *o, const struct functional *g, const struct cfl *x)
{
	enum { TRIALS = 30 }; // applications, to choose a strength
	const double size = (double)dtype_size(functional_type(g)), n = (double)functional_size(g);
	const double times = o->sure ? TRIALS : 1.;

	if (!functional_is_anywhere(g) ||
	        !device_worth(2. * size * (double)x->count, times * operations(o) * (double)x->count))
		return false;

	if ((double)(vectors(o) + (o->sure ? SURE_PARTS : 2) + 1) * n * size <= (double)device_left())
		return true;

	warn("running on the CPU: the denoiser's arrays do not fit into GPU memory");

	return false;
}

static void run_parts(bool there, double gamma, const struct functional *g, struct cfl *x, struct cfl *y)
{
	const enum dtype type = y->hdr.type;
	const long n = functional_size(g), bytes = n * (long)dtype_size(type);
	const char *src = cfl_map(x);
	char *dst;
	long first, end;

	ranks_part(x->count / n, 1, &first, &end);
	cfl_in_parts(y);
	dst = cfl_map_out(y);

	const bool convert_here = !there && x->hdr.type != type;
	void *copy = convert_here ? mem_alloc((size_t)bytes) : NULL;
	void *in_there = there ? device_alloc((size_t)bytes) : NULL,
	     *out_there = there ? device_alloc((size_t)bytes) : NULL;

	progress_start(functional_name(g), end - first);

	for (long k = first; k < end; k++) {
		const void *in = src + k * n * (long)dtype_size(x->hdr.type);

		if (NULL != copy) {
			convert(type, copy, x->hdr.type, in, n, NARROW_SATURATE);
			in = copy;
		}

		if (there) {
			device_load(type, in_there, x->hdr.type, in, n);
			functional_prox(g, gamma, out_there, in_there);
			device_copy(dst + k * bytes, out_there, (size_t)bytes);
		} else if (0. < gamma) {
			functional_prox(g, gamma, dst + k * bytes, in);
		} else {
			memcpy(dst + k * bytes, in, (size_t)bytes);
		}

		cfl_write_own(y, k * n, n);

		progress_update(k + 1 - first);
	}

	progress_end();
	free(copy);

	if (there) {
		device_free(in_there);
		device_free(out_there);
	}
}

static enum dtype choose_type(const struct denoise_opts *o, const struct cfl *x)
{
	const enum dtype type = dtype_compute((0 <= o->type) ? (enum dtype)o->type : x->hdr.type);

	if (0 <= o->type && type != (enum dtype)o->type)
		usage_error("--type %s: expected float32, float64, complex64 or complex128",
		        dtype_name((enum dtype)o->type));

	if (dtype_is_complex(x->hdr.type) && !dtype_is_complex(type))
		usage_error("--type %s: %s is complex", dtype_name(type), x->name);

	return type;
}

static void check_sure(const struct denoise_opts *o)
{
	const bool other = DENOISE_MEDIAN <= o->method;

	if (o->sure && (other || (DENOISE_WAVELET == o->method && o->hard)))
		usage_error("--sure supports total variation and soft thresholds only");

	if (o->sure && o->lambda_given)
		usage_error("--sure excludes --lambda %g (--sure chooses lambda)", o->lambda);

	if (NULL != o->curve && !o->sure)
		usage_error("--curve needs --sure");
}

void denoise_run(struct denoise_opts *o)
{
	check_sure(o);

	struct cfl *x = cfl_open(o->in);
	struct hdr h, part;

	choose_dims(o, x);
	hdr_copy(&h, &x->hdr);
	h.type = choose_type(o, x);
	values_expect_finite(x);
	hdr_copy(&part, &h);

	for (int d = md_max_idx(o->dims) + 1; d < DIMS; d++)
		part.dims[d] = 1;

	tool_needs(
	        memory(o, &part, x->name) + mul_checked((o->sure ? SURE_PARTS : 0) + (h.type != x->hdr.type),
	                                            hdr_bytes(&part, x->name), "the memory of a denoiser"),
	        0.);

	if (o->sure || DENOISE_EXTERNAL == o->method || hdr_count(&part, x->name) == x->count)
		ranks_alone(); // one part

	double gamma = choose_strength(o, x);
	struct functional *g = create(o, h.type, &part);
	const bool there = 0. < gamma && !tool_plan() && goes_there(o, g, x);

	if (o->sure && !tool_plan()) {
		if (!(0. < o->noise))
			error("%s: the noise is %g, but --sure needs a positive value", x->name, o->noise);

		gamma = sure_choose(g, x, there, o->noise, gamma, o->curve);
		info("lambda %.6g by SURE", gamma);
		tool_record("sure", NULL);
		tool_record("lambda", "%.17g", gamma);
	}

	struct cfl *y = cfl_create(o->out, &h);

	run_parts(there, gamma, g, x, y);
	functional_free(g);
	hdr_free(&part);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
}
