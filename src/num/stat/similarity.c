#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "num/stat/similarity.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/kern.h"
#include "num/kern/similarity_kern.h"
#include "num/shape/slabs.h"

struct pass {
	enum dtype type;
	bool masked, correlated;
	const struct region *region;
	const struct hdr *hdr; // of the reference
	struct similarity_part *parts;
};

/* Adds one element to means and deviations (Welford 1962). */
static void part_deviate(struct similarity_part *p, double ref_value, double img_value)
{
	double from_ref = ref_value - p->mean[0], from_img = img_value - p->mean[1];

	p->mean[0] += from_ref / (double)p->n;
	p->mean[1] += from_img / (double)p->n;
	p->dev[0] += from_ref * (ref_value - p->mean[0]);
	p->dev[1] += from_img * (img_value - p->mean[1]);
	p->dev[2] += from_ref * (img_value - p->mean[1]);
}

static void part_add(struct similarity_part *p, double ref_value, double img_value, double diff, double diff2)
{
	p->bad_ref += !isfinite(ref_value);
	p->bad_img += !isfinite(img_value);

	if (!isfinite(ref_value) || !isfinite(img_value))
		return;

	p->n++;
	p->diff2 += diff2;
	p->diff += diff;
	p->ref2 += ref_value * ref_value;
	p->max = fmax(p->max, diff);
	p->min_ref = fmin(p->min_ref, ref_value);
	p->max_ref = fmax(p->max_ref, ref_value);

	if (p->correlated)
		part_deviate(p, ref_value, img_value);
}

static void part_real(
        struct similarity_part *p, long n, const double *ref, const double *img, const unsigned char *held)
{
	for (long i = 0; i < n; i++)
		if (held[i])
			part_add(p, ref[i], img[i], fabs(img[i] - ref[i]),
			        (img[i] - ref[i]) * (img[i] - ref[i]));
}

static void part_float(
        struct similarity_part *p, long n, const float *ref, const float *img, const unsigned char *held)
{
	for (long i = 0; i < n; i++) {
		const double diff = (double)img[i] - (double)ref[i];

		if (held[i])
			part_add(p, (double)ref[i], (double)img[i], fabs(diff), diff * diff);
	}
}

/* A magnitude is not finite where a part is not. */
static void part_complex(struct similarity_part *p, long n, const complex double *ref,
        const complex double *img, const unsigned char *held)
{
	for (long i = 0; i < n; i++) {
		const complex double d = img[i] - ref[i];
		const double diff2 = creal(d) * creal(d) + cimag(d) * cimag(d);

		if (held[i])
			part_add(p, cabs(ref[i]), cabs(img[i]), sqrt(diff2), diff2);
	}
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct pass *pass = ctx;
	struct similarity_part *p = &pass->parts[first / SLAB_BLOCK];
	unsigned char held[SLAB_BLOCK];

	(void)out;

	if (!pass->masked && NULL == pass->region && DT_COMPLEX128 != pass->type &&
	        KERN_CHOOSE(similarity_kern)(p, pass->correlated, DT_FLOAT32 == pass->type, n, in[0], in[1]))
		return;

	*p = (struct similarity_part){
	        .correlated = pass->correlated, .min_ref = INFINITY, .max_ref = -INFINITY};

	if (pass->region != NULL)
		region_fill(pass->region, pass->hdr, first, n, held);
	else
		memset(held, 1, (size_t)n);

	for (long i = 0; pass->masked && i < n; i++)
		held[i] = held[i] && ((const unsigned char *)in[2])[i];

	if (pass->type == DT_COMPLEX128)
		part_complex(p, n, in[0], in[1], held);
	else if (pass->type == DT_FLOAT32)
		part_float(p, n, in[0], in[1], held);
	else
		part_real(p, n, in[0], in[1], held);
}

/* Deviations by the update formulas of Chan, Golub and LeVeque (1979). */
static void merge(struct similarity_part *a, const struct similarity_part *b)
{
	double share = b->n > 0 ? (double)b->n / (double)(a->n + b->n) : 0.;
	double d[2] = {b->mean[0] - a->mean[0], b->mean[1] - a->mean[1]};

	const double products[3] = {d[0] * d[0], d[1] * d[1], d[0] * d[1]};

	for (int k = 0; k < 3; k++)
		a->dev[k] += b->dev[k] + (double)a->n * share * products[k];

	for (int k = 0; k < 2; k++)
		a->mean[k] += share * d[k];

	a->n += b->n;
	a->bad_ref += b->bad_ref;
	a->bad_img += b->bad_img;
	a->diff2 += b->diff2;
	a->diff += b->diff;
	a->ref2 += b->ref2;
	a->max = fmax(a->max, b->max);
	a->min_ref = fmin(a->min_ref, b->min_ref);
	a->max_ref = fmax(a->max_ref, b->max_ref);
}

