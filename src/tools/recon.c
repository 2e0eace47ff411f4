#include "iter/recon/recon_tool.h"

int main_recon(int argc, char *argv[]);

int main_recon(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "recon",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "reconstruct reconstruction solve",
	                .about = "Reconstruct with any data term, any regularisation and any algorithm",
	                .details = "The command minimises the sum of d(A x), L/2 |x|^2 and the terms of "
	                           "-R over volumes x. A is the X-ray transform, --data chooses d, and "
	                           "--lambda sets the factor L of the penalty. If no option chooses "
	                           "algorithm, data term, penalty, terms or stopping rule, the default is "
	                           "-R tv:auto -R nonneg. The default is printed. Without --algorithm, "
	                           "the command chooses a suitable algorithm. The page doc/algorithms.md "
	                           "has the details.",
	                .examples =
	                        "gantry recon geom proj rec\n"
	                        "gantry recon --weights w geom proj rec\n"
	                        "gantry recon -a lsqr -i 50 geom proj rec\n"
	                        "gantry recon --algorithm pdhg -i 200 -R tv:0.002 -R box:0:inf geom proj "
	                        "rec\n"
	                        "gantry recon -i 30 -R htv:0.01:delta=0.001 --data weighted geom proj rec"},
	        argc, argv);
}
