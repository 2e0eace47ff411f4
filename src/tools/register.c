/* Rigid registration of volumes. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "volume/register/register.h"
#include "volume/resample/volumes.h"

int main_register(int argc, char *argv[]);

enum { LEVELS = 8, COARSEST = 24 };
static const double finest = 1 << 26; // voxels

/** A volume on a grid whose voxels are f times as large; the caller frees x. */
static struct register_image coarse(struct cfl *f, const struct space *s, double factor)
{
	struct register_image im;
	struct resample r = {.kernel = RESAMPLE_LINEAR};
	struct affine same;

	space_coarsen(&im.space, s, factor);
	affine_identity(&same);
	space_map(r.at, s, &im.space, &same);
	memcpy(r.in, s->n, sizeof r.in);
	memcpy(r.out, im.space.n, sizeof r.out);
	resample_coarser(&r);

	const long bytes = volumes_memory(f, &r, NULL, NULL);
	void *room = mem_alloc((size_t)bytes);
	struct resample_plan *p = resample_plan_create(&r, DT_FLOAT32, NULL, NULL);
	float *x = mem_alloc((size_t)(r.out[0] * r.out[1] * r.out[2]) * sizeof *x);

	if (resample_forward(p, (struct resample_array){.data = x, .type = DT_FLOAT32, .step = sizeof *x},
	            (struct resample_array){.data = (void *)cfl_map(f),
	                    .type = f->hdr.type,
	                    .step = (long)dtype_size(f->hdr.type)},
	            room, bytes)
	                .bad)
		error("%s holds NaN or infinite values: replace them first (gantry expr)", f->name);

	resample_plan_free(p);
	free(room);
	im.x = x;

	return im;
}

static double count(const struct space *s)
{
	return (double)s->n[0] * (double)s->n[1] * (double)s->n[2];
}

/** Factors of the levels, coarse to fine; returns how many. */
static int choose_levels(double factor[LEVELS], const struct space *a, const struct space *b)
{
	const double most = fmax(fmax(count(a), count(b)) / finest, 1.);
	double f = exp2(ceil(log2(most) / 3.));
	int n = 0;
	double list[LEVELS];

	for (; n < LEVELS; f *= 2.) {
		list[n++] = f;

		long longest = 0;

		for (int d = 0; d < 3; d++)
			longest = (a->n[d] > longest) ? a->n[d] : longest;

		if ((double)longest / f <= COARSEST)
			break;
	}

	for (int i = 0; i < n; i++)
		factor[i] = list[n - 1 - i];

	return n;
}

/** error() where values of an image are all alike but for roundings. */
static void refuse_flat(const struct register_image *im, const char *name)
{
	const double n = count(&im->space);
	double sum = 0., squares = 0.;

	for (long i = 0; i < (long)n; i++)
		sum += im->x[i];

	for (long i = 0; i < (long)n; i++)
		squares += (im->x[i] - sum / n) * (im->x[i] - sum / n);

	if (!(sqrt(squares / n) > 1e-5 * fabs(sum / n)))
		error("%s is constant: nothing in it can be aligned", name);
}

static struct cfl *open_volume(const char *name, struct space *s)
{
	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	cfl_expect(f, ~(1u << Q_GEOMETRY | 1u << Q_LINE_INTEGRAL | 1u << Q_COUNTS | 1u << Q_TRANSMISSION),
	        "volumes are registered (gantry fbp makes one)");
	space_from_header(s, &f->hdr, f->name);

	if ((double)f->count != count(s))
		error("%s: %s, expected one volume (x, y, z)", f->name, hdr_shape(&f->hdr));

	return f;
}

/** error(), or with --force a warning, where the images share nothing that can be trusted. */
static void judge(enum register_metric metric, const struct register_fit *fit)
{
	const bool good = (REGISTER_LS == metric) ? fabs(fit->correlation) >= 0.3 : fit->information >= 1.01;

	if (good)
		return;

	char *text = mem_printf("no reliable match: correlation %.3f, normalised mutual information %.4f, "
	                        "expected at least %s",
	        fit->correlation, fit->information,
	        (REGISTER_LS == metric) ? "a correlation of 0.3" : "an information of 1.01");

	if (!tool_force())
		error("%s (start nearer with --init, or --force)", text);

	warn("%s", text);
	free(text);
}

