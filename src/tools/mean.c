/** Means along dimensions. */

#include "num/shape/reduce_tool.h"

int main_mean(int argc, char *argv[]);

int main_mean(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "mean",
	        .group = GROUP_CALCULATE,
	        .synonyms = "average avg",
	        .about = "Average an array along dimensions",
	        .details =
	                "The mean is computed in float64. The output has the type of the elements, except "
	                "for integers. For integers of 8 and 16 bits, the output has the type float32. For "
	                "longer integers, the output has the type float64. If one of the elements is NaN, "
	                "the mean is NaN. The reduced dimensions get length 1. The centre and the total "
	                "width of the reduced dimensions in mm are kept. Quantity and unit are kept.",
	        .examples = "gantry mean view flats flat\n"
	                    "gantry mean --type float64 x,y,z,channel,time volume one-number",
	};

	reduce_tool(&tool, RED_MEAN, argc, argv);
}
