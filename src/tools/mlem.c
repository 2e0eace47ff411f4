#include "iter/recon/recon_tool.h"

int main_mlem(int argc, char *argv[]);

int main_mlem(int argc, char *argv[])
{
	return recon_tool(
	        &(const struct recon_tool){.name = "mlem",
	                .group = GROUP_RECONSTRUCT,
	                .synonyms = "em",
	                .about = "Reconstruct emission data by maximum likelihood (MLEM)",
	                .details = "MLEM maximises the likelihood of the counts y over all volumes x >= 0. "
	                           "The counts have Poisson distributions with the mean A x. The "
	                           "projections must be counts, which are never negative.",
	                .examples = "gantry mlem -i 50 geom proj rec",
	                .algorithm = "mlem"},
	        argc, argv);
}
