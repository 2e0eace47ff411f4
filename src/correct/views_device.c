/* Filters of views on a device. */

#include "correct/view_kernels.h"
#include "num/fft/fft.h"

void views_filter(const struct plane *p, long n, double *out, const double *in, const double *w, double *z)
{
	const long dims[] = {p->wide, p->high, n};

	view_kernels_gpu.extend(p, n, z, in);
	fft(3, dims, 3, 0, DT_COMPLEX128, z, z);
	view_kernels_gpu.weigh(p, n, z, w);
	fft(3, dims, 3, FFT_INVERSE, DT_COMPLEX128, z, z);
	view_kernels_gpu.crop(p, n, out, z);
}

double views_filter_room(const struct plane *p)
{
	return 4. * (double)plane_size(p) / (double)(p->cols * p->rows);
}
