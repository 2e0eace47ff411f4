#include "iter/recon/recon_tool.h"

int main_irgnm(int argc, char *argv[]);

int main_irgnm(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "irgnm",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct from counts of transmission by Gauss-Newton steps (IRGNM)",
	                .details =
	                        "IRGNM minimises 1/2 |I0 exp(-A x) - n|^2_W, W = 1 / max(n, 1), for counts "
	                        "n, without taking their logarithm. Each step linearises the problem at x "
	                        "and adds a penalty alpha/2 |x|^2. alpha begins at --damping and is "
	                        "multiplied by --factor from step to step, but does not fall below "
	                        "--lambda. Each step takes --inner conjugate gradient iterations, each "
	                        "with one projection and one back projection. For noisy counts, stop early "
	                        "(few iterations -i, or a --noise equal to the square root of the number of "
	                        "rays) or give --lambda. PROJ contains "
	                        "line integrals, or counts (by its header or with --data "
	                        "transmission:I0:counts).",
	                .examples = "gantry irgnm --data transmission:1e4 -i 8 geom counts rec\n"
	                            "gantry irgnm --data transmission:1e4:counts --lambda 100 geom "
	                            "counts.npy rec",
	                .algorithm = "irgnm"},
	        argc, argv);
}
