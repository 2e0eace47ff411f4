#include "iter/recon/recon_tool.h"

int main_sirt(int argc, char *argv[]);

int main_sirt(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "sirt",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by SIRT",
	                .details = "Each iteration adds R C A'W (y - A x) to x, where R is --relaxation, and "
	                           "W and C divide by the sums of the rows and columns of A. SIRT is slow "
	                           "and stable; the earlier it stops, the less noise the result has.",
	                .examples = "gantry sirt -i 100 -R nonneg geom proj rec",
	                .algorithm = "sirt"},
	        argc, argv);
}
