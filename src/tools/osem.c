#include "iter/recon/recon_tool.h"

int main_osem(int argc, char *argv[]);

int main_osem(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "osem",
	                .group = GROUP_RECONSTRUCT,
	                .about = "Reconstruct emission data by MLEM over subsets of the views",
	                .details = "MLEM with each of --subsets of the views in turn (10 by default).",
	                .examples = "gantry osem -i 5 --subsets 8 geom proj rec",
	                .algorithm = "osem"},
	        argc, argv);
}
