/* Fourier transforms of arrays on the GPU against those on the CPU. */

#include <math.h>

#include "check.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/fft/fft.h"
#include "num/md/multind.h"
#include "num/md/rand.h"

static char *noise(enum dtype real, long n)
{
	char *p = mem_alloc((size_t)n * dtype_size(real));

	for (long i = 0; i < n; i++) {
		const double x = rand_normal(5, (uint64_t)i);

		if (DT_FLOAT32 == real)
			((float *)p)[i] = (float)x;
		else
			((double *)p)[i] = x;
	}

	return p;
}

static bool agree(enum dtype real, long n, const char *a, const char *b)
{
	double most = 0, distance = 0;

	for (long i = 0; i < n; i++) {
		const bool f = DT_FLOAT32 == real;
		const double x = f ? (double)((const float *)a)[i] : ((const double *)a)[i];
		const double y = f ? (double)((const float *)b)[i] : ((const double *)b)[i];

		most = fmax(most, fabs(x));
		distance = fmax(distance, (x == y) ? 0 : isnan(x - y) ? INFINITY : fabs(x - y));
	}

	return distance <= (DT_FLOAT32 == real ? 1e-6 : 1e-14) * (1 + most);
}

static bool transforms(
        enum dtype t, int D, const long dims[], unsigned long flags, unsigned mode, bool in_place)
{
	const long n = md_calc_size(D, dims);
	const size_t bytes = (size_t)n * dtype_size(t);
	char *a = noise(dtype_real(t), 2 * n), *b = mem_alloc(bytes), *c = mem_alloc(bytes);
	char *x = device_alloc(bytes), *y = in_place ? x : device_alloc(bytes);

	device_copy(x, a, bytes);
	fft(D, dims, flags, mode, t, b, a);
	fft(D, dims, flags, mode, t, y, x);
	device_copy(c, y, bytes);

	bool good = agree(dtype_real(t), 2 * n, b, c);

	if (!in_place) {
		device_copy(c, x, bytes);
		good = good && 0 == memcmp(a, c, bytes);
		device_free(y);
	}

	device_free(x);
	free(a);
	free(b);
	free(c);

	return good;
}

static void check_complex(enum dtype t)
{
	static const long shapes[][5] = {{16, 1, 1, 1, 1}, {15, 12, 1, 1, 1}, {8, 9, 10, 1, 1},
	        {1, 6, 20, 1, 3}, {4, 5, 3, 7, 2}, {2, 7, 3, 40, 1}};

	for (int i = 0; i < 6; i++) {
		bool good = true;

		for (unsigned long flags = 0; flags < 32 && good; flags++)
			for (unsigned mode = 0; mode < 8 && good; mode += 1 + flags % 3)
				good = transforms(t, 5, shapes[i], flags, mode, mode & 1);

		check(good, "%s, shape %d, all dims, directions and centres", dtype_name(t), i);
	}
}

static void check_real(enum dtype t)
{
	for (long n = 15; n <= 16; n++) {
		const long batch = 7, half = n / 2 + 1;
		const size_t size = dtype_size(t), rb = (size_t)(n * batch) * size,
		             cb = (size_t)(2 * half * batch) * size;
		char *a = noise(t, n * batch), *b = mem_alloc(cb), *c = mem_alloc(cb);
		char *x = device_alloc(rb), *y = device_alloc(cb);

		device_copy(x, a, rb);
		fft_r2c(n, batch, t, b, a);
		fft_r2c(n, batch, t, y, x);
		device_copy(c, y, cb);
		check(agree(t, 2 * half * batch, b, c), "%ld real elements of %s", n, dtype_name(t));
		fft_c2r(n, batch, t, x, y);
		device_copy(c, x, rb);
		fft_c2r(n, batch, t, a, b);
		check(agree(t, n * batch, a, c), "and back");
		device_free(x);
		device_free(y);
		free(a);
		free(b);
		free(c);
	}
}

int main(void)
{
	if (0 == device_count()) {
		printf("ok gpu_fft # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);
	check_complex(DT_COMPLEX64);
	check_complex(DT_COMPLEX128);
	check_real(DT_FLOAT32);
	check_real(DT_FLOAT64);

	return 0 != checks_failed;
}
