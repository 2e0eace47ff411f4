/* Normalisation of views on a device, by functions of arrays alone. */

#include <math.h>
#include <stdlib.h>

#include "correct/normalize_device.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

enum { D = 3 };

/** Steps of views, of one image that all share, and of a number for each view [bytes]. */
struct steps {
	long dims[D], views[D], image[D], numbers[D];
};

static struct steps steps_of(const struct normalizer *z, long n)
{
	const long size = (long)sizeof(double);

	return (struct steps){.dims = {z->cols, z->rows, n},
	        .views = {size, size * z->cols, size * z->cols * z->rows},
	        .image = {size, size * z->cols, 0},
	        .numbers = {0, 0, size}};
}

static double *bring(const double *p, long n)
{
	double *there = (NULL == p) ? NULL : device_alloc((size_t)n * sizeof *p);

	if (NULL != p)
		device_copy(there, p, (size_t)n * sizeof *p);

	return there;
}

/** x = (x - dark) gain; NaN where there is no flat or the value is not finite. */
static void flatten(struct normalizer *z, const struct steps *s, double *x)
{
	const long size = z->cols * z->rows;
	struct md_chain f = {0};
	int v = chain_operand(&f, DT_FLOAT64), dark = -1, gain = -1;
	const long *strs[3] = {s->views};
	const void *in[3] = {x};
	int n = 1;

	if (NULL == z->there) {
		z->there = bring(z->dark, size);
		z->gain_there = bring(z->gain, size);
	}

	if (NULL != z->dark) {
		dark = chain_operand(&f, DT_FLOAT64);
		strs[n] = s->image;
		in[n++] = z->there;
	}

	if (NULL != z->gain) {
		gain = chain_operand(&f, DT_FLOAT64);
		strs[n] = s->image;
		in[n++] = z->gain_there;
	}

	const int none = chain_constant(&f, DT_FLOAT64, NAN);

	if (0 <= dark)
		v = chain_op2(&f, OP_SUB, v, dark);

	if (0 <= gain) {
		const int open = chain_op2(&f, OP_GT, gain, chain_constant(&f, DT_FLOAT64, 0.));

		v = chain_op3(&f, OP_SELECT, open, chain_op2(&f, OP_MUL, v, gain), none);
	}

	chain_op3(&f, OP_SELECT, chain_op1(&f, OP_ISFINITE, v), v, none);
	md_chain(&f, DT_FLOAT64, D, s->dims, s->views, x, strs, in);
}

/** The sum and number of the values that are there, in a range of air columns of each view. */
static void sum_range(const struct normalizer *z, const struct normalize_range *r, const struct steps *s,
        const double *x, double *sum, double *count)
{
	const long dims[D] = {r->count, z->air_rows, s->dims[2]}, out[D] = {0, 0, sizeof(double)};
	const double *at = x + z->air_row * z->cols + r->first;
	struct md_chain f = {0}, g = {0};
	const struct md_reduction sums = {.red = RED_SUM, .type = DT_FLOAT64, .pre = &f},
	                          counts = {.red = RED_COUNT, .type = DT_FLOAT64, .pre = &g};
	int v = chain_operand(&f, DT_FLOAT64);

	chain_op3(&f, OP_SELECT, chain_op1(&f, OP_ISNAN, v), chain_constant(&f, DT_FLOAT64, 0.), v);
	chain_op1(&g, OP_NOT, chain_op1(&g, OP_ISNAN, chain_operand(&g, DT_FLOAT64)));
	md_reduction_t(&sums, DT_FLOAT64, D, dims, 3, out, sum, 1, (const long *const[]){s->views},
	        (const void *const[]){at});
	md_reduction_t(&counts, DT_FLOAT64, D, dims, 3, out, count, 1, (const long *const[]){s->views},
	        (const void *const[]){at});
}

/** The same in all of them. */
static void add_air(
        const struct normalizer *z, const struct steps *s, const double *x, double *sum, double *count)
{
	const long n = s->dims[2];
	double *part = mem_alloc(2 * (size_t)n * sizeof *part);

	for (int r = 0; r < z->airs; r++) {
		sum_range(z, z->air + r, s, x, part, part + n);

		for (long k = 0; k < n; k++) {
			sum[k] += part[k];
			count[k] += part[n + k];
		}
	}

	free(part);
}

static void multiply(const struct steps *s, double *x, const double *factor)
{
	double *there = bring(factor, s->dims[2]);

	md_apply2(OP_MUL, DT_FLOAT64, D, s->dims, s->views, x, s->views, x, s->numbers, there);
	device_free(there);
}

/** How many values a chain that has begun with one operand says are so. */
static long count(const struct md_chain *f, const struct steps *s, const double *x)
{
	const struct md_reduction r = {.red = RED_COUNT, .type = DT_FLOAT64, .pre = f};
	const long none[D] = {0};
	double found = 0.;

	md_reduction_t(&r, DT_FLOAT64, D, s->dims, 7, none, &found, 1, (const long *const[]){s->views},
	        (const void *const[]){x});

	return (long)found;
}

/** Floor and logarithm. */
static void finish(struct normalizer *z, const struct steps *s, double *x)
{
	struct md_chain dead = {0}, low = {0}, f = {0};
	int v;

	chain_op1(&dead, OP_ISNAN, chain_operand(&dead, DT_FLOAT64));
	z->dead += count(&dead, s, x);

	v = chain_operand(&low, DT_FLOAT64);
	chain_op2(&low, OP_LT, v, chain_constant(&low, DT_FLOAT64, NORMALIZE_FLOOR));

	if (z->log)
		z->clamped += count(&low, s, x);

	v = chain_operand(&f, DT_FLOAT64);
	v = chain_op3(&f, OP_SELECT, chain_op1(&f, OP_ISNAN, v), chain_constant(&f, DT_FLOAT64, 1.), v);

	if (z->log) {
		v = chain_op2(&f, OP_MAX, v, chain_constant(&f, DT_FLOAT64, NORMALIZE_FLOOR));
		v = chain_op1(&f, OP_LOG, v);
		chain_op2(&f, OP_SUB, chain_constant(&f, DT_FLOAT64, 0.), v);
	}

	md_chain(&f, DT_FLOAT64, D, s->dims, s->views, x, (const long *const[]){s->views},
	        (const void *const[]){x});
}

void normalize_views_device(struct normalizer *z, double *x, long first, long n, const char *name)
{
	const struct steps s = steps_of(z, n);
	double *sum = mem_calloc((size_t)n, sizeof *sum), *seen = mem_calloc((size_t)n, sizeof *seen);

	flatten(z, &s, x);

	if (0 < z->airs) {
		add_air(z, &s, x, sum, seen);

		for (long k = 0; k < n; k++)
			sum[k] = normalize_air_factor(z, sum[k], (long)seen[k], first + k, name);

		multiply(&s, x, sum);
	}

	finish(z, &s, x);
	free(sum);
	free(seen);
}
