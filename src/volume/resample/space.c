#include "volume/resample/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/mem.h"
#include "misc/minmax.h"

enum { FEWEST = 8 }; // voxels along an axis of a coarse grid

void space_centre(const struct space *s, double centre[3])
{
	for (int d = 0; d < 3; d++) {
		centre[d] = s->origin[d];

		for (int c = 0; c < 3; c++)
			centre[d] += s->step[d][c] * (double)(s->n[c] - 1) / 2.;
	}
}

static void set_centre(struct space *s, const double centre[3])
{
	for (int d = 0; d < 3; d++) {
		s->origin[d] = centre[d];

		for (int c = 0; c < 3; c++)
			s->origin[d] -= s->step[d][c] * (double)(s->n[c] - 1) / 2.;
	}
}

void space_from_header(struct space *s, const struct hdr *h, const char *name)
{
	double cosines[3][3];

	if (!hdr_direction(h, cosines))
		error("%s: the section '# Direction' is malformed, expected nine numbers", name);

	for (int d = 0; d < 3; d++) {
		s->n[d] = h->dims[d];

		for (int k = 0; k < 3; k++)
			s->step[k][d] = cosines[d][k] * h->spacing[d];
	}

	set_centre(s, (const double[3]){0., 0., 0.});

	for (int d = 0; d < 3; d++)
		if (!isnan(h->origin[d]))
			s->origin[d] = h->origin[d];

	struct affine m = {.b = {0.}}, inverse;

	memcpy(m.a, s->step, sizeof m.a);
	affine_inverse(&inverse, &m, name);
}

void space_to_voxels(struct affine *m, const struct space *s)
{
	struct affine to;

	memcpy(to.a, s->step, sizeof to.a);
	memcpy(to.b, s->origin, sizeof to.b);
	affine_inverse(m, &to, "the grid");
}

void space_coarsen(struct space *out, const struct space *in, double f)
{
	double centre[3];

	space_centre(in, centre);
	*out = *in;

	for (int d = 0; d < 3; d++) {
		out->n[d] = max_long(min_long(in->n[d], FEWEST), lround((double)in->n[d] / f));

		for (int k = 0; k < 3; k++)
			out->step[k][d] *= (double)in->n[d] / (double)out->n[d];
	}

	set_centre(out, centre);
}

void space_crop(struct space *out, const struct space *in, int d, long first, long n)
{
	*out = *in;
	out->n[d] = n;

	for (int k = 0; k < 3; k++)
		out->origin[k] += in->step[k][d] * (double)first;
}

static double spacing_of(const struct space *s, int c)
{
	return sqrt(s->step[0][c] * s->step[0][c] + s->step[1][c] * s->step[1][c] +
	            s->step[2][c] * s->step[2][c]);
}

static void check_counts(const struct space_opts *o)
{
	if (o->size.n > 3)
		usage_error("--size has %d numbers, expected NX[:NY[:NZ]]", o->size.n);

	if (o->spacing.n > 3)
		usage_error("--spacing has %d numbers, expected SX[:SY[:SZ]]", o->spacing.n);

	if (0 != o->origin.n && 3 != o->origin.n)
		usage_error("--origin has %d numbers, expected X:Y:Z", o->origin.n);

	if (o->like && (o->size.n || o->spacing.n || o->origin.n))
		usage_error("--like excludes --size, --spacing and --origin");
}

static void take_like(struct space *out, const char *name, struct hdr *h)
{
	struct cfl *f = cfl_open(name);
	char *direction = hdr_section(&f->hdr, "Direction");

	cfl_expect(f, ~(1u << Q_GEOMETRY | 1u << Q_LINE_INTEGRAL), "--like takes the grid of a volume");
	space_from_header(out, &f->hdr, f->name);
	hdr_set_section(h, "Direction", direction);
	free(direction);
	cfl_close(f);
}

/** Size and spacing of an axis; one follows from the other, since the extent is kept. */
static void choose_axis(struct space *s, const struct space_opts *o, int d)
{
	const double old = spacing_of(s, d), extent = (double)s->n[d] * old;
	const bool sized = d < 2 ? o->size.n > 0 : o->size.n > 2;
	const bool spaced = o->spacing.n > 0 && (1 < s->n[d] || d < o->spacing.n);
	double spacing = old;

	if (spaced)
		spacing = o->spacing.v[d < o->spacing.n ? d : o->spacing.n - 1];

	if (sized)
		s->n[d] = o->size.v[d < o->size.n ? d : o->size.n - 1];
	else if (extent / spacing > 9e15)
		error("--spacing: steps of %g mm divide %g mm into too many voxels", spacing, extent);
	else
		s->n[d] = (long)fmax(1., round(extent / spacing));

	if (sized && !spaced)
		spacing = extent / (double)s->n[d];

	for (int k = 0; k < 3; k++)
		s->step[k][d] *= spacing / old;
}

static void record3(const char *name, const double v[3])
{
	struct str s = {0};

	for (int i = 0; i < 3; i++) {
		str_add(&s, i ? ":" : "");
		str_add_double(&s, v[i], 6);
	}

	tool_record(name, "%s", s.data);
	free(s.data);
}

void space_choose(struct space *out, const struct space_opts *o, const struct space *from, struct hdr *h)
{
	double centre[3], spacing[3];

	check_counts(o);
	*out = *from;

	if (o->like) {
		take_like(out, o->like, h);
	} else {
		space_centre(out, centre);

		for (int d = 0; d < 3; d++)
			choose_axis(out, o, d);

		set_centre(out, centre);

		for (int d = 0; d < 3 && o->origin.n; d++)
			out->origin[d] = o->origin.v[d];
	}

	mul_checked(mul_checked(out->n[0], out->n[1], "--size"), out->n[2], "--size");

	for (int d = 0; d < 3; d++) {
		spacing[d] = spacing_of(out, d);
		h->dims[d] = out->n[d];
		hdr_set_grid(h, d, spacing[d], out->origin[d]);
	}

	if (o->like && hdr_has_direction(h))
		return; // the direction is in that file alone

	tool_record("size", "%ld:%ld:%ld", out->n[0], out->n[1], out->n[2]);
	record3("spacing", spacing);
	record3("origin", out->origin);
	tool_record_drop("like");
}

/** What differs from a multiple of 1/2 by rounding alone is that. */
static double tidy(double v)
{
	const double half = round(2. * v) / 2.;

	return (fabs(v - half) < 1e-10) ? half : v;
}

void space_map(double at[3][4], const struct space *in, const struct space *out, const struct affine *m)
{
	struct affine back;

	space_to_voxels(&back, in);

	for (int c = 0; c < 4; c++) {
		double x[3], zero[3];
		const double none[3] = {0., 0., 0.};

		for (int d = 0; d < 3; d++)
			x[d] = (3 == c) ? out->origin[d] : out->step[d][c];

		affine_apply(m, x, x);
		affine_apply(m, zero, none);

		for (int d = 0; d < 3 && c < 3; d++)
			x[d] -= zero[d];

		if (3 == c)
			affine_apply(&back, x, x);
		else
			for (int d = 0; d < 3; d++)
				zero[d] = back.a[d][0] * x[0] + back.a[d][1] * x[1] + back.a[d][2] * x[2];

		for (int d = 0; d < 3; d++)
			at[d][c] = tidy((3 == c) ? x[d] : zero[d]);
	}
}
