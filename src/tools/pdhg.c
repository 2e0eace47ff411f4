#include "iter/recon/recon_tool.h"

int main_pdhg(int argc, char *argv[]);

int main_pdhg(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "pdhg",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "chambolle-pock cp primal-dual",
	                .about = "Reconstruct by the primal-dual hybrid gradient method",
	                .details = "PDHG supports all terms of -R except awtv. Each iteration needs one "
	                           "projection and one back projection. The option --step sets the primal "
	                           "step size.",
	                .examples = "gantry pdhg -i 200 -R tv:0.01 -R box:0:inf geom proj rec",
	                .algorithm = "pdhg"},
	        argc, argv);
}
