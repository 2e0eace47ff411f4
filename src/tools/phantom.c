/** Test objects: volumes, or their exact projections. */

#include <stdio.h>
#include <stdlib.h>

#include "ct/geometry/plausible.h"
#include "ct/phantom/phantoms.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/kern/convert.h"

int main_phantom(int argc, char *argv[]);

static const char phantom_details[] =
        "The option --kind has these values:\n\n"
        "  modified: Shepp-Logan head with Toft's contrast (in 3-D the usual table of ellipsoids)\n"
        "  shepp-logan: the same head with its original values\n"
        "  letter-f: an F with x to the right and y upwards; it differs from all its flips and "
        "rotations, also in 3-D\n"
        "  cylinder: uniform, of radius 0.8, with axis z\n"
        "  disk, ball: uniform, of radius 0.8\n\n"
        "The published coordinates from -1 to 1 cover the grid along x. The unit of the published "
        "coordinates has the same length along x, y and z. A grid of one slice gives the two-dimensional "
        "object.\n\n"
        "The text file of --file has one shape per line: [SHAPE] value x y z a b c [phi [theta [psi]]]. "
        "SHAPE is ellipsoid, box or cylinder (default: ellipsoid). The axis of a cylinder is the half "
        "axis c. The value is added inside the shape, in units of --mu. The centre of the shape is x y "
        "z, and the half axes are a b c. The angles [degrees] rotate the shape about its own centre. The "
        "first rotation is by psi about z, the second by theta about x, and the third by phi about z. "
        "Lengths are in units of half the grid's width along x. After a line 'unit mm', lengths are in "
        "mm. The character '#' starts a comment. If the grid has one slice, the shapes are cut at z = "
        "0.\n\n"
        "With --geometry, the object fills the grid of --size and --spacing. With --geometry but without "
        "--size, the object fills the default grid of the geometry. With --geometry, the object is "
        "three-dimensional if the detector has more than one row. The line integrals are computed "
        "exactly, in float64, along the ray through the centre of each pixel.";

/** The grid of the options alone: 128 x 128, or NX alone means NX x NX; two sizes are two dimensions. */
static void grid_of_size(struct grid *g, const struct opt_longs *size)
{
	long n = size->n ? size->v[0] : 128;

	*g = (struct grid){.size = {n, n, 1}, .spacing = {1., 1., 1.}};

	for (int i = 0; i < size->n; i++)
		g->size[i] = size->v[i];
}

static void choose_grid(struct grid *g, const struct opt_longs *size, const struct opt_doubles *spacing,
        const struct opt_doubles *origin, const struct geom *geom)
{
	if (origin->n != 0 && (origin->n != 3 || geom))
		usage_error("--origin has %d numbers%s, expected X:Y:Z without --geometry", origin->n,
		        geom ? " and is given with --geometry" : "");

	if (size->n > 3)
		usage_error("--size has %d numbers, expected NX[:NY[:NZ]]", size->n);

	if (spacing->n > 3)
		usage_error("--spacing has %d numbers, expected S or SX:SY:SZ", spacing->n);

	if (geom && !size->n)
		geom_default_grid(geom, g);
	else
		grid_of_size(g, size);

	if (geom && 1 == geom->rows)
		g->size[2] = 1;
	else if (geom && 1 == g->size[2])
		usage_error("--size gives a single slice, but the detector has %ld rows, expected NX:NY:NZ",
		        geom->rows);

	for (int i = 0; i < 3; i++) {
		if (spacing->n)
			g->spacing[i] = spacing->v[i < spacing->n ? i : spacing->n - 1];

		g->origin[i] = origin->n ? origin->v[i] : -0.5 * (double)(g->size[i] - 1) * g->spacing[i];
	}

	tool_record("size", "%ld:%ld:%ld", g->size[0], g->size[1], g->size[2]);
	tool_record("spacing", "%.17g:%.17g:%.17g", g->spacing[0], g->spacing[1], g->spacing[2]);
}

/** The volume, some rows at a time; returns how many values the type cannot hold. */
static long write_volume(struct cfl *y, const struct shapes *o, const struct grid *g, long oversample)
{
	const long block_bytes = 4L << 20;
	long nx = g->size[0], rows = g->size[1] * g->size[2];
	long bytes = nx * (long)dtype_size(y->hdr.type), block = block_bytes / bytes + 1, lost = 0, begin,
	     end;

	ranks_part(rows, 1, &begin, &end);
	progress_start("phantom", end - begin);

	for (long first = begin; first < end; first += block) {
		long n = (end - first < block) ? end - first : block;
		char *out = cfl_slab_at(y, first * nx, n * nx);

#pragma omp parallel for schedule(dynamic, 16) reduction(+ : lost)
		for (long r = 0; r < n; r++) {
			double *line = mem_alloc((size_t)nx * sizeof *line);

			shapes_row(
			        o, g, oversample, (first + r) % g->size[1], (first + r) / g->size[1], line);
			lost += convert(y->hdr.type, out + r * bytes, DT_FLOAT64, line, nx, NARROW_SATURATE);
			free(line);
		}

		cfl_write_own(y, first * nx, n * nx);
		progress_update(first + n - begin);
	}

	progress_end();

	return lost;
}

