#include "iter/recon/recon_tool.h"

int main_sqs(int argc, char *argv[]);

int main_sqs(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "sqs",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by separable quadratic surrogates, over subsets of the views",
	                .details = "Each voxel has its own step size. With --subsets 1, the objective "
	                           "never increases. SQS supports terms of -R that have a gradient. A "
	                           "bound such as nonneg is applied after each step.",
	                .examples = "gantry sqs -i 20 -R nonneg -R smooth:1 geom proj rec",
	                .algorithm = "sqs"},
	        argc, argv);
}
