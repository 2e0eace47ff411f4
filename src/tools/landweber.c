#include "iter/recon/recon_tool.h"

int main_landweber(int argc, char *argv[]);

int main_landweber(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "landweber",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by Landweber iterations",
	                .details =
	                        "Each iteration takes a step along the negative gradient of least squares. "
	                        "By default, the step size is R / |A|^2, where R is the value of "
	                        "--relaxation.",
	                .examples = "gantry landweber -i 100 geom proj rec",
	                .algorithm = "landweber"},
	        argc, argv);
}
