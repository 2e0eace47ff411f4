#include "misc/file/warn_grid.h"

#include <math.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"

void cfl_warn_grid(const struct cfl *f, const struct hdr *h, const char *name)
{
	const struct hdr *g = &f->hdr;
	double c[2][3][3], origin[2][3];
	const bool turned[2] = {hdr_turned(g, c[0], origin[0]), hdr_turned(h, c[1], origin[1])};

	if (!(g->has_spacing || g->has_origin) || !(h->has_spacing || h->has_origin))
		return;

	for (int d = 0; d < 3; d++) {
		const double some = 0.01 * h->spacing[d];

		if (1 == g->dims[d] || 1 == h->dims[d])
			continue;

		if (!(fabs(g->spacing[d] - h->spacing[d]) * (double)h->dims[d] <= some)) {
			warn("%s has a spacing of %g mm along dimension %d, but %s has %g mm (elements of "
			     "equal index are paired)",
			        f->name, g->spacing[d], d, name, h->spacing[d]);
			return;
		}

		const double a = turned[0] ? origin[0][d] : hdr_origin(g, d),
		             b = turned[1] ? origin[1][d] : hdr_origin(h, d);

		if (!(fabs(a - b) <= some)) {
			warn("%s begins at %g mm along dimension %d, but %s begins at %g mm (elements of "
			     "equal index are paired)",
			        f->name, a, d, name, b);
			return;
		}

		for (int i = 0; i < 3; i++) {
			const double mine = turned[0] ? c[0][d][i] : i == d,
			             other = turned[1] ? c[1][d][i] : i == d;

			if (fabs(mine - other) * (double)h->dims[d] > 0.01) {
				warn("%s and %s have different directions of dimension %d (elements of equal "
				     "index are paired)",
				        f->name, name, d);
				return;
			}
		}
	}
}
