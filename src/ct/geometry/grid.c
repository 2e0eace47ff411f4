#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/geom.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/mem.h"

double geom_magnification(const struct geom *g, long view)
{
	const struct geom_view *p = g->view + view;
	double n[3], across[3];

	if (g->parallel)
		return 1.;

	geom_normal(g, view, n);

	sub3(across, p->d, p->s);
	return dot3(n, across) / -dot3(n, p->s);
}

static void center(struct grid *g, int d)
{
	g->origin[d] = -(g->size[d] - 1) / 2. * g->spacing[d];
}

void geom_default_grid(const struct geom *g, struct grid *out)
{
	double m = geom_magnification(g, 0);

	if (!(m > 0. && isfinite(m)))
		error("the rotation axis is not in front of the source in view 0 (give --size and --spacing, "
		      "or --like)");

	double su = norm3(g->view[0].u) / m, sv = norm3(g->view[0].v) / (g->stack ? 1. : m);

	*out = (struct grid){.size = {g->cols, g->cols, g->rows}, .spacing = {su, su, sv}};

	for (int i = 0; i < 3; i++)
		center(out, i);
}

/** The height [mm] of the plane that contains all rays of a single detector row. */
static bool ray_plane(const struct geom *g, double *z)
{
	*z = g->view[0].d[2];

	for (long k = 0; k < g->views; k++) {
		const struct geom_view *p = g->view + k;
		const double source = g->parallel ? p->s[2] + *z : p->s[2], slack = 1e-9 * norm3(p->u);

		if (fabs(p->d[2] - *z) > slack || fabs(source - *z) > slack || fabs(p->u[2]) > slack)
			return false;
	}

	return 1 == g->rows;
}

bool geom_grid_covers(const struct geom *g, const struct grid *grid)
{
	double radius, z[2], lo[3], hi[3], plane;
	double slack = 1e-3;

	geom_field_of_view(g, &radius, z);

	for (int i = 0; i < 3; i++) {
		lo[i] = grid->origin[i] - (0.5 + slack * grid->size[i]) * grid->spacing[i];
		hi[i] = grid->origin[i] + (grid->size[i] - 0.5 + slack * grid->size[i]) * grid->spacing[i];
	}

	for (int i = 0; i < 2; i++)
		if (radius > -lo[i] || radius > hi[i])
			return false;

	if (1 == grid->size[2] && ray_plane(g, &plane))
		return plane >= lo[2] && plane <= hi[2];

	return z[0] >= lo[2] && z[1] <= hi[2];
}

void grid_from_header(struct grid *g, const struct hdr *h)
{
	for (int i = 0; i < 3; i++) {
		g->size[i] = h->dims[i];
		g->spacing[i] = h->spacing[i];
		g->origin[i] = hdr_origin(h, i);
	}
}

void grid_to_header(const struct grid *g, struct hdr *h)
{
	for (int i = 0; i < 3; i++) {
		h->dims[i] = g->size[i];
		hdr_set_grid(h, i, g->spacing[i], g->origin[i]);
	}
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

static void record(const struct grid *g)
{
	tool_record("size", "%ld:%ld:%ld", g->size[0], g->size[1], g->size[2]);
	record3("spacing", g->spacing);
	record3("origin", g->origin);
	tool_record_drop("like");
}

static void check_counts(const struct grid_opts *o)
{
	if (o->size.n > 3)
		usage_error("--size has %d numbers, expected NX[:NY[:NZ]]", o->size.n);

	if (o->spacing.n > 3)
		usage_error("--spacing has %d numbers, expected SX[:SY[:SZ]]", o->spacing.n);

	if (o->origin.n != 0 && o->origin.n != 3)
		usage_error("--origin has %d numbers, expected X:Y:Z", o->origin.n);
}

/** The grid to start from: --like's, else the default one. */
static bool start_grid(struct grid *out, const struct grid_opts *o, const struct geom *g)
{
	if (!o->like) {
		if (o->size.n == 3 && o->spacing.n > 0)
			*out = (struct grid){.spacing = {1., 1., 1.}}; // nothing is left to the geometry
		else
			geom_default_grid(g, out);

		return false;
	}

	struct cfl *f = cfl_open(o->like);
	bool has_origin = f->hdr.has_origin;

	cfl_expect(f, 1u << Q_ATTENUATION | 1u << Q_HOUNSFIELD | 1u << Q_MASK | 1u << Q_WEIGHTS,
	        "--like takes the grid of a volume");
	grid_from_header(out, &f->hdr);
	cfl_close(f);
	return has_origin;
}

/** Says which size would hold all that the detector sees. */
static void advise(const struct geom *g, const struct grid *grid)
{
	double radius, z[2];

	if (geom_grid_covers(g, grid))
		return;

	geom_field_of_view(g, &radius, z);

	long nx = ceil(2. * radius / grid->spacing[0] - 1e-6),
	     ny = ceil(2. * radius / grid->spacing[1] - 1e-6);
	long nz = ceil(2. * fmax(fabs(z[0]), fabs(z[1])) / grid->spacing[2] - 1e-6);

	for (int i = 0; i < 3; i++) {
		long *n = (i == 0) ? &nx : (i == 1) ? &ny : &nz;

		*n = (*n < grid->size[i]) ? grid->size[i] : *n;
	}

	if (1 == grid->size[2] && ray_plane(g, &z[0]))
		nz = 1;

	warn("the default grid of %ld:%ld:%ld voxels does not cover the field of view (give --size "
	     "%ld:%ld:%ld)",
	        grid->size[0], grid->size[1], grid->size[2], nx, ny, nz);
}

void grid_warn_slice(const struct grid *grid, const struct geom *g, const char *name)
{
	double z;

	if (grid->size[2] != 1 || !ray_plane(g, &z))
		return;

	const double off = fabs(grid->origin[2] - z) / grid->spacing[2];

	if (off > 1e-6)
		warn("%s: the only slice of the volume is at z = %g mm, but the rays are at z = %g mm: the "
		     "rays see this slice with weight %g",
		        name, grid->origin[2], z, fmax(0., 1. - off));
}

void grid_choose(struct grid *out, const struct grid_opts *o, const struct geom *g)
{
	check_counts(o);

	bool keep_origin = start_grid(out, o, g);

	if (o->size.n > 0) {
		out->size[0] = o->size.v[0];
		out->size[1] = o->size.v[o->size.n > 1 ? 1 : 0];
		out->size[2] = (o->size.n > 2) ? o->size.v[2] : out->size[2];
	}

	for (int i = 0; i < 3 && o->spacing.n > 0; i++)
		out->spacing[i] = o->spacing.v[i < o->spacing.n ? i : o->spacing.n - 1];

	for (int i = 0; i < 3; i++)
		if (o->origin.n == 3)
			out->origin[i] = o->origin.v[i];
		else if (!keep_origin)
			center(out, i);

	mul_checked(mul_checked(out->size[0], out->size[1], "--size"), out->size[2], "--size");

	if (!o->like && o->size.n == 0 && o->origin.n == 0)
		advise(g, out);
	else
		grid_warn_slice(out, g, o->like ? o->like : "the volume");

	record(out);
}
