/* The geometry of a scan from its projections. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/calibration/axis.h"
#include "ct/calibration/ballfit.h"
#include "ct/calibration/conjugate_rays.h"
#include "ct/geometry/geom_edit.h"
#include "ct/geometry/plausible.h"
#include "ct/geometry/views.h"
#include "ct/stream/view_read.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/report.h"

int main_geomfit(int argc, char *argv[]);

struct source {
	struct cfl *proj;
	const struct geom *g;
};

static void read_view(void *ctx, long k, double *p)
{
	const struct source *s = ctx;

	const long size = s->g->cols * s->g->rows;

	view_read_at(s->proj, DT_FLOAT64, size, k, 0, size, (void *const[2]){p, NULL});
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
		error("%s: no two views of %s are 180 degrees apart, or all views are empty", proj->name,
		        name);

	tool_print("%-10s %12s %12s\n", "parameter", "value", "error");
	tool_print(
	        "%-10s %12.4f %12.4f columns (axis in the middle row)\n", "center", l.column, l.column_error);
	tool_print("%-10s %12.4f %12.4f degrees\n", "roll", l.roll, l.roll_error);
	tool_print("%-10s %12.4g              %ld pairs of views\n", "residual", l.rms, l.pairs);
	ballfit_apply(
	        g, (double[BALLFIT_PARAMETERS]){[BALLFIT_U] = nominal - l.column, [BALLFIT_ROLL] = l.roll});
}

/** The scan turns the other way than the geometry says. */
static void error_of_sense(const struct cfl *proj, const char *name, double times)
{
	const char *how = "reverse the geometry with 'gantry geom --reverse' or 'gantry traj --arc=-360'";

	if (!isfinite(times))
		error("%s: the balls fit %s only with the opposite sense of rotation (%s)", proj->name, name,
		        how);

	error("%s: with the opposite sense of rotation, %s fits %.*f times better (%s)", proj->name, name,
	        times < 10. ? 1 : 0, times, how);
}

/** Prints the parameters that were fitted. */
static void print_fit(const bool wanted[], const double value[], const double deviation[])
{
	tool_print("%-10s %12s %12s\n", "parameter", "value", "error");

	for (int i = 0; i < BALLFIT_PARAMETERS; i++)
		if (wanted[i])
			tool_print("%-10s %12.5f %12.5f %s\n", ballfit_name[i], value[i], deviation[i],
			        ballfit_unit[i]);
}

/** error() where a parameter is not determined. */
static void check_determined(const struct geom *g, const char *proj, const bool wanted[],
        const double value[], const double deviation[])
{
	const int i = ballfit_undetermined(g, wanted, value, deviation);

	if (i >= 0)
		error("%s: %s is not determined (%.3g +- %.3g %s) and must be removed from --fit", proj,
		        ballfit_name[i], value[i], deviation[i], ballfit_unit[i]);
}

/** What pairs of rays of a fan or cone beam say. */
static void fit_pairs(struct geom *g, struct cfl *proj, const char *name, const bool wanted[])
{
	if (!conjugate_rays_circular(g))
		error("%s: the source is not on a circle about the axis, expected a circular scan (or give "
		      "--balls)",
		        name);

	if (1 == g->rows && wanted[BALLFIT_ROLL])
		usage_error("--fit: %s has one row, which does not determine roll", name);

	const struct conjugate_fit fit = conjugate_rays(g, proj, wanted, name);

	if (!fit.good)
		error("%s: %ld pairs of opposite rays do not determine the parameters of --fit (fit fewer "
		      "parameters)",
		        name, fit.pairs);

	const double times = conjugate_rays_other_sense(g, proj, wanted, name, &fit);

	if (times > 0.)
		error_of_sense(proj, name, times);

	print_fit(wanted, fit.value, fit.error);
	tool_print("%-10s %12.4g              ", "residual", fit.rms);

	if (fit.noise > 0.)
		tool_print("%.*f times the noise, ", fit.rms < 10. * fit.noise ? 1 : 0, fit.rms / fit.noise);

	tool_print("%ld pairs of rays\n", fit.pairs);
	check_determined(g, proj->name, wanted, fit.value, fit.error);
	ballfit_apply(g, fit.value);
}

/** Fits balls in a geometry or, reversed, in one that turns the other way. */
static bool try_balls(const struct geom *g, const struct ball_blobs *blobs, const bool wanted[],
        bool reversed, struct ballfit *fit)
{
	struct geom *h = geom_copy(g);

	if (reversed)
		geom_reverse(h);

	const bool good = ballfit(h, blobs, wanted, fit);

	geom_free(h);

	return good;
}

/** Most of the places where balls are expected fit. */
static bool believable(const struct ballfit *fit)
{
	return 10 * fit->places >= 7 * fit->expected;
}

