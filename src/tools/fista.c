#include "iter/recon/recon_tool.h"

int main_fista(int argc, char *argv[]);

int main_fista(int argc, char *argv[])
{
	return recon_tool(&(const struct recon_tool){.name = "fista",
	                          .group = GROUP_RECONSTRUCT,
	                          .synonyms = "ista",
	                          .about = "Reconstruct by accelerated proximal gradients",
	                          .details = "FISTA supports one term that is not differentiable, and any "
	                                     "number of differentiable terms.",
	                          .examples = "gantry fista -i 100 -R nonneg geom proj rec",
	                          .algorithm = "fista"},
	        argc, argv);
}
