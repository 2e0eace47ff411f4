/** Arrays of ones. */

#include "num/md/constant.h"

int main_ones(int argc, char *argv[]);

int main_ones(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "ones",
	        .group = GROUP_MAKE,
	        .about = "Make an array of ones",
	        .details = "The grid is centred on the origin.",
	        .examples = "gantry ones --size 128:128 flat\n"
	                    "gantry ones --size 128:128 - | gantry scale 3 - threes",
	};

	constant_tool(&tool, 1., argc, argv);
}
