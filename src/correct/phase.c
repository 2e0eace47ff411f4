#include "correct/phase.h"

#include <math.h>

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

void phase_view(const struct phase *p, double *out, const double *in, double *work)
{
	const struct plane *s = &p->plane;

	plane_forward(s, work, in);

	for (long b = 0; b < s->high; b++)
		for (long a = 0; a < s->wide; a++) {
			const double fu = plane_frequency(a, s->wide), fv = plane_frequency(b, s->high);
			const double w = 1. / (1. + p->strength[0] * fu * fu + p->strength[1] * fv * fv);

			work[2 * (b * s->wide + a)] *= w;
			work[2 * (b * s->wide + a) + 1] *= w;
		}

	plane_inverse(s, out, work);
}
