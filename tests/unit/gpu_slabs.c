/* Passes over files, reductions of files and conversions on the GPU against those on the CPU. */

#include <complex.h>
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"
#include "num/md/rand.h"
#include "num/md/saxpy.h"
#include "num/shape/reduce_dims.h"

static struct cfl *output(const char *name, enum dtype t, int D, const long dims[])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, D, dims);
	h.type = t;

	return cfl_create(name, &h);
}

static void make(const char *name, enum dtype t, int D, const long dims[], uint64_t seed)
{
	struct cfl *f = output(name, t, D, dims);
	char *p = cfl_map_out(f);

	for (long i = 0; i < f->count; i++) {
		const double x[2] = {
		        50 * rand_normal(seed, 2 * (uint64_t)i), rand_normal(seed, 2 * (uint64_t)i + 1)};

		uint32_t bits[4];

		philox4x32(bits, seed, (uint64_t)i, 0);

		if (DT_INT64 == t || DT_UINT64 == t)
			memcpy(p + 8 * i, bits, 8);
		else
			convert(t, p + i * (long)dtype_size(t), DT_COMPLEX128, x, 1, NARROW_SATURATE);
	}

	cfl_close(f);
}

/** The largest difference of two files relative to the largest element, as complex numbers. */
static double difference(const char *a_name, const char *b_name)
{
	struct cfl *a = cfl_open(a_name), *b = cfl_open(b_name);
	const size_t sa = dtype_size(a->hdr.type), sb = dtype_size(b->hdr.type);
	const char *p = cfl_map(a), *q = cfl_map(b);
	double most = 1e-300, d = 0;

	for (long i = 0; i < a->count; i++) {
		complex double x, y;

		convert(DT_COMPLEX128, &x, a->hdr.type, p + i * (long)sa, 1, NARROW_SATURATE);
		convert(DT_COMPLEX128, &y, b->hdr.type, q + i * (long)sb, 1, NARROW_SATURATE);
		most = fmax(most, cabs(x));
		d = fmax(d, cabs(x - y));
	}

	cfl_close(a);
	cfl_close(b);

	return d / most;
}

static void saxpy(const char *out, enum dtype t, const char *x_name, const char *y_name, complex double s)
{
	struct cfl *x = cfl_open(x_name), *y = (NULL != y_name) ? cfl_open(y_name) : NULL;
	struct cfl *z = output(out, t, DIMS, x->hdr.dims);

	saxpy_run(z, s, x, y);
	cfl_close(x);

	if (NULL != y)
		cfl_close(y);

	cfl_close(z);
}

static void reduce(const char *out, enum dtype t, struct fold_spec spec, unsigned long dims,
        const char *x_name, const char *y_name)
{
	struct reduce_dims r = {
	        .spec = spec, .dims = dims, .nin = (NULL != y_name) ? 2 : 1, .in = {cfl_open(x_name)}};
	struct hdr h;

	if (NULL != y_name)
		r.in[1] = cfl_open(y_name);

	hdr_copy(&h, &r.in[0]->hdr);
	h.type = t;
	reduce_dims_header(&h, dims);

	struct cfl *z = cfl_create(out, &h);

	reduce_dims(&r, z, "reduce");

	for (int k = 0; k < r.nin; k++)
		cfl_close(r.in[k]);

	cfl_close(z);
	hdr_free(&h);
}

/** Up to the ends of 64 bits: sums of few of them are clipped. */
static const char *const integers[] = {"i64", "u64", "i16", "bool"};
enum { INTEGERS = sizeof integers / sizeof *integers };

/** Everything that is compared, into files that begin with `to`. */
static void work(const char *to)
{
	char name[64];
	int i = 0;

#define NEXT (snprintf(name, sizeof name, "%s%d", to, i++), name)
	saxpy(NEXT, DT_FLOAT32, "f32", "f32b", .37);
	saxpy(NEXT, DT_FLOAT32, "i16", "f32", .37);
	saxpy(NEXT, DT_COMPLEX64, "f32", NULL, .5 - I);
	saxpy(NEXT, DT_COMPLEX64, "c64", "row", 2);
	saxpy(NEXT, DT_INT16, "f32", "f16", 3);
	saxpy(NEXT, DT_FLOAT16, "f16", "f16", .25);
	saxpy(NEXT, DT_FLOAT64, "f64", "i16", 1e-3);
	reduce(NEXT, DT_FLOAT32, (struct fold_spec){.red = RED_SUM}, 4, "f32", NULL);
	reduce(NEXT, DT_FLOAT32, (struct fold_spec){.red = RED_SUM}, 1, "f16", NULL);
	reduce(NEXT, DT_FLOAT64, (struct fold_spec){.red = RED_MEAN}, 5, "f64", NULL);
	reduce(NEXT, DT_FLOAT32, (struct fold_spec){.red = RED_NORM}, 2, "c64", NULL);
	reduce(NEXT, DT_FLOAT32, (struct fold_spec){.red = RED_MAX, .magnitude = true}, 2, "c64", NULL);
	reduce(NEXT, DT_FLOAT32, (struct fold_spec){.red = RED_MIN}, ~0ul, "f32", NULL);
	reduce(NEXT, DT_COMPLEX64, (struct fold_spec){.red = RED_DOT}, 3, "c64", "row");
	reduce(NEXT, DT_COMPLEX64, (struct fold_spec){.red = RED_DOT, .plain = true}, 3, "c64", "f32");
	for (int k = 0; k < INTEGERS; k++) {
		const char *x = integers[k];

		saxpy(NEXT, DT_INT64, x, "i16", -3);
		saxpy(NEXT, DT_UINT64, x, "u64", -3);
		saxpy(NEXT, DT_INT16, x, NULL, 1L << 40);
		saxpy(NEXT, DT_FLOAT64, "bool", x, 3);
		reduce(NEXT, DT_INT64, (struct fold_spec){.red = RED_MIN}, 1, x, NULL);
		reduce(NEXT, DT_UINT64, (struct fold_spec){.red = RED_MAX}, 4, x, NULL);
		reduce(NEXT, DT_FLOAT64, (struct fold_spec){.red = RED_MAX, .magnitude = true}, 6, x, NULL);
	}

	reduce(NEXT, DT_FLOAT64, (struct fold_spec){.red = RED_MEAN}, 3, "i16", NULL);
	reduce(NEXT, DT_INT64, (struct fold_spec){.red = RED_DOT}, 2, "i16", "bool");
	reduce(NEXT, DT_INT32, (struct fold_spec){.red = RED_SUM}, ~0ul, "i16", NULL);
	reduce(NEXT, DT_INT64, (struct fold_spec){.red = RED_SUM}, 4, "bool", NULL);
#undef NEXT
}

