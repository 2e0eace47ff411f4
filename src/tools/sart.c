#include "iter/recon/recon_tool.h"

int main_sart(int argc, char *argv[]);

int main_sart(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "sart",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "art",
	                .about = "Reconstruct by SART, with a correction after each view",
	                .details = "SART takes one step of SIRT for each view in turn. Consecutive steps "
	                           "use views that are far apart in angle. An iteration uses each view "
	                           "once.",
	                .examples = "gantry sart -i 5 -R nonneg geom proj rec",
	                .algorithm = "sart"},
	        argc, argv);
}