static void write_map(const char *path, const struct affine *m, const char *fixed, const char *moving)
{
	struct file_out *f = file_create(path);
	FILE *o = file_stream(f);

	fprintf(o, "# positions in %s to positions in %s [mm]\n", fixed, moving);

	for (int r = 0; r < 3; r++)
		fprintf(o, "%.17g %.17g %.17g %.17g\n", m->a[r][0], m->a[r][1], m->a[r][2], m->b[r]);

	file_commit(f);
}

static void report(const struct register_pose *p, const struct register_fit *before,
        const struct register_fit *after, FILE *o)
{
	const double deg = 180. / M_PI;

	fprintf(o, "rotation     %.4f %.4f %.4f degrees\n", p->v[0] * deg, p->v[1] * deg, p->v[2] * deg);
	fprintf(o, "shift        %.4f %.4f %.4f mm\n", p->v[3], p->v[4], p->v[5]);
	fprintf(o, "correlation  %.5f (before: %.5f)\n", after->correlation, before->correlation);
	fprintf(o, "information  %.5f (before: %.5f)\n", after->information, before->information);
	fprintf(o, "overlap      %.1f %%\n", 100. * after->overlap);
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
	                             "best, from coarse to fine grids. OUT is the affine map from positions "
	                             "in FIXED to positions in MOVING; 'gantry resample --like FIXED "
	                             "--affine OUT MOVING ALIGNED' applies it. The output is the rotation "
	                             "(about x, then y, then z, through the middle of FIXED), shift, "
	                             "correlation, normalised mutual information and overlap.\n\n"
	                             "--metric mi is for volumes of different kinds (other energies, other "
	                             "modalities), ls for linearly related values. Volumes of one slice are "
	                             "rotated about z and shifted in x and y.\n\n"
	                             "The search finds the nearest optimum, up to about a fifth of the "
	                             "volume and 20 degrees away. It stops with an error if a volume is "
	                             "constant, or if the result is not a reliable match.",
	                  .examples = "gantry register fixed moving map.txt\n"
	                              "gantry resample --like fixed --affine map.txt moving aligned",
	                  .memory = "both volumes as float32, at most 2^26 voxels of each",
	                  .opts = opts},
	        argc, argv);

	struct space fixed_space, moving_space;
	struct cfl *fixed = open_volume(fixed_name, &fixed_space);
	struct cfl *moving = open_volume(moving_name, &moving_space);
	struct register_pose pose = {{0.}}, start;
	struct register_fit before = {0}, after = {0};
	struct affine m;
	double factor[LEVELS];
	const int levels = choose_levels(factor, &fixed_space, &moving_space);

	if (init) {
		affine_read(&m, init);

		if (!register_pose_of(&pose, &m, &fixed_space))
			error("%s: not a rotation and a shift", init);
	}

	tool_plan_text();
	start = pose;
	progress_start("registration", levels);

	for (int l = 0; l < levels; l++) {
		const struct register_image a = coarse(fixed, &fixed_space, factor[l]);
		const struct register_image b = coarse(moving, &moving_space, factor[l]);

		if (levels - 1 == l) {
			refuse_flat(&a, fixed->name);
			refuse_flat(&b, moving->name);
		}

		before = register_measure(&start, &a, &b);
		after = register_level(&pose, (enum register_metric)metric, &a, &b, (0 == l) ? 4. : 1.,
		        (levels - 1 == l) ? 1. / 64. : 1. / 8.);
		free((void *)a.x);
		free((void *)b.x);
		progress_update(l + 1);
	}

	progress_end();
	judge((enum register_metric)metric, &after);
	register_affine(&m, &pose, &fixed_space);
	write_map(out, &m, fixed->name, moving->name);
	report(&pose, &before, &after, stdout);
	cfl_close(fixed);
	cfl_close(moving);
	leave(EXIT_DONE);
}
