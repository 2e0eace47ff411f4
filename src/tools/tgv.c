#include "iter/denoise/denoise.h"
#include "misc/error.h"

int main_tgv(int argc, char *argv[]);

int main_tgv(int argc, char *argv[])
{
	struct denoise_opts o = DENOISE_DEFAULTS;
	bool infimal = false;

	o.tolerance = DENOISE_TGV_TOLERANCE;
	o.iterations = DENOISE_TGV_ITERATIONS;

	const struct opt opts[] = {
	        OPT_DOUBLE('r', "ratio", &o.ratio, "R", 1e-9, 1e9,
	                "factor of second differences over that of first ones [mm]"),
	        OPT_FLAG(0, "ictv", &infimal, "the infimal convolution of first and second differences"),
	        OPT_DENOISE_ITERATION(&o),
	        OPT_DENOISE(&o),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "tgv",
	                .group = GROUP_DENOISE,
	                .synonyms = "total-variation",
	                .about = "Denoise by total generalised variation",
	                .details = "OUT minimises 1/2 |x - y|^2 + L min_w (|gradient x - w| + R "
	                           "|symmetric gradient w|) over x, where y is IN. The norms in the term "
	                           "of L are sums of vector or tensor lengths over all elements. All "
	                           "differences are per mm. Unlike total variation, total generalised "
	                           "variation does not turn ramps into steps. With --ictv, the term is L "
	                           "min_v (|gradient (x - v)| + R |second differences of v|). Along "
	                           "dimensions other than --dims, each slice is denoised separately. The "
	                           "default of L is the standard deviation of the noise times the voxel "
	                           "size." DENOISE_NOISE "\n\n"
	                           "The algorithm is primal-dual. The algorithm stops when an iteration "
	                           "changes x by at most --tolerance times |y|.",
	                .examples = "gantry tgv --lambda 0.002 --ratio 2 volume smooth\n"
	                            "gantry tgv --ictv --dims x,y volume smooth",
	                .memory = "16 arrays if --dims has two dimensions, or 26 arrays if --dims has "
	                          "three. Each array is as large as IN up to the last dimension of --dims",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	o.method = infimal ? DENOISE_ICTV : DENOISE_TGV;
	denoise_run(&o);
	leave(EXIT_DONE);
}
