#include "correct/fourier.h"

#include "correct/rings/running_median.h"
#include "num/fft/fft.h"

static long extended(long n, long margin)
{
	return (1 < n) ? fft_good_size(n + 2 * margin) : 1;
}

struct plane plane_create(long cols, long rows, long margin)
{
	struct plane p = {
	        .cols = cols, .rows = rows, .wide = extended(cols, margin), .high = extended(rows, margin)};

	p.left = (p.wide - cols) / 2;
	p.top = (p.high - rows) / 2;

	return p;
}

long plane_size(const struct plane *p)
{
	return p->wide * p->high;
}

void plane_forward(const struct plane *p, double *out, const double *view)
{
	const long dims[] = {p->wide, p->high};

	for (long b = 0; b < p->high; b++)
		for (long a = 0; a < p->wide; a++) {
			const long i = mirrored(a - p->left, p->cols), j = mirrored(b - p->top, p->rows);

			out[2 * (b * p->wide + a)] = view[j * p->cols + i];
			out[2 * (b * p->wide + a) + 1] = 0.;
		}

	fft(2, dims, 3, 0, DT_COMPLEX128, out, out);
}

void plane_inverse(const struct plane *p, double *view, double *spectrum)
{
	const long dims[] = {p->wide, p->high};

	fft(2, dims, 3, FFT_INVERSE, DT_COMPLEX128, spectrum, spectrum);

	for (long b = 0; b < p->rows; b++)
		for (long a = 0; a < p->cols; a++)
			view[b * p->cols + a] =
			        spectrum[2 * ((b + p->top) * p->wide + a + p->left)] / (double)plane_size(p);
}

double plane_frequency(long i, long n)
{
	return (double)((2 * i < n) ? i : i - n) / (double)n;
}
