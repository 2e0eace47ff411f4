/** Polychromatic transmission on the GPU, a thread per ray: see nlops/transmit.h. */

#include "num/device/cuda/gpu.h"

extern "C" {
#include "nlops/transmit.h"
}

enum { THREADS = 128 };

/** Of MATERIALS, whose numbers lie in registers then; 0: as many as there are. */
template <typename T, int MATERIALS>
__global__ static void transmit_kernel(struct transmit p, long n, T *y, T *t)
{
	const long i = (long)blockIdx.x * THREADS + (long)threadIdx.x;
	double line[0 < MATERIALS ? MATERIALS : POLY_MATERIALS],
	        slope[0 < MATERIALS ? MATERIALS : POLY_MATERIALS];

	if (i >= n)
		return;

	p.materials = (0 < MATERIALS) ? MATERIALS : p.materials;

	for (int m = 0; m < p.materials; m++)
		line[m] = (double)t[i + m * n];

	y[i] = (T)transmit_ray(&p, line, slope);

	for (int m = 0; m < p.materials; m++)
		t[i + m * n] = (T)slope[m];
}

template <typename T> static void run_of(const struct transmit *p, long n, T *y, T *t)
{
	const long blocks = gpu_divide_up(n, (long)THREADS);

	switch (p->materials) {
	case 1:
		GPU_LAUNCH((transmit_kernel<T, 1>), blocks, THREADS, 0, gpu_stream(), *p, n, y, t);
		break;
	case 2:
		GPU_LAUNCH((transmit_kernel<T, 2>), blocks, THREADS, 0, gpu_stream(), *p, n, y, t);
		break;
	default:
		GPU_LAUNCH((transmit_kernel<T, 0>), blocks, THREADS, 0, gpu_stream(), *p, n, y, t);
	}
}

static void transmit_run(const struct transmit *p, enum dtype real, long n, void *y, void *t)
{
	if (DT_FLOAT32 == real)
		run_of<float>(p, n, (float *)y, (float *)t);
	else
		run_of<double>(p, n, (double *)y, (double *)t);
}

extern "C" {
extern const struct transmit_rays transmit_gpu;
const struct transmit_rays transmit_gpu = {transmit_run};
}
