#include "iter/cg.h"
#include "iter/recon.h"
#include "misc/error.h"

int main_cg(int argc, char *argv[]);

int main_cg(int argc, char *argv[])
{
	struct recon_opts o = RECON_DEFAULTS;

	const struct opt opts[] = {OPT_RECON(&o), ARG_RECON(&o), OPT_END};

	tool_init(
	        &(struct tool){
	                .name = "cg",
	                .about = "Reconstruct by conjugate gradients: least squares with an L2 penalty",
	                .details = "Minimises 1/2 |A x - y|^2 + L/2 |x|^2 over volumes x, A the X-ray "
	                           "transform and y the projections, by conjugate gradients on the normal "
	                           "equations (CGLS): one projection and one back projection per iteration. "
	                           "Complex projections give a complex volume. See doc/iterative.md.\n"
	                           "\n" RECON_DETAILS,
	                .examples = "gantry cg --iterations 20 geom proj rec\n"
	                            "gantry cg --lambda 10 --tolerance 1e-4 --iterations 200 --like vol geom "
	                            "proj rec\n"
	                            "gantry cg --init rec --iterations 10 --like rec geom proj rec2",
	                .memory = "2 volumes and 2 sets of projections (of one channel and time) beside the "
	                          "mapped files",
	                .opts = opts,
	        },
	        argc, argv);

	recon_run(&o, &(struct recon_algorithm){.solve = cg, .volumes = 2, .projections = 2});
	leave(EXIT_DONE);
}
