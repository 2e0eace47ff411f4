/** The smallest elements along dimensions. */

#include "num/shape/reduce_tool.h"

int main_min(int argc, char *argv[]);

int main_min(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "min",
	        .group = GROUP_CALCULATE,
	        .synonyms = "minimum",
	        .about = "Minimum of an array along dimensions",
	        .details = "The smallest element, in the type of the elements. A NaN makes its result NaN. "
	                   "Complex numbers have no order and are refused. The reduced dimensions get length "
	                   "1 at the centre of their extent and as wide. Quantity and unit are kept.",
	        .examples = "gantry min z volume projection\n"
	                    "gantry min view,time projections min-of-each-pixel",
	};

	reduce_tool(&tool, RED_MIN, argc, argv);
}
