/** Exact Euclidean distance transform. */

#include <stdio.h>

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/options/opt.h"
#include "volume/distance.h"

int main_distance(int argc, char *argv[]);

int main_distance(int argc, char *argv[])
{
	struct distance_map m = {0};
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('i', "invert", &m.invert, "measure from the background to the object"),
	        OPT_FLAG('b', "border", &m.border,
	                "the outside of the array is background (--invert: object)"),
	        OPT_FLAG(0, "voxels", &m.unit, "in voxels instead of mm"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "mask: objects are not 0"),
	        ARG_OUT("OUT", &out, "distances [mm], 0 in the background (float32)"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "distance",
	                  .group = GROUP_MEASURE,
	                  .synonyms = "edt bwdist distance-transform",
	                  .about = "Measure the distance of object voxels to the background",
	                  .details = "Each object voxel gets the exact Euclidean distance [mm] to the "
	                             "nearest background voxel. Distances are measured between the centres "
	                             "of voxels. Background voxels get 0. With --invert, background voxels "
	                             "get the distance to the nearest object voxel. Voxels outside the "
	                             "volume do not count, unless --border is given. Each channel and each "
	                             "time is a separate volume.\n\n"
	                             "With --type float64, the values are those of "
	                             "scipy.ndimage.distance_transform_edt. By default, these values are "
	                             "rounded to float32. The method uses lower envelopes of parabolas (P. "
	                             "F. Felzenszwalb, D. P. Huttenlocher, Theory of Computing 8, 415-428, "
	                             "2012).",
	                  .examples = "gantry distance mask depth\n"
	                              "gantry distance --invert --voxels mask gap",
	                  .opts = opts},
	        argc, argv);

	if (type >= 0 && DT_FLOAT32 != type && DT_FLOAT64 != type)
		usage_error("--type: %s, expected float32 or float64", dtype_name((enum dtype)type));

	struct hdr h;

	m.in = cfl_open(in);
	cfl_expect_real(m.in);
	hdr_copy(&h, &m.in->hdr);
	h.type = (type >= 0) ? (enum dtype)type : DT_FLOAT32;
	h.quantity = Q_UNKNOWN;
	snprintf(h.unit, sizeof h.unit, "%s", m.unit ? "" : "mm");
	m.out = cfl_create(out, &h);
	hdr_free(&h);
	distance_run(&m);
	cfl_close(m.in);
	cfl_close(m.out);
	leave(EXIT_DONE);
}
