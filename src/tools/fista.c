#include "iter/recon/recon_tool.h"

int main_fista(int argc, char *argv[]);

int main_fista(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "fista",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "ista",
	                .about = "Reconstruct by accelerated proximal gradients",
	                .details = "One term that is not differentiable, any number of differentiable ones.",
	                .examples = "gantry fista -i 100 -R nonneg geom proj rec",
	                .algorithm = "fista"},
	        argc, argv);
}
