#include "iter/recon/recon_tool.h"

int main_recon(int argc, char *argv[]);

int main_recon(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "recon",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "reconstruct reconstruction solve",
	                .about = "Reconstruct: any data term, any regularisation, any algorithm",
	                .details = "recon minimises d(A x) + L/2 |x|^2 + the terms of -R over volumes x. A "
	                           "is the X-ray transform, and --data chooses d. If no option chooses the "
	                           "algorithm, data, penalty, terms or stopping rule, recon uses -R tv:auto "
	                           "-R nonneg and prints this choice. Without --algorithm, recon chooses a "
	                           "suitable algorithm. doc/algorithms.md has the details.",
	                .examples =
	                        "gantry recon geom proj rec\n"
	                        "gantry recon --weights w geom proj rec\n"
	                        "gantry recon -a lsqr -i 50 geom proj rec\n"
	                        "gantry recon --algorithm pdhg -i 200 -R tv:0.002 -R box:0:inf geom proj "
	                        "rec\n"
	                        "gantry recon -i 30 -R htv:0.01:delta=0.001 --data weighted geom proj rec"},
	        argc, argv);
}
