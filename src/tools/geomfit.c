/* The geometry of a scan from its projections. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/axis.h"
#include "linops/xray/ballfit.h"
#include "linops/xray/pairfit.h"
#include "linops/xray/views.h"
#include "misc/cfl.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/opt.h"

int main_geomfit(int argc, char *argv[]);

struct source {
	struct cfl *proj;
	const struct geom *g;
};

static void read_view(void *ctx, long k, double *p)
{
	const struct source *s = ctx;

	views_at(s->proj, DT_FLOAT64, s->g->cols * s->g->rows, k, s->g->cols * s->g->rows, p, NULL);
}

/** Centre and roll from views 180 degrees apart. */
static void fit_axis(struct geom *g, struct cfl *proj, const char *name)
{
	const bool wanted[AXIS_METHODS] = {[AXIS_OVERLAP] = true};
	struct axis_result found[AXIS_METHODS];
	struct axis_line l;

	struct axis_scan *s = axis_scan_create(g, proj, g->rows / 2, name);
	const double nominal = s->nominal;

	axis_find(s, wanted, found);
	axis_scan_free(s);

	if (!axis_mirror(g, proj, found[AXIS_OVERLAP].found ? found[AXIS_OVERLAP].column : nominal, &l))
		error("%s: no views of %s are 180 degrees apart, or all are empty", proj->name, name);

	printf("%-10s %12s %12s\n", "parameter", "value", "error");
	printf("%-10s %12.4f %12.4f columns (axis in the middle row)\n", "center", l.column, l.column_error);
	printf("%-10s %12.4f %12.4f degrees\n", "roll", l.roll, l.roll_error);
	printf("%-10s %12.4g              %ld pairs of views\n", "residual", l.rms, l.pairs);
	ballfit_apply(
	        g, (double[BALLFIT_PARAMETERS]){[BALLFIT_U] = nominal - l.column, [BALLFIT_ROLL] = l.roll});
}

/** What pairs of rays of a fan or cone beam say. */
static void fit_pairs(struct geom *g, struct cfl *proj, const char *name, const bool asked[])
{
	const bool overlap[AXIS_METHODS] = {[AXIS_OVERLAP] = true};
	struct axis_result found[AXIS_METHODS];
	bool wanted[BALLFIT_PARAMETERS];
	struct pairfit fit;

	memcpy(wanted, asked, sizeof wanted);

	for (long k = 1; k < g->views; k++)
		if (fabs(g->view[k].s[2] - g->view[0].s[2]) >
		                1e-3 * hypot(g->view[0].s[0], g->view[0].s[1]) ||
		        fabs(hypot(g->view[k].s[0], g->view[k].s[1]) /
		                        hypot(g->view[0].s[0], g->view[0].s[1]) -
		                1.) > 1e-3)
			error("%s: the source leaves a circle about the axis, expected a circular scan (or "
			      "--balls)",
			        name);

	if (wanted[BALLFIT_V] || wanted[BALLFIT_TILT] || wanted[BALLFIT_YAW] || wanted[BALLFIT_SDD])
		usage_error(
		        "--fit: rays in the plane of the source's circle determine shift-u and roll only, "
		        "expected --balls for the others");

	if (1 == g->rows && wanted[BALLFIT_ROLL])
		usage_error("--fit: %s has one row, which says nothing of roll", name);

	struct axis_scan *s = axis_scan_create(g, proj, axis_middle_row(g), name);
	const double nominal = s->nominal;

	axis_find(s, overlap, found);
	axis_scan_free(s);

	if (!pairfit(g, proj, wanted, found[AXIS_OVERLAP].found ? nominal - found[AXIS_OVERLAP].column : 0.,
	            &fit))
		error("%s: %ld lines are measured from both ends, which do not determine these parameters; "
		      "see --fit",
		        name, fit.pairs);

	printf("%-10s %12s %12s\n", "parameter", "value", "error");

	for (int i = 0; i < BALLFIT_PARAMETERS; i++)
		if (wanted[i])
			printf("%-10s %12.5f %12.5f %s\n", ballfit_name[i], fit.value[i], fit.error[i],
			        ballfit_unit[i]);

	printf("%-10s %12.4g              %ld pairs of rays\n", "residual", fit.rms, fit.pairs);
	ballfit_apply(g, fit.value);
}

