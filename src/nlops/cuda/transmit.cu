/** Polychromatic transmission on the GPU, a thread per ray: see nlops/transmit.h. */

#include "num/cuda/gpu.h"

extern "C" {
#include "nlops/transmit.h"
}

enum { THREADS = 128 };

template <typename T> __global__ static void transmit_kernel(struct transmit p, long n, T *y, T *t)
{
	const long i = (long)blockIdx.x * THREADS + (long)threadIdx.x;
	double line[POLY_MATERIALS], slope[POLY_MATERIALS];

	if (i >= n)
		return;

	for (int m = 0; m < p.materials; m++)
		line[m] = (double)t[i + m * n];

	y[i] = (T)transmit_ray(&p, line, slope);

	for (int m = 0; m < p.materials; m++)
		t[i + m * n] = (T)slope[m];
}

static void run(const struct transmit *p, enum dtype real, long n, void *y, void *t)
{
	const long blocks = gpu_divide_up(n, (long)THREADS);

	if (DT_FLOAT32 == real)
		GPU_LAUNCH(transmit_kernel<float>, blocks, THREADS, 0, gpu_stream(), *p, n, (float *)y,
		        (float *)t);
	else
		GPU_LAUNCH(transmit_kernel<double>, blocks, THREADS, 0, gpu_stream(), *p, n, (double *)y,
		        (double *)t);
}

extern "C" {
extern const struct transmit_rays transmit_gpu;
const struct transmit_rays transmit_gpu = {run};
}