static void fit_balls(struct geom *g, struct cfl *proj, const char *name, const bool wanted[])
{
	struct source s = {proj, g};
	struct ballfit fit, other;

	cfl_map(proj);

	struct ball_blobs *blobs = ball_blobs_find(g, read_view, &s);
	const bool good = try_balls(g, blobs, wanted, false, &fit);
	const bool reverse = !g->parallel && !(good && fit.rms < 0.1 && believable(&fit)) &&
	                     try_balls(g, blobs, wanted, true, &other) && other.rms <= 1. &&
	                     believable(&other) && (!good || !believable(&fit) || 2. * other.rms < fit.rms);

	ball_blobs_free(blobs);

	if (reverse)
		error_of_sense(proj, name, good && believable(&fit) ? fit.rms / other.rms : INFINITY);

	if (0 == fit.balls)
		error("%s: no ball can be followed from view to view", proj->name);

	if (!good)
		error("%s: %ld balls do not determine the parameters of --fit (fit fewer parameters)", name,
		        fit.balls);

	print_fit(wanted, fit.value, fit.error);
	tool_print("%-10s %12.4f              pixels, %ld balls, %ld of %ld places\n", "residual", fit.rms,
	        fit.balls, fit.places, fit.expected);

	const char *try = "fit more parameters with --fit, check the angles, or use balls that overlap less "
	                  "in the views";

	if (!(fit.rms <= 1.))
		error("%s: the residual is %.3g pixels, expected 1 at most (%s)", proj->name, fit.rms, try);

	if (!believable(&fit))
		error("%s: balls are found at only %ld of %ld positions that %s predicts (%s)", proj->name,
		        fit.places, fit.expected, name, try);

	check_determined(g, proj->name, wanted, fit.value, fit.error);
	ballfit_apply(g, fit.value);
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
			usage_error("--fit %s: %.*s is not a parameter, expected some of "
			            "shift-u,shift-v,roll,tilt,yaw,SDD",
			        text, (int)n, p);

		wanted[which] = true;
		p += n + (',' == p[n]);
	}
}

/** What no projections of a parallel beam determine is refused. */
static void check_parallel(const bool wanted[])
{
	for (int i = 0; i < BALLFIT_PARAMETERS; i++)
		if (wanted[i] && BALLFIT_U != i && BALLFIT_ROLL != i)
			usage_error("--fit: a parallel beam does not determine %s (valid: shift-u, roll)",
			        ballfit_name[i]);
}

int main_geomfit(int argc, char *argv[])
{
	const char *geom = NULL, *in = NULL, *out = NULL, *fit = NULL;
	struct opt_longs detector = {0};
	bool balls = false, wanted[BALLFIT_PARAMETERS] = {false};

	const struct opt opts[] = {OPT_FLAG('b', "balls", &balls, "PROJ shows a phantom of small balls"),
	        OPT_STRING(0, "fit", &fit, "LIST",
	                "some of shift-u,shift-v,roll,tilt,yaw,SDD (default: shift-u,roll; --balls: all but "
	                "tilt and yaw)"),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none (default: that of PROJ)"),
	        ARG_IN("GEOM", &geom, "approximate geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT_OPTIONAL("OUT", &out, "fitted geometry"), OPT_END};

	tool_init(&(struct tool){.name = "geomfit",
	                  .group = GROUP_CALIBRATE,
	                  .synonyms = "calibrate calibration",
	                  .about = "Calibrate the geometry from projections",
	                  .details = "Without --balls, the scan's own projections are used. In a parallel "
	                             "beam, views 180 degrees apart are mirror images about the axis. Up "
	                             "to 12 pairs of such views are used. For a parallel beam, the "
	                             "command fits the axis column in the middle row and the in-plane "
	                             "roll. For a fan or cone beam, the source must move on a circle. "
	                             "Lines in the plane of the source circle are measured twice, in "
	                             "opposite directions. The parameters of --fit are chosen so that the "
	                             "two measured values of each line agree. The search starts from the "
	                             "shift-u that 'gantry center --method overlap' finds. The plane of "
	                             "the source circle is taken from GEOM.\n\n"
	                             "With --balls, PROJ shows a phantom of small dense balls. The balls "
	                             "may have any number and arrangement, and may be in a smooth holder. "
	                             "Balls are tracked from view to view, even where balls overlap. The "
	                             "parameters of --fit are fitted together with the positions of the "
	                             "balls. The parameters can be shifts, roll, tilt and yaw of the "
	                             "detector, and the source-detector distance. The fit uses the "
	                             "Levenberg-Marquardt method on the centroids of the balls. The "
	                             "source-axis distance is not fitted, because it sets the scale.\n\n"
	                             "The errors in the table are standard deviations, estimated from the "
	                             "residuals. The command stops without output if the projections do "
	                             "not determine a parameter. For fan and cone beams, and with "
	                             "--balls, the command also stops if the opposite sense of rotation "
	                             "fits better. With --balls, the command also stops if the residual "
	                             "is over a pixel or balls are missing.",
	                  .examples =
	                          "gantry geomfit geom proj fitted\n"
	                          "gantry geomfit --balls --fit shift-u,shift-v,roll,tilt,yaw,SDD geom balls "
	                          "fitted",
	                  .opts = opts},
	        argc, argv);

	struct cfl *fg = cfl_open(geom), *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);

	geom_expect_source(g, fg->name);
	cfl_expect_real(x);
	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);
	plausible_warn(g, NULL, geom, PLAUSIBLE_RECONSTRUCTS);

	if (fit && !balls && g->parallel)
		usage_error("--fit: a parallel beam without --balls determines only center and roll");

	parse_fit(fit != NULL    ? fit
	          : g->parallel  ? "shift-u,roll"
	          : balls        ? "shift-u,shift-v,roll,SDD"
	          : 1 == g->rows ? "shift-u"
	                         : "shift-u,roll",
	        wanted);

	if (balls && g->parallel)
		check_parallel(wanted);

	tool_plan_text();

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