static long write_projections(struct cfl *y, const struct shapes *o, const struct geom *g)
{
	enum { SLAB = 1 << 16 };
	long n = g->cols * g->rows, per = (n < SLAB) ? SLAB / n : 1, lost = 0;
	double *view = mem_alloc((size_t)(per * n) * sizeof *view);
	long begin, end;

	ranks_part(g->views, 1, &begin, &end);
	progress_start("phantom", end - begin);

	for (long k = begin; k < end; k += per) {
		long m = (end - k < per) ? end - k : per;

		for (long l = 0; l < m; l++)
			shapes_view(o, g, k + l, view + l * n);

		lost += convert(
		        y->hdr.type, cfl_slab_at(y, k * n, m * n), DT_FLOAT64, view, m * n, NARROW_SATURATE);
		cfl_write_own(y, k * n, m * n);
		progress_update(k + m - begin);
	}

	progress_end();
	free(view);

	return lost;
}

static void set_header(struct hdr *h, const struct grid *grid, const struct geom *g, int type)
{
	hdr_init(h);
	h->type = (enum dtype)type;

	if (g) {
		hdr_set_dims(h, 3, (long[]){g->cols, g->rows, g->views});
		h->quantity = Q_LINE_INTEGRAL;
		return;
	}

	hdr_set_dims(h, 3, grid->size);
	grid_to_header(grid, h);
	h->quantity = Q_ATTENUATION;
	snprintf(h->unit, sizeof h->unit, "1/mm");
}

int main_phantom(int argc, char *argv[])
{
	struct opt_longs size = {0}, detector = {0};
	struct opt_doubles spacing = {0}, origin = {0};
	int kind = PHANTOM_MODIFIED, type = DT_FLOAT32;
	double mu = 0.02;
	long oversample = 4;
	const char *list = NULL, *geometry = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_LONGS('s', "size", &size, "NX[:NY[:NZ]]", 1, 0x7fffffff,
	                "size [voxels] (default: 128:128, with --geometry its default grid)"),
	        OPT_DOUBLES(0, "spacing", &spacing, "S[:SY:SZ]", 1e-12, 1e12, "voxel size [mm] (default: 1)"),
	        OPT_DOUBLES(0, "origin", &origin, "X:Y:Z", 0, 0,
	                "centre of the first voxel [mm]; the object does not move (default: centred)"),
	        OPT_CHOICE('k', "kind", &kind, phantom_kinds, "kind of object"),
	        OPT_INFILE('f', "file", &list, "LIST", "text file with a list of shapes, in place of --kind"),
	        OPT_DOUBLE('m', "mu", &mu, "M", 0, 0, "attenuation of the published value 1 [1/mm]"),
	        OPT_LONG(0, "oversample", &oversample, "N", 1, 64,
	                "mean of N x N x N points per voxel; 1: the value at its centre"),
	        OPT_ARRAY(0, "geometry", &geometry, "GEOM",
	                "write the exact line integrals instead of the volume"),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none"), OPT_TYPE(&type),
	        ARG_OUT("OUT", &out, "volume (x, y, z) [1/mm], or projections (u, v, view)"), OPT_END};

	tool_init(&(struct tool){.name = "phantom",
	                  .group = GROUP_SIMULATE,
	                  .synonyms = "shepp-logan simulate",
	                  .about = "Make a test object, or its exact projections",
	                  .details = phantom_details,
	                  .examples = "gantry phantom --size 256:256:256 vol\n"
	                              "gantry phantom --kind letter-f --size 64:64:64 --spacing 0.5 vol\n"
	                              "gantry phantom --geometry geom proj",
	                  .by_parts = true,
	                  .opts = opts},
	        argc, argv);

	struct geom *g = NULL;

	if (detector.n && !geometry)
		usage_error("--detector needs --geometry");

	if (geometry) {
		struct cfl *f = cfl_open(geometry);

		g = geom_load(f, &detector, NULL);
		cfl_close(f);
	}

	struct grid grid;
	struct shapes o = {0};
	struct hdr h;

	choose_grid(&grid, &size, &spacing, &origin, g);

	if (g && !list) // the shapes of a list may be anywhere
		plausible_warn(g, &grid, geometry, PLAUSIBLE_PROJECTS);

	if (list)
		phantom_read(&o, list, &grid, mu);
	else
		phantom_make(&o, (enum phantom_kind)kind, &grid, mu);

	set_header(&h, &grid, g, type);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);

	cfl_in_parts(y);

	long lost = g ? write_projections(y, &o, g) : write_volume(y, &o, &grid, oversample);

	ranks_sum(&lost, 1);

	if (lost > 0)
		warn("%ld of %ld values do not fit into %s: clipped in %s", lost, y->count,
		        dtype_name(y->hdr.type), out);

	cfl_close(y);
	shapes_free(&o);
	geom_free(g);
	leave(EXIT_DONE);
}
