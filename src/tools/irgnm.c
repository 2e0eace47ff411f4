#include "iter/recon/recon_tool.h"

int main_irgnm(int argc, char *argv[]);

int main_irgnm(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "irgnm",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct from counts of transmission by Gauss-Newton steps (IRGNM)",
	                .details = "Minimises 1/2 |I0 exp(-A x) - n|^2_W, W = 1 / max(n, 1), of counts n, "
	                           "without their logarithm. It is linearised at x, with a penalty alpha/2 "
	                           "|x|^2; alpha falls from --damping by --factor from step to step, down to "
	                           "--lambda. Each step takes --inner conjugate gradient iterations, each "
	                           "with one projection and one back projection. Stop early (-i, --noise "
	                           "sqrt(number of rays)) or give --lambda. PROJ are counts, according to "
	                           "its header or --data transmission:I0:counts, or line integrals.",
	                .examples = "gantry irgnm --data transmission:1e4 -i 8 geom counts rec\n"
	                            "gantry irgnm --data transmission:1e4:counts --lambda 100 geom "
	                            "counts.npy rec",
	                .algorithm = "irgnm"},
	        argc, argv);
}
