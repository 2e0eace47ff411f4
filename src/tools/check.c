/** Proves the projector on the user's own geometry. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "linops/xray/prove.h"
#include "misc/error.h"
#include "num/summary.h"

int main_check(int argc, char *argv[]);

enum { VIEWS = 24, MOST = 64 };

static bool say(const char *name, bool ok, const char *text)
{
	printf("%-5s %-12s %s\n", ok ? "ok" : "FAIL", name, text);
	return ok;
}

static bool prove(const char *name, prove_fn *fn, const struct geom *g, const struct grid *grid, int model)
{
	struct str said = {0};
	const bool passed = fn(g, grid, (enum xray_model)model, &said);
	bool ok = say(name, passed, said.data ? said.data : "");

	free(said.data);
	return ok;
}

/** Where the axes of the volume point to in the first view. */
static void print_directions(const struct geom *g)
{
	static const char *const axis = "xyz";
	double a0, b0, a, b;
	const double origin[3] = {0., 0., 0.};

	if (!prove_pixel(g, 0, origin, &a0, &b0))
		return;

	for (int d = 0; d < 3; d++) {
		double p[3] = {0., 0., 0.};

		p[d] = 1e-3;

		if (prove_pixel(g, 0, p, &a, &b))
			printf("      view 0: 1 mm along +%c at the axis moves %+.4g columns and %+.4g "
			       "rows\n",
			        axis[d], (a - a0) * 1e3, (b - b0) * 1e3);
	}
}

static bool check_volume(struct cfl *vol)
{
	struct summary s;
	char text[160];

	summarize(&s, vol);
	snprintf(text, sizeof text, "%ld NaN and %ld infinite of %ld values, from %.4Lg to %.4Lg", s.nans,
	        s.infs, s.count, s.min, s.max);
	return say("volume", s.nans + s.infs == 0, text);
}

static void print_cover(const struct geom *g, const struct grid *grid)
{
	double radius, z[2];

	geom_field_of_view(g, &radius, z);
	printf("%-5s %-12s the volume %s the field of view (diameter %.4g mm, z from %.4g to %.4g mm)\n",
	        "note", "coverage", geom_grid_covers(g, grid) ? "covers" : "does not cover", 2. * radius,
	        z[0], z[1]);
}

int main_check(int argc, char *argv[])
{
	const char *geom_name = NULL, *vol_name = NULL;
	struct grid_opts grid_opts = {0};
	struct opt_longs detector = {0};
	int model = XRAY_JOSEPH;

	const struct opt opts[] = {OPT_MODEL(&model),
	        OPT_DETECTOR(&detector, "pixels, where the geometry does not say"), OPT_GRID(&grid_opts),
	        ARG_IN("GEOM", &geom_name, "geometry, 4 x 4 x views"),
	        ARG_IN_OPTIONAL(
	                "VOL", &vol_name, "volume: its grid is used, its values are searched for NaN"),
	        OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "check",
	                .about = "Prove the projector on your own geometry",
	                .details = "One line per proof, on up to 24 of the views and with pixels and voxels "
	                           "merged to at most 64 along an axis: the dot test, single elements of the "
	                           "matrix from "
	                           "both sides, comparison with float64 from the definition, the same bytes "
	                           "for other threads and batches, and where small balls are seen. Exit "
	                           "status 1 when one fails.",
	                .examples = "gantry check geom\n"
	                            "gantry check geom vol",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *f = cfl_open(geom_name), *vol = vol_name ? cfl_open(vol_name) : NULL;
	struct geom *g = geom_load(f, &detector, NULL);
	struct grid grid, coarse_grid;

	if (vol)
		grid_from_header(&grid, &vol->hdr);
	else
		grid_choose(&grid, &grid_opts, g);

	struct geom *coarse = prove_coarse(g, VIEWS, MOST);
	bool ok = true;

	tool_plan_text();
	prove_coarse_grid(&coarse_grid, &grid, MOST);
	print_cover(g, &grid);
	ok &= vol ? check_volume(vol) : true;
	ok &= prove("dot", prove_dot, coarse, &coarse_grid, model);
	ok &= prove("elements", prove_elements, coarse, &coarse_grid, model);
	ok &= prove("reference", prove_reference, coarse, &coarse_grid, model);
	ok &= prove("split", prove_split, coarse, &coarse_grid, model);
	ok &= prove("orientation", prove_orientation, coarse, &coarse_grid, model);
	print_directions(g);

	cfl_close(f);

	if (vol)
		cfl_close(vol);

	geom_free(coarse);
	geom_free(g);
	leave(ok ? EXIT_DONE : EXIT_FAILED);
}
