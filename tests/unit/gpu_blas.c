/* Products of matrices on the GPU, by cuBLAS and by own kernels, against those on the CPU. */

#include <math.h>

#include "check.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/contract.h"
#include "num/md/rand.h"

/** A matrix of rows x cols in a batch, its dims in one of two orders in memory. */
struct matrix {
	long dims[3], strs[3];
	size_t bytes;
	char *host, *device;
};

static struct matrix matrix(enum dtype t, long rows, long cols, long batch, bool transposed, uint64_t seed)
{
	const long size = (long)dtype_size(t), n = rows * cols * batch, gap = 2; // rows or columns left free
	struct matrix m = {.dims = {rows, cols, batch}};
	const long ld = (transposed ? cols : rows) + gap;

	m.strs[0] = transposed ? ld * size : size;
	m.strs[1] = transposed ? size : ld * size;
	m.strs[2] = (1 == batch) ? 0 : ld * (transposed ? rows : cols) * size;
	m.bytes = (size_t)(n + gap * (transposed ? rows : cols) * batch) * (size_t)size;
	m.host = mem_alloc(m.bytes);
	m.device = device_alloc(m.bytes);

	for (long i = 0; i < (long)(m.bytes / dtype_size(dtype_real(t))); i++) {
		const double x = rand_normal(seed, (uint64_t)i);

		if (DT_FLOAT32 == dtype_real(t))
			((float *)m.host)[i] = (float)x;
		else
			((double *)m.host)[i] = x;
	}

	device_copy(m.device, m.host, m.bytes);

	return m;
}

static void matrix_free(struct matrix *m)
{
	free(m->host);
	device_free(m->device);
}

static bool agree(enum dtype t, const struct matrix *m, double tolerance)
{
	char *got = mem_alloc(m->bytes);
	const bool f = DT_FLOAT32 == dtype_real(t);
	bool good = true;

	device_copy(got, m->device, m->bytes);

	for (long i = 0; i < (long)(m->bytes / dtype_size(dtype_real(t))) && good; i++) {
		const double x = f ? (double)((float *)m->host)[i] : ((double *)m->host)[i];
		const double y = f ? (double)((float *)got)[i] : ((double *)got)[i];

		good = fabs(x - y) <= tolerance * (1 + fabs(x));
	}

	free(got);

	return good;
}

/** Rows, columns and terms; orders of the three matrices as bits. */
static bool product(enum dtype t, long m, long n, long k, long batch, unsigned order, bool conj)
{
	struct matrix c = matrix(t, m, n, batch, order & 1, 1), a = matrix(t, m, k, batch, order & 2, 2);
	struct matrix b = matrix(t, k, n, 1, order & 4, 3);

	md_matmul_t(t, conj, 3, c.dims, c.strs, c.host, a.dims, a.strs, a.host, b.dims, b.strs, b.host);
	md_matmul_t(t, conj, 3, c.dims, c.strs, c.device, a.dims, a.strs, a.device, b.dims, b.strs, b.device);

	const bool good = agree(t, &c, DT_FLOAT32 == dtype_real(t) ? 1e-5 : 1e-12);

	matrix_free(&a);
	matrix_free(&b);
	matrix_free(&c);

	return good;
}

static void check_products(enum dtype t, const char *by)
{
	for (int conj = 0; conj <= (dtype_is_complex(t) ? 1 : 0); conj++) {
		bool good = true;

		for (unsigned order = 0; order < 8; order++)
			good = good && product(t, 19, 33, 17, 1, order, conj) &&
			       product(t, 9, 8, 40, 3, order, conj) && product(t, 3, 50, 2, 2, order, conj) &&
			       product(t, 1, 30, 70, 1, order, conj);

		check(good, "%s%s by %s", dtype_name(t), conj ? ", conjugated" : "", by);
	}
}

int main(void)
{
	static const enum dtype types[] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};
	const char *wanted = getenv("GANTRY_CUBLAS");

	if (0 == device_count()) {
		printf("ok gpu_blas # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);

	for (int i = 0; i < 4; i++)
		check_products(
		        types[i], (NULL != wanted && 0 == strcmp("none", wanted)) ? "own kernels" : "cuBLAS");

	if (NULL == wanted && 0 == checks_failed) { // once more without the library, which is opened once
		fflush(stdout);
		setenv("GANTRY_CUBLAS", "none", 1);
		execl("/proc/self/exe", "gpu_blas", (char *)NULL);
		check(false, "starts again without cuBLAS");
	}

	return 0 != checks_failed;
}