enum { FILES = 15, EXACT = 7 * INTEGERS + 4 };

static void check_files(void)
{
	for (int i = 0; i < FILES; i++) {
		char a[64], b[64];

		snprintf(a, sizeof a, "cpu%d", i);
		snprintf(b, sizeof b, "gpu%d", i);

		const double d = difference(a, b);

		check(d <= ((5 == i) ? 1e-3 : 1e-6), "file %d: a difference of %g", i, d);
	}
}

/** Integers are to have the bytes of the CPU. */
static void check_integers(void)
{
	for (int i = FILES; i < FILES + EXACT; i++) {
		char a[64], b[64];

		snprintf(a, sizeof a, "cpu%d", i);
		snprintf(b, sizeof b, "gpu%d", i);

		struct cfl *x = cfl_open(a), *y = cfl_open(b);

		check(x->count == y->count && 0 == memcmp(cfl_map(x), cfl_map(y),
		                                           (size_t)x->count * dtype_size(x->hdr.type)),
		        "integers, file %d: the same bytes", i);
		cfl_close(x);
		cfl_close(y);
	}
}

/** Every pair of types, with values that do not fit, halves and NaN. */
static void check_conversions(void)
{
	static const double values[] = {0, -0., 1, -1, .5, 1.5, 2.5, -2.5, 127.5, 128, 255.5, -129, 32768,
	        65519, 65520, 65536, 2147483648., 4294967296., 9.3e18, 1.9e19, -9.3e18, 1e-7, 6e-8, 1e39,
	        -1e300, INFINITY, -INFINITY, NAN, 3};
	enum { N = sizeof values / sizeof *values };
	char *x = device_alloc(16 * N), *y = device_alloc(16 * N);

	for (int from = 0; from < DT_COUNT; from++) {
		bool good = true;

		for (int to = 0; to < DT_COUNT; to++) {
			char a[16 * N], b[16 * N], c[16 * N];
			complex double z[N];

			for (int i = 0; i < N; i++) {
				const double pair[2] = {values[i], values[(i + 5) % N]};

				memcpy(&z[i], pair, sizeof pair);
			}

			convert((enum dtype)from, a, DT_COMPLEX128, z, N, NARROW_SATURATE);
			device_copy(x, a, N * dtype_size((enum dtype)from));

			const long lost = convert((enum dtype)to, b, (enum dtype)from, a, N, NARROW_SATURATE);
			const long mine = device_convert((enum dtype)to, y, (enum dtype)from, x, N, true);

			device_copy(c, y, N * dtype_size((enum dtype)to));

			const bool same = lost == mine && 0 == memcmp(b, c, N * dtype_size((enum dtype)to));

			if (!same)
				printf("# %s to %s: %ld and %ld lost\n", dtype_name((enum dtype)from),
				        dtype_name((enum dtype)to), lost, mine);

			good = good && same;
		}

		check(good, "%s to every type", dtype_name((enum dtype)from));
	}

	device_free(x);
	device_free(y);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];
	const long dims[3] = {53, 40, 11}, row[3] = {53, 1, 11};

	if (0 == device_count()) {
		printf("ok gpu_slabs # SKIP %s\n", device_none_reason());
		return 0;
	}

	if (NULL == mkdtemp(folder) || 0 != chdir(folder))
		return 1;

	make("f32", DT_FLOAT32, 3, dims, 1);
	make("f32b", DT_FLOAT32, 3, dims, 2);
	make("f16", DT_FLOAT16, 3, dims, 3);
	make("f64", DT_FLOAT64, 3, dims, 4);
	make("i16", DT_INT16, 3, dims, 5);
	make("c64", DT_COMPLEX64, 3, dims, 6);
	make("i64", DT_INT64, 3, dims, 8);
	make("u64", DT_UINT64, 3, dims, 9);
	make("bool", DT_BOOL, 3, dims, 10);
	make("row", DT_COMPLEX64, 3, row, 7);
	work("cpu");
	device_use(0);
	work("gpu");
	check_files();
	check_integers();
	check_conversions();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 1;

	return 0 != checks_failed;
}
