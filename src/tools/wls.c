#include "iter/apg.h"
#include "iter/cg.h"
#include "iter/recon.h"
#include "misc/error.h"

int main_wls(int argc, char *argv[]);

int main_wls(int argc, char *argv[])
{
	struct recon_opts o = RECON_DEFAULTS;
	bool nonneg = false;

	const struct opt opts[] = {
	        OPT_ARRAY(0, "weights", &o.weights, "W",
	                "weights of the projections, >= 0 (default: exp(-y) scaled to maximum 1)"),
	        OPT_FLAG(0, "nonneg", &nonneg, "only volumes >= 0"),
	        OPT_RECON(&o),
	        ARG_RECON(&o),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "wls",
	                .about = "Reconstruct by weighted least squares, with an L2 penalty, and >= 0 if "
	                         "asked for",
	                .details =
	                        "Minimises 1/2 |A x - y|^2_W + L/2 |x|^2 over volumes x, |r|^2_W = sum w "
	                        "r^2, A the X-ray transform and y the projections. The weights are inverse "
	                        "variances up to a factor: for counted photons the transmission exp(-y), "
	                        "which is the default, scaled to maximum 1. W has the shape of the "
	                        "projections, or length 1 along dimensions where it is repeated.\n"
	                        "\n"
	                        "Without --nonneg by conjugate gradients (CGLS), preconditioned by the mean "
	                        "weight of the rays through each voxel. With --nonneg by "
	                        "accelerated projected gradient steps with adaptive restart, each voxel with "
	                        "its "
	                        "own step; every iterate is >= 0 and they converge to the minimiser among "
	                        "volumes >= 0. Either takes one projection and one back "
	                        "projection per iteration. See doc/iterative.md.\n"
	                        "\n" RECON_DETAILS,
	                .examples = "gantry wls --iterations 30 geom proj rec\n"
	                            "gantry wls --nonneg --weights w --like vol geom proj rec\n"
	                            "gantry wls --reference vol --log log.csv --like vol geom proj rec",
	                .memory = "3 volumes and 2 sets of projections (of one channel and time), 3 and 3 "
	                          "with --nonneg, beside the mapped files",
	                .opts = opts,
	        },
	        argc, argv);

	recon_run(&o, &(struct recon_algorithm){
	                      .solve = nonneg ? apg : cg,
	                      .weights = RECON_STATISTICAL,
	                      .volumes = 3,
	                      .projections = nonneg ? 3 : 2,
	              });
	leave(EXIT_DONE);
}
