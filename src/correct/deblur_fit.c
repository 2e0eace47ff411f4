/* Estimates of the noise of a blurred view, and of the power of the image. */

#include <math.h>
#include <stdlib.h>

#include "correct/deblur.h"
#include "misc/mem.h"
#include "num/md/select.h"

enum { RADII = 96, KINDS = 8 }; // bins of |f|, and of log |H|^2

/** Means over frequencies that are alike: of the view's power, of the logarithm of |f|
 * and of |H|^2. */
struct bin {
	double n, power, radius, gain;
};

static double gain_at(const struct deblur *d, long i)
{
	const double re = d->transfer[2 * i], im = d->transfer[2 * i + 1];

	return re * re + im * im;
}

double deblur_radius(const struct plane *p, long a, long b)
{
	return 2. / M_PI *
	       hypot(sin(M_PI * plane_frequency(a, p->wide)), sin(M_PI * plane_frequency(b, p->high)));
}

double deblur_noise(const struct deblur *d, const double *spectrum)
{
	const long n = plane_size(&d->plane);
	double *gain = mem_alloc((size_t)n * sizeof *gain), power = 0.;
	long count = 0;

	for (long i = 0; i < n; i++)
		gain[i] = gain_at(d, i);

	const double low = select_kth(n, n / 20, gain);

	for (long i = 0; i < n; i++)
		if (gain_at(d, i) <= low) {
			power +=
			        spectrum[2 * i] * spectrum[2 * i] + spectrum[2 * i + 1] * spectrum[2 * i + 1];
			count++;
		}

	free(gain);

	return power / (double)count / (double)n;
}

static long fill_bins(const struct deblur *d, const double *spectrum, struct bin bin[RADII * KINDS])
{
	const struct plane *p = &d->plane;
	long used = 0;

	for (long i = 0; i < RADII * KINDS; i++)
		bin[i] = (struct bin){0};

	for (long b = 0; b < p->high; b++)
		for (long a = 0; a < p->wide; a++) {
			const long i = b * p->wide + a;
			const double r = deblur_radius(p, a, b);
			const double h = gain_at(d, i);

			if (!(r > 0.))
				continue;

			const long at = (long)fmin(r / sqrt(2.) * RADII, RADII - 1),
			           kind = (long)fmin(fmax(-log2(h + 1e-30), 0.), KINDS - 1);
			struct bin *to = bin + at * KINDS + kind;

			to->n += 1.;
			to->radius += log(r);
			to->gain += h;
			to->power +=
			        spectrum[2 * i] * spectrum[2 * i] + spectrum[2 * i + 1] * spectrum[2 * i + 1];
		}

	for (long i = 0; i < RADII * KINDS; i++)
		if (bin[i].n > 0.)
			bin[used++] = (struct bin){.n = bin[i].n,
			        .power = bin[i].power / bin[i].n,
			        .radius = bin[i].radius / bin[i].n,
			        .gain = bin[i].gain / bin[i].n};

	return used;
}

/** Minus the logarithm of Whittle's likelihood of power A (|f|^-slope |H|^2 + ratio), A at its best. */
static double unlikely(long n, const struct bin bin[], double slope, double ratio)
{
	double count = 0., logs = 0., scale = 0.;

	for (long i = 0; i < n; i++) {
		const double m = exp(-slope * bin[i].radius) * bin[i].gain + ratio;

		count += bin[i].n;
		logs += bin[i].n * log(m);
		scale += bin[i].n * bin[i].power / m;
	}

	return logs / count + log(scale / count);
}

void deblur_fit(const struct deblur *d, const double *spectrum, double *noise, double *slope)
{
	struct bin *bin = mem_alloc(RADII * KINDS * sizeof *bin);
	const long n = fill_bins(d, spectrum, bin);
	double best = INFINITY, at[2] = {0., 0.}; // slope, logarithm of the ratio
	double step[2] = {0.5, 1.};

	for (double s = 0.; s <= 6.; s += step[0])
		for (double k = -20.; k <= 12.; k += step[1]) {
			const double u = unlikely(n, bin, s, exp(k));

			if (u < best) {
				best = u;
				at[0] = s;
				at[1] = k;
			}
		}

	while (step[0] > 1e-3) { // towards the least of four neighbours, or by half the step
		const double from[2] = {at[0], at[1]};

		for (int i = 0; i < 4; i++) {
			double x[2] = {from[0], from[1]};

			x[i / 2] += (i % 2) ? step[i / 2] : -step[i / 2];

			const double u = (x[0] >= 0.) ? unlikely(n, bin, x[0], exp(x[1])) : INFINITY;

			if (u < best) {
				best = u;
				at[0] = x[0];
				at[1] = x[1];
			}
		}

		if (at[0] == from[0] && at[1] == from[1]) {
			step[0] *= 0.5;
			step[1] *= 0.5;
		}
	}

	*slope = at[0];
	*noise = exp(at[1]);
	free(bin);
}
