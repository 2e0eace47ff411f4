#include "iter/recon/recon_tool.h"

int main_wls(int argc, char *argv[]);

int main_wls(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "wls",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "pwls",
	                .about = "Reconstruct by weighted least squares, with optional L2 penalty and x "
	                         ">= 0",
	                .details = "WLS minimises 1/2 |A x - y|^2_W + L/2 |x|^2 over volumes x. The "
	                           "weighted norm is |r|^2_W = sum w r^2. A is the X-ray transform, y are "
	                           "the projections, and L is the value of --lambda. The weights w are "
	                           "inverse variances up to a factor. The default weights are those of "
	                           "counted photons: the transmission exp(-y), scaled to a maximum of 1. "
	                           "The array of --weights has the shape of the projections. Weights of "
	                           "length 1 along a dimension are repeated along this dimension.\n\n"
	                           "Without --nonneg, the algorithm is preconditioned conjugate gradients "
	                           "(CGLS). The preconditioner is the mean weight of the rays through "
	                           "each voxel. With --nonneg, the algorithm is accelerated projected "
	                           "gradients with adaptive restart. With --nonneg, each voxel has its "
	                           "own step size. With --nonneg, all iterates are >= 0, and converge to "
	                           "the minimiser among volumes >= 0. Both algorithms need one projection "
	                           "and one back projection per iteration. See doc/iterative.md.\n\n"
	                           "For each channel and each time, memory holds 3 volumes and 2 sets of "
	                           "projections. With --nonneg, memory holds 3 volumes and 3 sets of "
	                           "projections.",
	                .examples = "gantry wls --iterations 30 geom proj rec\n"
	                            "gantry wls --nonneg --weights w --like vol geom proj rec\n"
	                            "gantry wls --reference vol --log log.csv --like vol geom proj rec",
	                .algorithm = "cg",
	                .data = "weighted",
	                .nonneg = "apg"},
	        argc, argv);
}