static void expect_finite(const struct cfl *f, long bad)
{
	if (bad > 0)
		error("%s: %ld of the values compared are NaN or infinite, expected finite values", f->name,
		        bad);
}

/* Sums over all blocks; checked. */
static struct similarity_part collect(
        enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region)
{
	bool cplx = dtype_is_complex(ref->hdr.type) || dtype_is_complex(img->hdr.type);
	bool narrow = DT_FLOAT32 == ref->hdr.type && DT_FLOAT32 == img->hdr.type;
	enum dtype t = cplx ? DT_COMPLEX128 : narrow ? DT_FLOAT32 : DT_FLOAT64;
	long blocks = (ref->count + SLAB_BLOCK - 1) / SLAB_BLOCK;
	struct pass pass = {.type = t,
	        .masked = mask != NULL,
	        .correlated = m == METRIC_CORRELATION,
	        .region = region,
	        .hdr = &ref->hdr,
	        .parts = mem_alloc((size_t)blocks * sizeof(struct similarity_part))};

	slabs_gather(mask != NULL ? 3 : 2, (struct cfl *[]){ref, img, mask}, (enum dtype[]){t, t, DT_BOOL},
	        block, &pass, pass.parts, sizeof *pass.parts, "compare");

	struct similarity_part all = {.min_ref = INFINITY, .max_ref = -INFINITY};

	for (long b = 0; b < blocks; b++)
		merge(&all, &pass.parts[b]);

	free(pass.parts);
	expect_finite(ref, all.bad_ref);
	expect_finite(img, all.bad_img);

	if (all.n == 0 && region != NULL)
		error("region %s contains no element of %s%s%s: nothing is compared", region->text, ref->name,
		        mask != NULL ? " where the mask is not 0: " : "", mask != NULL ? mask->name : "");

	if (all.n == 0)
		error("%s is 0 everywhere: nothing is compared", mask->name);

	return all;
}

static double range_of(const struct cfl *ref, double min, double max)
{
	if (!(max > min))
		error("%s is %g everywhere: psnr and ssim need a reference that varies", ref->name, min);

	return max - min;
}

static double structural(
        enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region)
{
	cfl_map(ref); // two passes: a stream is spooled
	cfl_map(img);

	if (m == METRIC_MSSSIM && (mask != NULL || region != NULL))
		error("ms-ssim compares whole slices, expected neither a mask nor a region");

	struct similarity_part p = collect(m, ref, img, mask, region);
	double range = range_of(ref, p.min_ref, p.max_ref);

	return m == METRIC_MSSSIM ? similarity_msssim(ref, img, range)
	                          : similarity_ssim(ref, img, mask, region, range);
}

static double correlation(const struct similarity_part *p, const struct cfl *ref, const struct cfl *img)
{
	if (!(p->dev[0] > 0.) || !(p->dev[1] > 0.))
		error("%s is %g everywhere: correlation needs two arrays that vary",
		        p->dev[0] > 0. ? img->name : ref->name, p->mean[p->dev[0] > 0.]);

	return p->dev[2] / (sqrt(p->dev[0]) * sqrt(p->dev[1]));
}

static double nrmse(const struct similarity_part *p, const struct cfl *ref)
{
	if (p->diff2 > 0. && !(p->ref2 > 0.))
		error("%s is 0 everywhere: nrmse is undefined (use --metric rmse)", ref->name);

	return p->diff2 > 0. ? sqrt(p->diff2 / p->ref2) : 0.;
}

double similarity(
        enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask, const struct region *region)
{
	cfl_same_dims(ref, img, DIMS);

	if (m == METRIC_SSIM || m == METRIC_MSSSIM)
		return structural(m, ref, img, mask, region);

	struct similarity_part p = collect(m, ref, img, mask, region);
	double n = (double)p.n;

	switch (m) {
	case METRIC_RMSE:
		return sqrt(p.diff2 / n);
	case METRIC_MSE:
		return p.diff2 / n;
	case METRIC_MAE:
		return p.diff / n;
	case METRIC_PSNR:
		return 20. * log10(range_of(ref, p.min_ref, p.max_ref) / sqrt(p.diff2 / n));
	case METRIC_MAX:
		return p.max;
	case METRIC_CORRELATION:
		return correlation(&p, ref, img);
	default:
		return nrmse(&p, ref);
	}
}
