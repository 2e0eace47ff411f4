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
	        .details = "The mean is computed in float64. The output has the type of the elements; for "
	                   "integers it has float32 (8 and 16 bits) or float64. If one of the elements is "
	                   "NaN, the mean is NaN. The reduced dimensions get length 1 and keep their "
	                   "centre and total width in mm. Quantity and unit are kept.",
	        .examples = "gantry mean view flats flat\n"
	                    "gantry mean --type float64 x,y,z,channel,time volume one-number",
	};

	reduce_tool(&tool, RED_MEAN, argc, argv);
}
