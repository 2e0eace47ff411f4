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
	        .details =
	                "The result is the smallest element, in the type of the elements. If one of the "
	                "elements is NaN, the result is NaN. Complex arrays are an error, because complex "
	                "numbers have no order. The reduced dimensions get length 1. The centre and the "
	                "total width of the reduced dimensions in mm are kept. Quantity and unit are kept.",
	        .examples = "gantry min z volume projection\n"
	                    "gantry min view,time projections min-of-each-pixel",
	};

	reduce_tool(&tool, RED_MIN, argc, argv);
}
