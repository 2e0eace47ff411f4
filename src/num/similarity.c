#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "num/similarity.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/slabs.h"

struct part {
	long n;                // elements compared
	long bad_ref, bad_img; // not finite
	double diff2, ref2;
	double max;              // |img - ref|
	double min_ref, max_ref; // range
};

struct pass {
	enum dtype type;
	bool masked;
	struct part *parts;
};

static void part_add(struct part *p, double ref_value, bool ref_ok, bool img_ok, double diff2, double ref2)
{
	p->bad_ref += !ref_ok;
	p->bad_img += !img_ok;

	if (!ref_ok || !img_ok)
		return;

	p->n++;
	p->diff2 += diff2;
	p->ref2 += ref2;
	p->max = fmax(p->max, diff2);
	p->min_ref = fmin(p->min_ref, ref_value);
	p->max_ref = fmax(p->max_ref, ref_value);
}

static void part_real(struct part *p, long n, const double *ref, const double *img, const unsigned char *mask)
{
	for (long i = 0; i < n; i++) {
		if (mask != NULL && !mask[i])
			continue;

		double d = img[i] - ref[i];

		part_add(p, ref[i], isfinite(ref[i]), isfinite(img[i]), d * d, ref[i] * ref[i]);
	}
}

static void part_complex(struct part *p, long n, const complex double *ref, const complex double *img,
        const unsigned char *mask)
{
	for (long i = 0; i < n; i++) {
		if (mask != NULL && !mask[i])
			continue;

		complex double d = img[i] - ref[i];
		double r = cabs(ref[i]);

		part_add(p, r, isfinite(creal(ref[i])) && isfinite(cimag(ref[i])),
		        isfinite(creal(img[i])) && isfinite(cimag(img[i])),
		        creal(d) * creal(d) + cimag(d) * cimag(d), r * r);
	}
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct pass *pass = ctx;
	struct part *p = &pass->parts[first / SLAB_BLOCK];
	const unsigned char *mask = pass->masked ? in[2] : NULL;

	(void)out;
	*p = (struct part){.min_ref = INFINITY, .max_ref = -INFINITY};

	if (pass->type == DT_COMPLEX128)
		part_complex(p, n, in[0], in[1], mask);
	else
		part_real(p, n, in[0], in[1], mask);
}

static void merge(struct part *a, const struct part *b)
{
	a->n += b->n;
	a->bad_ref += b->bad_ref;
	a->bad_img += b->bad_img;
	a->diff2 += b->diff2;
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
static struct part collect(struct cfl *ref, struct cfl *img, struct cfl *mask)
{
	bool cplx = dtype_is_complex(ref->hdr.type) || dtype_is_complex(img->hdr.type);
	enum dtype t = cplx ? DT_COMPLEX128 : DT_FLOAT64;
	long blocks = (ref->count + SLAB_BLOCK - 1) / SLAB_BLOCK;
	struct pass pass = {t, mask != NULL, mem_alloc((size_t)blocks * sizeof(struct part))};

	slabs_run(NULL, t, mask != NULL ? 3 : 2, (struct cfl *[]){ref, img, mask},
	        (enum dtype[]){t, t, DT_BOOL}, block, &pass, "compare");

	struct part all = {.min_ref = INFINITY, .max_ref = -INFINITY};

	for (long b = 0; b < blocks; b++)
		merge(&all, &pass.parts[b]);

	free(pass.parts);
	expect_finite(ref, all.bad_ref);
	expect_finite(img, all.bad_img);

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

static double ssim(struct cfl *ref, struct cfl *img, struct cfl *mask)
{
	cfl_map(ref); // two passes: a stream is spooled
	cfl_map(img);

	struct part p = collect(ref, img, mask);

	return similarity_ssim(ref, img, mask, range_of(ref, p.min_ref, p.max_ref));
}

double similarity(enum metric m, struct cfl *ref, struct cfl *img, struct cfl *mask)
{
	cfl_same_dims(ref, img, DIMS);

	if (m == METRIC_SSIM)
		return ssim(ref, img, mask);

	struct part p = collect(ref, img, mask);

	switch (m) {
	case METRIC_RMSE:
		return sqrt(p.diff2 / (double)p.n);
	case METRIC_PSNR:
		return 20. * log10(range_of(ref, p.min_ref, p.max_ref) / sqrt(p.diff2 / (double)p.n));
	case METRIC_MAX:
		return sqrt(p.max);
	default:
		if (p.diff2 > 0. && !(p.ref2 > 0.))
			error("%s is 0 everywhere: nrmse is undefined, --metric rmse is not", ref->name);

		return p.diff2 > 0. ? sqrt(p.diff2 / p.ref2) : 0.;
	}
}
