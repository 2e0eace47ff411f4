#include "iter/recon/recon_tool.h"

int main_sirt(int argc, char *argv[]);

int main_sirt(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "sirt",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by SIRT",
	                .details = "Each iteration adds R C A'W (y - A x) to x. R is the value of "
	                           "--relaxation. The matrices W and C are diagonal: W has the inverse "
	                           "row sums of A, and C has the inverse column sums. SIRT is slow and "
	                           "stable. With fewer iterations, the result has less noise.",
	                .examples = "gantry sirt -i 100 -R nonneg geom proj rec",
	                .algorithm = "sirt"},
	        argc, argv);
}
