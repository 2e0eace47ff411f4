#include "iter/recon/recon_tool.h"

int main_landweber(int argc, char *argv[]);

int main_landweber(int argc, char *argv[])
{
	return recon_tool(&(const struct recon_tool){.name = "landweber",
	                          .group = GROUP_RECONSTRUCT,
	                          .about = "Reconstruct by Landweber iterations",
	                          .details = "Each iteration takes a step of R / |A|^2 along the gradient of "
	                                     "least squares.",
	                          .examples = "gantry landweber -i 100 geom proj rec",
	                          .algorithm = "landweber"},
	        argc, argv);
}
