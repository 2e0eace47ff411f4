#include "iter/recon/recon_tool.h"

int main_osem(int argc, char *argv[]);

int main_osem(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "osem",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct emission data by MLEM over subsets of the views",
	                .details = "OSEM applies MLEM to each subset of the views in turn. The option "
	                           "--subsets sets the number of subsets (default: 10).",
	                .examples = "gantry osem -i 5 --subsets 8 geom proj rec",
	                .algorithm = "osem"},
	        argc, argv);
}
