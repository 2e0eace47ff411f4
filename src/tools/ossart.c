#include "iter/recon/recon_tool.h"

int main_ossart(int argc, char *argv[]);

int main_ossart(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "ossart",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by OS-SART, with one correction per subset of the views",
	                .details = "Each iteration takes one SIRT step for each subset of the views in "
	                           "turn. The option --subsets sets the number of subsets (default: 10).",
	                .examples = "gantry ossart -i 20 --subsets 12 geom proj rec",
	                .algorithm = "ossart"},
	        argc, argv);
}
