#include "iter/recon/recon_tool.h"

int main_lsqr(int argc, char *argv[]);

int main_lsqr(int argc, char *argv[])
{
	return recon_tool(&(const struct recon_tool){.name = "lsqr",
	                          .group = GROUP_RECONSTRUCT,
	                          .about = "Reconstruct by LSQR: least squares with an L2 penalty",
	                          .details = "Conjugate gradients by bidiagonalisation: the same minimiser "
	                                     "as cg, with less rounding.",
	                          .examples = "gantry lsqr -i 30 geom proj rec",
	                          .algorithm = "lsqr"},
	        argc, argv);
}
