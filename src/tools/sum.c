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
	        .details = "Sums of floats are computed in float64, in a fixed order. Sums of "
	                   "floats are stored in the type of the elements; sums of float16 are "
	                   "stored as float32. Sums of integers are exact, and are stored as "
	                   "int64 or uint64. If --type is a float type, sums of integers are "
	                   "computed in float64. If one of the elements is NaN, the sum is NaN. "
	                   "The reduced dimensions get length 1, and keep their centre and total "
	                   "width in mm. Sums of counts are counts. All other sums have an "
	                   "unknown quantity. A sum of attenuation over voxels is not a line "
	                   "integral, because the voxel size is missing. Use 'gantry project' for "
	                   "line integrals.",
	        .examples = "gantry sum z volume projection\n"
	                    "gantry sum --type float64 0,1 frames per-frame",
	};

	reduce_tool(&tool, RED_SUM, argc, argv);
}
