/** Other names of options: earlier ones, those of published parameters, American and British spelling. */

#include <string.h>

#include "misc/options/commands.h"

bool opt_is_renamed(const char *name, const char *old)
{
	static const char *const names[][2] = {
	        {"tv-iterations", "descents"},
	        {"alpha-red", "shrink"},
	        {"beta-red", "fade"},
	        {"r-max", "ratio"},
	        {"max-shift", "most"},
	        {"median", "steady"},
	        {"material2", "second"},
	        {"fraction", "share"},
	        {"cycle-spins", "spins"},
	        {"tv-iterations", "ng"},
	        {"alpha-red", "alpha_red"},
	        {"beta-red", "beta_red"},
	        {"r-max", "r_max"},
	        {"r-max", "rmax"},
	        {"colormap", "colourmap"},
	        {"colorbar", "colourbar"},
	        {"colored", "coloured"},
	        {"center", "centre"},
	        {"centre", "center"},
	        {"centred", "centered"},
	        {"regularise", "regularize"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i][0], name) && !strcmp(names[i][1], old))
			return true;
	return false;
}
