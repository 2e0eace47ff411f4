/* Work over whole files: conversion, repetition, blocks, several types, against loops over the mapped arrays.
 */

#include <complex.h>
#include <math.h>
#include <omp.h>

#include "check.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"
#include "num/md/rand.h"
#include "num/shape/slabs.h"

/* An array whose element i is i % 113 in any type. */
static void make(const char *name, enum dtype t, int D, const long dims[])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, D, dims);
	h.type = t;

	struct cfl *f = cfl_create(name, &h);
	char *p = cfl_map_out(f);

	for (long i = 0; i < f->count; i++) {
		double v = (double)(i % 113);

		convert(t, p + i * (long)dtype_size(t), DT_FLOAT64, &v, 1, NARROW_SATURATE);
	}

	cfl_close(f);
}

static struct cfl *output(const char *name, enum dtype t, int D, const long dims[])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, D, dims);
	h.type = t;
	return cfl_create(name, &h);
}

struct seen {
	long total, largest;
	bool aligned;
};

/* out = 1000 a + b + element number / 2^20, as float64. */
static void mix(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct seen *s = ctx;
	const double *a = in[0];
	const float *b = in[1];
	double *o = out;

#pragma omp critical
	{
		s->total += n;
		s->largest = n > s->largest ? n : s->largest;
		s->aligned = s->aligned && 0 == first % SLAB_BLOCK;
	}

	for (long i = 0; i < n; i++)
		o[i] = 1000 * a[i] + (double)b[i] + (double)(first + i) * 0x1p-20;
}

static bool mixed(const char *name, int D, const long dims[], const long bdims[])
{
	struct cfl *f = cfl_open(name);
	const double *o = cfl_map(f);
	long bstrs[DIMS], pos[DIMS] = {0}, i = 0;
	bool good = true;

	md_calc_strides(D, bstrs, bdims, 1);

	do {
		long b = md_calc_offset(D, bstrs, pos);

		good = good && o[i] == 1000. * (double)(i % 113) + (double)(b % 113) + (double)i * 0x1p-20;
		i++;
	} while (md_next(D, dims, ~0ul, pos));

	cfl_close(f);
	return good;
}

static void test_repeat(void)
{
	const long dims[] = {61, 47, 30, 2};
	const long shapes[][4] = {{61, 47, 30, 2}, {1, 1, 1, 1}, {61, 1, 1, 1}, {1, 47, 1, 2}, {61, 1, 30, 1},
	        {1, 1, 30, 2}, {61, 47, 1, 1}, {1, 1, 1, 2}};

	make("a", DT_UINT8, 4, dims);

	for (unsigned k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		struct seen s = {.aligned = true};

		make("b", k % 2 ? DT_INT16 : DT_FLOAT32, 4, shapes[k]);
		omp_set_num_threads(1 + (int)k % 3);

		struct cfl *a = cfl_open("a"), *b = cfl_open("b"), *o = output("o", DT_FLOAT64, 4, dims);

		slabs_run(o, DT_FLOAT64, 2, (struct cfl *const[]){a, b},
		        (const enum dtype[]){DT_FLOAT64, DT_FLOAT32}, mix, &s, "test");
		check(s.aligned && SLAB_BLOCK == s.largest && o->count == s.total,
		        "slabs: blocks of one grid, each element once");
		cfl_close(a);
		cfl_close(b);
		cfl_close(o);
		check(mixed("o", 4, dims, shapes[k]), "slabs: second input %ld x %ld x %ld x %ld repeated",
		        shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]);
	}
}

static void square(void *ctx, long first, long n, void *out, const void *const in[])
{
	const double *a = in[0];
	double *o = out;

	(void)ctx;
	(void)first;

	for (long i = 0; i < n; i++)
		o[i] = a[i] * a[i];
}

/* Converted on both sides; sizes around the block. */
static void test_types(void)
{
	static const enum dtype types[] = {
	        DT_BOOL, DT_INT16, DT_UINT64, DT_FLOAT16, DT_FLOAT64, DT_COMPLEX64};

	for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++) {
		long n = SLAB_BLOCK * (long)(k / 2) + 2047 + (long)k;
		bool good = true;

		make("a", types[k], 1, &n);

		struct cfl *a = cfl_open("a"), *o = output("o", DT_FLOAT32, 1, &n);

		slabs_run(o, DT_FLOAT64, 1, (struct cfl *const[]){a}, (const enum dtype[]){DT_FLOAT64},
		        square, NULL, "test");
		cfl_close(a);
		cfl_close(o);
		o = cfl_open("o");

		const float *p = cfl_map(o);

		for (long i = 0; i < n; i++) {
			double v = (double)(i % 113);

			good = good && p[i] == (float)(DT_BOOL == types[k] ? v != 0 : v * v);
		}

		cfl_close(o);
		check(good, "slabs: %ld elements of %s to float32", n, dtype_name(types[k]));
	}
}

