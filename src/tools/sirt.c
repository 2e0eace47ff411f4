#include "iter/recon/recon_tool.h"

int main_sirt(int argc, char *argv[]);

int main_sirt(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "sirt",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by SIRT",
	                .details = "x += R C A'W (y - A x), where W and C divide by the sums of rows and "
	                           "columns: slow, stable, and less noisy the earlier it stops.",
	                .examples = "gantry sirt -i 100 -R nonneg geom proj rec",
	                .algorithm = "sirt"},
	        argc, argv);
}
