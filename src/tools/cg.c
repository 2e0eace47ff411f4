#include "iter/recon/recon_tool.h"

int main_cg(int argc, char *argv[]);

int main_cg(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "cg",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "cgls",
	                .about = "Reconstruct by conjugate gradients: least squares with an L2 penalty",
	                .details = "CGLS minimises 1/2 |A x - y|^2 + L/2 |x|^2 over volumes x. The method "
	                           "applies conjugate gradients to the normal equations. A is the X-ray "
	                           "transform, y are the projections, and L is the value of --lambda. "
	                           "Each iteration needs one projection and one back projection. For each "
	                           "channel and each time, memory holds 2 volumes and 2 sets of "
	                           "projections. Complex projections give a complex volume.",
	                .examples = "gantry cg --iterations 20 geom proj rec\n"
	                            "gantry cg --lambda 10 --tolerance 1e-4 --iterations 200 --like vol geom "
	                            "proj "
	                            "rec\n"
	                            "gantry cg --init rec --iterations 10 --like rec geom proj rec2",
	                .algorithm = "cg",
	                .data = "l2"},
	        argc, argv);
}