static void add_up(void *ctx, long first, long n, void *out, const void *const in[])
{
	double *partial = ctx, sum = 0;

	(void)out;

	for (long i = 0; i < n; i++)
		sum += ((const double *)in[0])[i];

	partial[first / SLAB_BLOCK] = sum;
}

static void test_no_output(void)
{
	const long dims[] = {300, 1000};
	double partial[300000 / SLAB_BLOCK + 1] = {0}, sum = 0, expected = 0;

	make("a", DT_INT32, 2, dims);

	struct cfl *a = cfl_open("a");

	slabs_run(NULL, DT_FLOAT64, 1, (struct cfl *const[]){a}, (const enum dtype[]){DT_FLOAT64}, add_up,
	        partial, "test");
	cfl_close(a);

	for (unsigned i = 0; i < sizeof partial / sizeof partial[0]; i++)
		sum += partial[i];

	for (long i = 0; i < 300000; i++)
		expected += (double)(i % 113);

	check(sum == expected, "slabs: a pass without an output");
}

/* o0 = sum of all inputs, o1 = first - last, o2 = element number; types of their own. */
static void three(void *ctx, long first, long n, void *const out[], const void *const in[])
{
	(void)ctx;

	for (long i = 0; i < n; i++) {
		double sum = 0;

		for (int k = 0; k < SLAB_INPUTS; k++)
			sum += ((const float *)in[k])[i];

		((double *)out[0])[i] = sum;
		((float *)out[1])[i] = ((const float *)in[0])[i] - ((const float *)in[SLAB_INPUTS - 1])[i];
		((int64_t *)out[2])[i] = first + i;
	}
}

static void test_many(void)
{
	static const char *const outs[] = {"p0", "p1", "p2"};
	static const enum dtype stored[] = {DT_FLOAT32, DT_FLOAT32, DT_INT32},
	                        work[] = {DT_FLOAT64, DT_FLOAT32, DT_INT64};
	const long dims[DIMS] = {211, 333, 2, [3 ... DIMS - 1] = 1}, line[] = {211, 1, 2};
	struct cfl *in[SLAB_INPUTS], *out[3];
	enum dtype want[SLAB_INPUTS];
	bool good = true;

	make("a", DT_UINT8, 3, dims);
	make("b", DT_FLOAT64, 3, line);

	for (int k = 0; k < SLAB_INPUTS; k++) {
		in[k] = cfl_open(k % 2 ? "b" : "a");
		want[k] = DT_FLOAT32;
	}

	for (int k = 0; k < 3; k++)
		out[k] = output(outs[k], stored[k], 3, dims);

	slabs_pass(&(const struct slabs){.what = "test",
	        .dims = dims,
	        .nout = 3,
	        .out = out,
	        .work = work,
	        .nin = SLAB_INPUTS,
	        .in = in,
	        .want = want,
	        .fn = three});

	for (int k = 0; k < SLAB_INPUTS; k++)
		cfl_close(in[k]);

	for (int k = 0; k < 3; k++)
		cfl_close(out[k]);

	for (int k = 0; k < 3; k++)
		out[k] = cfl_open(outs[k]);

	const float *sum = cfl_map(out[0]), *difference = cfl_map(out[1]);
	const int32_t *number = cfl_map(out[2]);

	for (long i = 0; i < out[0]->count; i++) {
		double a = (double)(i % 113), b = (double)((i % 211 + i / (211 * 333) * 211) % 113);

		good = good && sum[i] == (float)(SLAB_INPUTS / 2 * (a + b)) && difference[i] == a - b &&
		       number[i] == i;
	}

	for (int k = 0; k < 3; k++)
		cfl_close(out[k]);

	check(good, "slabs: sixteen inputs, three outputs of other types");
}

static void wrong_dims(void)
{
	make("a", DT_FLOAT32, 2, (const long[]){4, 3});
	make("b", DT_FLOAT32, 2, (const long[]){4, 2});

	struct cfl *a = cfl_open("a"), *b = cfl_open("b"),
	           *o = output("o2", DT_FLOAT32, 2, (const long[]){4, 3});

	slabs_run(o, DT_FLOAT32, 2, (struct cfl *const[]){a, b}, (const enum dtype[]){DT_FLOAT64, DT_FLOAT32},
	        mix, NULL, "test");
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room);

	if (!mkdtemp(folder) || 0 != chdir(folder)) {
		check(false, "a folder for the test");
		return 1;
	}

	test_repeat();
	test_types();
	test_no_output();
	test_many();
	check_ends(1, "expected equal dimensions", wrong_dims, "slabs: other dims are refused");
	check(0 != access("o2.hdr", F_OK) && 0 != access("o2.cfl", F_OK), "slabs: and leave no output");

	static const char *const names[] = {"a.cfl", "a.hdr", "b.cfl", "b.hdr", "o.cfl", "o.hdr", "p0.cfl",
	        "p0.hdr", "p1.cfl", "p1.hdr", "p2.cfl", "p2.hdr"};

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		unlink(names[i]);

	check(0 == chdir("/") && 0 == rmdir(folder), "slabs: no temporaries are left");

	return checks_failed > 0;
}
