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
	        .details =
	                "The result is the largest element, in the type of the elements. If one of the "
	                "elements is NaN, the result is NaN. Complex arrays are an error, because complex "
	                "numbers have no order. The reduced dimensions get length 1. The centre and the "
	                "total width of the reduced dimensions in mm are kept. Quantity and unit are kept.",
	        .examples = "gantry max z volume projection\n"
	                    "gantry max view,time projections max-of-each-pixel",
	};

	reduce_tool(&tool, RED_MAX, argc, argv);
}
