#include "iter/recon/recon_tool.h"

int main_wls(int argc, char *argv[]);

int main_wls(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "wls",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "pwls",
	                .about = "Reconstruct by weighted least squares, with L2 penalty and constraint x >= "
	                         "0",
	                .details = "WLS minimises 1/2 |A x - y|^2_W + L/2 |x|^2 over volumes x, with "
	                           "|r|^2_W = sum w r^2. A is the X-ray transform and y the projections. "
	                           "The weights are inverse variances up to a factor. The default weights "
	                           "are the transmission exp(-y), as for counted photons, scaled to maximum "
	                           "1. W has the shape of the projections, or length 1 along dimensions "
	                           "where it is repeated.\n"
	                           "\n"
	                           "Without --nonneg, the algorithm is conjugate gradients (CGLS), "
	                           "preconditioned by the mean weight of the rays through each voxel. With "
	                           "--nonneg, it is accelerated projected gradients with adaptive restart "
	                           "and a step for each voxel. Every iterate is >= 0, and the iterates "
	                           "converge to the minimiser among volumes >= 0. Both algorithms take one "
	                           "projection and one back projection per iteration. See doc/iterative.md.\n"
	                           "\n"
	                           "For each channel and time point, memory holds 3 volumes and 2 sets of "
	                           "projections, "
	                           "or 3 and 3 with --nonneg.",
	                .examples = "gantry wls --iterations 30 geom proj rec\n"
	                            "gantry wls --nonneg --weights w --like vol geom proj rec\n"
	                            "gantry wls --reference vol --log log.csv --like vol geom proj rec",
	                .algorithm = "cg",
	                .data = "weighted",
	                .nonneg = "apg"},
	        argc, argv);
}
