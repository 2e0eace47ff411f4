/* Rigid registration of volumes. */

#include <math.h>
#include <stdio.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/report.h"
#include "volume/register/levels.h"

int main_register(int argc, char *argv[]);

enum { FARTHEST = 25 }; // rotation from the start [degrees]

/** Refuses matches of images that share nothing that can be trusted. */
static void judge(enum register_metric metric, const struct register_fit *fit)
{
	const bool ls = REGISTER_LS == metric;
	const double least = ls ? 0.3 : 1.01 + 2. * (fit->chance - 1.);

	if (!((ls ? fit->correlation : fit->information) >= least))
		tool_refuse("no reliable match: correlation %.3f, normalised mutual information %.4f, "
		            "expected %s of at least %.4g (give a closer start with --init, or use --force)",
		        fit->correlation, fit->information, ls ? "a correlation" : "an information", least);
}

/** Warns of a result that is further from the start than the search reaches. */
static void check_distance(
        const struct register_pose *start, const struct register_pose *found, const struct space *fixed)
{
	struct affine a, b;
	double centre[3], from[3], to[3], trace = 0., shift = 0., longest = 0.;

	register_affine(&a, start, fixed);
	register_affine(&b, found, fixed);
	space_centre(fixed, centre);
	affine_apply(&a, from, centre);
	affine_apply(&b, to, centre);

	for (int d = 0; d < 3; d++) {
		double edge = 0.;

		for (int k = 0; k < 3; k++) {
			trace += a.a[d][k] * b.a[d][k];
			edge += fixed->step[k][d] * fixed->step[k][d];
		}

		shift += (to[d] - from[d]) * (to[d] - from[d]);
		longest = fmax(longest, sqrt(edge) * (double)fixed->n[d]);
	}

	const double angle = acos(fmin(fmax((trace - 1.) / 2., -1.), 1.)) * 180. / M_PI;

	if (angle > FARTHEST || sqrt(shift) > longest / 4.)
		warn("the result is %.0f degrees and %.4g mm from the start, further than the search is "
		     "reliable: check it, or give a closer start with --init",
		        angle, sqrt(shift));
}

static void report(
        const struct register_pose *p, const struct register_fit *before, const struct register_fit *after)
{
	const double deg = 180. / M_PI;

	tool_print("rotation     %.4f %.4f %.4f degrees\n", p->v[0] * deg, p->v[1] * deg, p->v[2] * deg);
	tool_print("shift        %.4f %.4f %.4f mm\n", p->v[3], p->v[4], p->v[5]);
	tool_print("correlation  %.5f (before: %.5f)\n", after->correlation, before->correlation);
	tool_print("information  %.5f (before: %.5f)\n", after->information, before->information);
	tool_print("overlap      %.1f %%\n", 100. * after->overlap);
}

int main_register(int argc, char *argv[])
{
	int metric = REGISTER_MI;
	const char *init = NULL, *fixed_name = NULL, *moving_name = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE(
	                'm', "metric", &metric, "mi|ls", "normalised mutual information, or least squares"),
	        OPT_INFILE(0, "init", &init, "FILE", "initial rotation and shift (default: none)"),
	        ARG_IN("FIXED", &fixed_name, "volume (x, y, z)"),
	        ARG_IN("MOVING", &moving_name, "volume to align with FIXED"),
	        ARG_OUTFILE("OUT", &out, "affine map for gantry resample --affine"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "register",
	                  .group = GROUP_CALIBRATE,
	                  .synonyms = "coregister registration elastix align3d",
	                  .about = "Register two volumes by a rotation and a shift",
	                  .details = "The command finds the rotation and shift of MOVING that fit FIXED "
	                             "best. The search goes from coarse grids to fine grids. OUT is the "
	                             "affine map from positions in FIXED to positions in MOVING. To apply "
	                             "the map OUT, use 'gantry resample --like FIXED --affine OUT MOVING "
	                             "ALIGNED'. The command prints rotation, shift, correlation, normalised "
	                             "mutual information and overlap. The printed rotation is about x, then "
	                             "y, then z, through the centre of FIXED.\n\n"
	                             "Use the metric mi for volumes of different kinds, such as other "
	                             "energies, other modalities or inverted values. Use the metric ls if "
	                             "the values of the two volumes are linearly related, with a positive "
	                             "factor. Volumes of one slice are rotated and shifted within the "
	                             "slice.\n\n"
	                             "The search finds the nearest optimum. The start may be wrong by about "
	                             "a fifth of the volume and by 20 degrees. The command stops with an "
	                             "error if a volume is constant. The command also stops if the result "
	                             "is not a reliable match.",
	                  .examples = "gantry register fixed moving map.txt\n"
	                              "gantry resample --like fixed --affine map.txt moving aligned",
	                  .memory = "float32 copies of both volumes, with at most 2^26 voxels per volume",
	                  .opts = opts},
	        argc, argv);

	struct register_volume fixed, moving;
	struct register_pose pose = {{0.}};
	struct affine m;

	register_open(&fixed, fixed_name);
	register_open(&moving, moving_name);

	if (init) {
		affine_read(&m, init);

		if (!register_pose_of(&pose, &m, &fixed.space))
			error("%s is not a rotation and a shift", init);
	}

	tool_plan_text();

	const struct register_how how = {.metric = (enum register_metric)metric};
	const struct register_pose start = pose;
	const struct register_result r = register_volumes(&pose, &how, &fixed, &moving, 0.);

	judge(how.metric, &r.after);
	check_distance(&start, &pose, &fixed.space);
	register_affine(&m, &pose, &fixed.space);
	affine_write(&m, out, fixed.file->name, moving.file->name);
	report(&pose, &r.before, &r.after);
	cfl_close(fixed.file);
	cfl_close(moving.file);
	leave(EXIT_DONE);
}
