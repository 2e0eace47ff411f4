#include "iter/recon/recon_tool.h"

int main_admm(int argc, char *argv[]);

int main_admm(int argc, char *argv[])
{
	return recon_tool(&(const struct recon_tool){.name = "admm",
	                          .group = GROUP_RECONSTRUCT,
	                          .about = "Reconstruct by alternating directions",
	                          .details = "ADMM supports all terms of -R except awtv. Each iteration "
	                                     "fits the data by a few conjugate gradient steps. The option "
	                                     "--step sets the penalty parameter rho of the splitting.",
	                          .examples = "gantry admm -i 30 -R tv:0.01 -R box:0:inf geom proj rec",
	                          .algorithm = "admm"},
	        argc, argv);
}