static void fit_balls(struct geom *g, struct cfl *proj, const char *name, const bool wanted[])
{
	struct source s = {proj, g};
	struct ball_track *tracks;
	double value[BALLFIT_PARAMETERS], error_of[BALLFIT_PARAMETERS], rms;

	cfl_map(proj);

	const long n = ball_tracks(g, read_view, &s, &tracks);

	if (0 == n)
		error("%s: no ball can be followed through half of the views", proj->name);

	if (!ballfit(g, n, tracks, wanted, value, error_of, &rms))
		error("%s: %ld balls do not determine these parameters; see --fit", name, n);

	printf("%-10s %12s %12s\n", "parameter", "value", "error");

	for (int i = 0; i < BALLFIT_PARAMETERS; i++)
		if (wanted[i])
			printf("%-10s %12.5f %12.5f %s\n", ballfit_name[i], value[i], error_of[i],
			        ballfit_unit[i]);

	printf("%-10s %12.4f              pixels, %ld balls\n", "residual", rms, n);
	ballfit_apply(g, value);
	ball_tracks_free(n, tracks);
}

/** "shift-u,roll": which. */
static void parse_fit(const char *text, bool wanted[BALLFIT_PARAMETERS])
{
	for (const char *p = text; *p;) {
		const size_t n = strcspn(p, ",");
		int which = -1;

		for (int i = 0; i < BALLFIT_PARAMETERS; i++)
			if (strlen(ballfit_name[i]) == n && 0 == strncmp(p, ballfit_name[i], n))
				which = i;

		if (which < 0)
			usage_error("--fit %s: %.*s is no parameter, expected some of "
			            "shift-u,shift-v,roll,tilt,yaw,SDD",
			        text, (int)n, p);

		wanted[which] = true;
		p += n + (',' == p[n]);
	}
}

int main_geomfit(int argc, char *argv[])
{
	const char *geom = NULL, *in = NULL, *out = NULL, *fit = NULL;
	struct opt_longs detector = {0};
	bool balls = false, wanted[BALLFIT_PARAMETERS] = {false};

	const struct opt opts[] = {OPT_FLAG('b', "balls", &balls, "PROJ shows a phantom of small balls"),
	        OPT_STRING(0, "fit", &fit, "LIST",
	                "what to fit: shift-u,roll; of balls shift-u,shift-v,roll,tilt,yaw,SDD (default: all "
	                "but tilt "
	                "and yaw)"),
	        OPT_DETECTOR(&detector, "detector size, where GEOM does not say (default: that of PROJ)"),
	        ARG_IN("GEOM", &geom, "geometry of the scan, nearly right"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT_OPTIONAL("OUT", &out, "the geometry that was fitted"), OPT_END};

	tool_init(
	        &(struct tool){.name = "geomfit",
	                .about = "Fit a geometry to projections",
	                .details =
	                        "Without --balls, from the scan's own projections. Parallel beam: up to 12 "
	                        "pairs of "
	                        "views 180 degrees apart are mirror images about the axis, whose column in "
	                        "the middle row and lean (the detector's roll) are fitted to them. Fan and "
	                        "cone "
	                        "beam on a circle: lines in the plane of the circle are measured from both "
	                        "ends, and what --fit names makes the two values alike; the first guess of "
	                        "shift-u is that of center, and the plane is where the geometry says. With "
	                        "--balls, from "
	                        "projections of small dense balls and little else, which are followed from "
	                        "view to view: shifts of the detector along its columns and rows, its roll, "
	                        "tilt and yaw, and the source-detector distance, together with the places of "
	                        "the balls (Levenberg-Marquardt on their centroids). The source-axis "
	                        "distance "
	                        "sets the scale and stays. Errors are standard deviations from the "
	                        "residuals.",
	                .examples =
	                        "gantry geomfit geom proj fitted\n"
	                        "gantry geomfit --balls --fit shift-u,shift-v,roll,tilt,yaw,SDD geom balls "
	                        "fitted",
	                .opts = opts},
	        argc, argv);

	struct cfl *fg = cfl_open(geom), *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);

	cfl_expect_real(x);
	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);

	if (fit && !balls && g->parallel)
		usage_error("--fit: of a parallel beam's own projections center and roll are fitted, "
		            "expected --balls");

	parse_fit(fit != NULL    ? fit
	          : balls        ? "shift-u,shift-v,roll,SDD"
	          : 1 == g->rows ? "shift-u"
	                         : "shift-u,roll",
	        wanted);

	if (balls && g->parallel)
		wanted[BALLFIT_SDD] = false;

	if (balls)
		fit_balls(g, x, geom, wanted);
	else if (g->parallel)
		fit_axis(g, x, geom);
	else
		fit_pairs(g, x, geom, wanted);

	if (out)
		geom_write(out, g);

	cfl_close(x);
	cfl_close(fg);
	geom_free(g);
	leave(EXIT_DONE);
}
