#include "iter/recon/recon_tool.h"

int main_lsqr(int argc, char *argv[]);

int main_lsqr(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "lsqr",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct by LSQR: least squares with an L2 penalty",
	                .details = "LSQR computes the same minimiser as 'gantry cg', with smaller rounding "
	                           "errors. The method uses bidiagonalisation.",
	                .examples = "gantry lsqr -i 30 geom proj rec",
	                .algorithm = "lsqr"},
	        argc, argv);
}
