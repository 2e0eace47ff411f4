/** The largest elements along dimensions. */

#include "num/shape/reduce_tool.h"

int main_max(int argc, char *argv[]);

int main_max(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "max",
	        .group = GROUP_CALCULATE,
	        .synonyms = "maximum mip",
	        .about = "Maximum of an array along dimensions",
	        .details = "The largest element, in the type of the elements. A NaN makes its result NaN. "
	                   "Complex numbers have no order and are refused. The reduced dimensions get length "
	                   "1, with the same centre and total width. Quantity and unit are kept.",
	        .examples = "gantry max z volume projection\n"
	                    "gantry max view,time projections max-of-each-pixel",
	};

	reduce_tool(&tool, RED_MAX, argc, argv);
}
