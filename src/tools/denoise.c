#include <math.h>

#include "iter/denoise/denoise.h"
#include "misc/error.h"

int main_denoise(int argc, char *argv[]);

/** Refuses options of other methods, which would be ignored. */
static void check(const struct denoise_opts *o, bool width, bool steps)
{
	const bool edges = DENOISE_BILATERAL == o->method || DENOISE_DIFFUSION == o->method;

	if (width && DENOISE_BILATERAL != o->method)
		usage_error("--width requires --method bilateral");

	if (steps && DENOISE_DIFFUSION != o->method)
		usage_error("--steps requires --method diffusion");

	if (!isnan(o->strength) && !edges && DENOISE_NLM != o->method)
		usage_error("--strength requires --method nlm, bilateral or diffusion");

	if (o->lambda_given && edges)
		usage_error("--lambda has no effect with this method (use --noise and --strength)");

	if (DENOISE_EXTERNAL == o->method && NULL == o->command)
		usage_error("--method external: expected --denoiser 'COMMAND {in} {out}'");
}

int main_denoise(int argc, char *argv[])
{
	struct denoise_opts o = DENOISE_DEFAULTS;
	bool width = false, steps = false;

	o.tolerance = NAN;
	o.iterations = DENOISE_TGV_ITERATIONS;

	const struct opt opts[] = {
	        OPT_CHOICE('m', "method", &o.method,
	                "tv|tgv|ictv|wavelet|median|nlm|bilateral|diffusion|external", "how"),
	        OPT_FLAG(0, "anisotropic", &o.anisotropic, "tv: sum |differences| along each dimension"),
	        OPT_DOUBLES(0, "bounds", &o.bounds, "LO:HI", 0, 0, "tv: only values LO <= OUT <= HI"),
	        OPT_DOUBLE('r', "ratio", &o.ratio, "R", 1e-9, 1e9,
	                "tgv, ictv: factor of second differences [mm]"),
	        OPT_CHOICE('w', "wavelet", &o.wavelet, "haar|db2|db4|cdf44", "wavelet: family"),
	        OPT_LONG(0, "levels", &o.levels, "N", 1, 60, "wavelet: levels (default: at most 4)"),
	        OPT_LONG(0, "cycle-spins", &o.spins, "N", 1, 1000, "wavelet: shifts to average over"),
	        OPT_FLAG(0, "hard", &o.hard, "wavelet: drop small coefficients, keep others whole"),
	        OPT_LONG(0, "radius", &o.radius, "N", 1, 2000, "median: radius of the window"),
	        OPT_LONG(0, "patch", &o.patch, "N", 0, 1000, "nlm: radius of patches"),
	        OPT_LONG(0, "search", &o.search, "N", 1, 1000, "nlm: radius of the search"),
	        OPT_DOUBLE(0, "strength", &o.strength, "H", 1e-9, 1e9,
	                "nlm, bilateral, diffusion: tolerance over noise (default: 1, 2.5, 2)"),
	        {0, "width", OPT_KIND_DOUBLE, &o.width, "W",
	                "bilateral: standard deviation of distances [elements]", 0, 0.1, 5, &width},
	        {0, "steps", OPT_KIND_LONG, &o.steps, "N", "diffusion: steps of 1/(2 dims + 2)", 0, 1, 1e6,
	                &steps},
	        OPT_COMMAND(0, "denoiser", &o.command, "COMMAND",
	                "external: 'program {in} {out} [{sigma}]', names of arrays to read and to write"),
	        OPT_LONG('i', "iterations", &o.iterations, "N", 1, 1e15, "at most N iterations"),
	        OPT_DOUBLE(0, "tolerance", &o.tolerance, "T", 0, 1,
	                "stop at this accuracy (default: 1e-3; tgv, ictv 1e-6)"),
	        OPT_DENOISE(&o),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "denoise",
	                .group = GROUP_DENOISE,
	                .synonyms = "nlm bm3d smooth perona-malik anisotropic",
	                .about = "Denoise an array by one of many methods",
	                .details = "tv, tgv, ictv: the functionals of 'gantry rof' and 'gantry tgv'. The "
	                           "unit of L is the unit of the elements times mm. The default of L is "
	                           "the standard deviation of the noise times the voxel size.\n"
	                           "wavelet: shrinks wavelet coefficients by L (default: 1.5 times the "
	                           "noise). With --hard, coefficients below L become 0, and the default "
	                           "of L is 3 times the noise. The coarsest coefficients do not change.\n"
	                           "median: the median of the window around each element.\n"
	                           "nlm: non-local means. The weights decrease with the mean squared "
	                           "difference of two patches. The difference that noise alone would "
	                           "cause is subtracted from this mean squared difference.\n"
	                           "bilateral: the weighted mean of the elements up to 2 W elements away "
	                           "along each dimension. The weights decrease with the distance (standard "
	                           "deviation "
	                           "W) and with the difference of values (H times the noise).\n"
	                           "diffusion: the anisotropic diffusion of Perona and Malik. The "
	                           "diffusion stops at edges higher than H times the noise. The diffusion "
	                           "acts along x, y and z, regardless of the voxel spacing.\n"
	                           "external: any program that reads an array {in} and writes an array "
	                           "{out} of the same size. Both arrays are pairs of .hdr and .cfl files. "
	                           "The program is run without a shell.\n\n"
	                           "Along dimensions other than --dims, each slice is denoised "
	                           "separately." DENOISE_NOISE " See doc/functionals.md for all formulas.",
	                .examples = "gantry denoise --method wavelet --cycle-spins 8 volume smooth\n"
	                            "gantry denoise --method median --radius 2 --dims x,y volume smooth\n"
	                            "gantry denoise --method external --denoiser 'gantry rof --lambda 0.001 "
	                            "{in} {out}' volume smooth",
	                .memory = "as for 'gantry rof' (tv) or 'gantry tgv' (tgv). Other methods need "
	                          "arrays as large as IN up to the last dimension of --dims. The methods "
	                          "wavelet and diffusion need one of these arrays, wavelet with "
	                          "--cycle-spins three, and nlm one of float32",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	check(&o, width, steps);

	if (isnan(o.tolerance))
		o.tolerance =
		        (DENOISE_TGV == o.method || DENOISE_ICTV == o.method) ? DENOISE_TGV_TOLERANCE : 1e-3;

	denoise_run(&o);
	leave(EXIT_DONE);
}
