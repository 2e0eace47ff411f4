/** Sums along dimensions. */

#include "num/shape/reduce_tool.h"

int main_sum(int argc, char *argv[]);

int main_sum(int argc, char *argv[])
{
	const struct tool tool = {
	        .name = "sum",
	        .group = GROUP_CALCULATE,
	        .synonyms = "reduce total",
	        .about = "Sum an array along dimensions",
	        .details = "Sums of floats run in float64 in a fixed order and are stored in the type of "
	                   "the elements (float32 for float16). Sums of integers are exact and stored as "
	                   "int64 or uint64; with --type and a float type they run in float64. If one of "
	                   "the elements is NaN, the sum is NaN. The reduced dimensions get length 1 and "
	                   "keep their centre and total width in mm. Sums of counts are counts; other sums "
	                   "have an unknown quantity. A sum of attenuation over voxels is not a line "
	                   "integral, which also needs the voxel size (gantry project).",
	        .examples = "gantry sum z volume projection\n"
	                    "gantry sum --type float64 0,1 frames per-frame",
	};

	reduce_tool(&tool, RED_SUM, argc, argv);
}
