#include "iter/denoise/denoise.h"
#include "misc/error.h"

int main_rof(int argc, char *argv[]);

int main_rof(int argc, char *argv[])
{
	struct denoise_opts o = DENOISE_DEFAULTS;

	const struct opt opts[] = {
	        OPT_FLAG(0, "anisotropic", &o.anisotropic,
	                "sum |differences| along each dimension, in place of gradient lengths"),
	        OPT_DOUBLES(0, "bounds", &o.bounds, "LO:HI", 0, 0, "only values LO <= OUT <= HI"),
	        OPT_DENOISE_ITERATION(&o),
	        OPT_DENOISE(&o),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "rof",
	                .group = GROUP_DENOISE,
	                .synonyms = "tv",
	                .about = "Denoise by total variation (Rudin, Osher, Fatemi)",
	                .details = "OUT minimises 1/2 |x - y|^2 + L TV(x) over x, where y is IN. The "
	                           "total variation TV is the sum of the gradient lengths of all "
	                           "elements. Gradients are computed from forward differences per mm. The "
	                           "unit of L is the unit of the elements times mm. Piecewise constant "
	                           "regions stay sharp, but lose contrast. The contrast of a region "
	                           "decreases by L C / F, where C is the circumference and F is the area. "
	                           "Along dimensions other than --dims, each slice is denoised "
	                           "separately. The default of L is the standard deviation of the noise "
	                           "times the voxel size." DENOISE_NOISE "\n\n"
	                           "The algorithm is accelerated projected gradients with restarts, "
	                           "applied to the dual problem. The duality gap gives an upper bound of "
	                           "the distance from OUT to the minimiser. The iteration stops when the "
	                           "bound of the distance is at most --tolerance times |y|.",
	                .examples = "gantry rof --lambda 0.002 volume smooth\n"
	                            "gantry rof --noise 0.001 --anisotropic --dims x,y volume smooth",
	                .memory = "3 arrays for each dimension of --dims. Each array is as large as IN "
	                          "up to the last dimension of --dims",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	denoise_run(&o);
	leave(EXIT_DONE);
}
