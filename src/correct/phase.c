#include "correct/phase.h"

#include <math.h>
#include <stdlib.h>

#include "correct/view_kernels.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"

static const double pi = 3.14159265358979323846;

double phase_wavelength(double energy)
{
	return 1.23984198e-6 / energy; // h c = 1.23984198 keV nm
}

struct phase phase_create(
        long cols, long rows, double energy, double distance, double ratio, const double pixel[2])
{
	const double s = pi * phase_wavelength(energy) * distance * ratio;
	struct phase p = {.strength = {s / (pixel[0] * pixel[0]), s / (pixel[1] * pixel[1])}};

	// the kernel decays as exp(-r 2 pi / sqrt(strength)) in pixels: to e^-12 at the margin, or half a
	// view
	const double reach = 2. * sqrt(fmax(p.strength[0], p.strength[1]));
	const long most = (cols > rows ? cols : rows) / 2 + 1;
	const long margin = (reach < (double)most) ? (long)reach + 8 : most;

	p.plane = plane_create(cols, rows, margin);

	return p;
}

void phase_free(struct phase *p)
{
	device_free(p->there);
}

/** The filter's value at a frequency of the extended view. */
static double weight(const struct phase *p, long a, long b)
{
	const double fu = plane_frequency(a, p->plane.wide), fv = plane_frequency(b, p->plane.high);

	return 1. / (1. + p->strength[0] * fu * fu + p->strength[1] * fv * fv);
}

void phase_view(const struct phase *p, double *out, const double *in, double *work)
{
	const struct plane *s = &p->plane;

	plane_forward(s, work, in);

	for (long b = 0; b < s->high; b++)
		for (long a = 0; a < s->wide; a++) {
			const double w = weight(p, a, b);

			work[2 * (b * s->wide + a)] *= w;
			work[2 * (b * s->wide + a) + 1] *= w;
		}

	plane_inverse(s, out, work);
}

static double *weights_there(const struct phase *p)
{
	const struct plane *s = &p->plane;
	const size_t bytes = (size_t)plane_size(s) * sizeof(double);
	double *w = mem_alloc(bytes);

#pragma omp parallel for schedule(static)
	for (long b = 0; b < s->high; b++)
		for (long a = 0; a < s->wide; a++)
			w[b * s->wide + a] = weight(p, a, b);

	double *there = place_bring(w, bytes);

	free(w);

	return there;
}

void phase_views(struct phase *p, long n, double *out, const double *in)
{
	const struct plane *s = &p->plane;

	if (NULL == p->there)
		p->there = weights_there(p);

	double *z = device_alloc((size_t)(2 * n * plane_size(s)) * sizeof *z);

	views_filter(s, n, out, in, p->there, z);
	device_free(z);
}
