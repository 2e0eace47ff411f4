#include "iter/recon/recon_tool.h"

int main_asd_pocs(int argc, char *argv[]);

int main_asd_pocs(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "asd-pocs",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by ASD-POCS: smallest total variation that fits the data",
	                .details = "ASD-POCS minimises the total variation subject to |A x - y| <= "
	                           "--noise and x >= 0. Each iteration is a pass of SART, followed by "
	                           "gradient steps of the total variation (Sidky and Pan 2008). The "
	                           "option --tv-iterations sets the number of gradient steps. The "
	                           "gradient steps have an adaptive length. With --subsets, OS-SART is "
	                           "used in place of SART. The default terms are tv:1 and nonneg; terms "
	                           "of -R replace these two terms. The option -R accepts any terms with a "
	                           "gradient, and one constraint. The factors of the terms only set their "
	                           "relative weights.",
	                .examples = "gantry asd-pocs -i 50 --noise 0.3 geom proj rec\n"
	                            "gantry asd-pocs -i 50 --subsets 10 -R awtv:1:delta=0.005 -R nonneg geom "
	                            "proj rec",
	                .algorithm = "asd-pocs"},
	        argc, argv);
}
