#include "iter/recon/recon_tool.h"

int main_irgnm(int argc, char *argv[]);

int main_irgnm(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "irgnm",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct from transmission counts by Gauss-Newton steps (IRGNM)",
	                .details =
	                        "IRGNM minimises 1/2 |I0 exp(-A x) - n|^2_W for counts n, without taking "
	                        "the logarithm of the counts. The weights are W = 1 / max(n, 1). Each step "
	                        "linearises the problem at x, and adds the penalty alpha/2 |x|^2. The "
	                        "number alpha starts at --damping. After each step, alpha is multiplied by "
	                        "--factor, but does not fall below --lambda. The option --inner sets the "
	                        "number of conjugate gradient iterations in each step. Each conjugate "
	                        "gradient iteration needs one projection and one back projection.\n\n"
	                        "For noisy counts, stop early or use --lambda. To stop early, use few "
	                        "iterations (-i), or set --noise to the square root of the number of rays. "
	                        "PROJ contains line integrals or counts. Counts are recognised by the "
	                        "header of PROJ, or by --data transmission:I0:counts.",
	                .examples = "gantry irgnm --data transmission:1e4 -i 8 geom counts rec\n"
	                            "gantry irgnm --data transmission:1e4:counts --lambda 100 geom "
	                            "counts.npy rec",
	                .algorithm = "irgnm"},
	        argc, argv);
}
