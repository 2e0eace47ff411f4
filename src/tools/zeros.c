/** Arrays of zeros. */

#include "num/md/constant.h"

int main_zeros(int argc, char *argv[]);

int main_zeros(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "zeros",
	        .group = GROUP_MAKE,
	        .synonyms = "create empty",
	        .about = "Make an array of zeros",
	        .details = "The grid is centred on the origin.",
	        .examples = "gantry zeros --size 128:128:64 volume\n"
	                    "gantry zeros --size 512:512 --type uint16 --spacing 0.1 dark",
	};

	constant_tool(&tool, 0., argc, argv);
}
