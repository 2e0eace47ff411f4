/** Connected components and a table of them. */

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/warn_grid.h"
#include "misc/options/opt.h"
#include "volume/label.h"

int main_label(int argc, char *argv[]);

static const int neighbours[] = {6, 18, 26, 4, 8};

/** Labels have no unit. */
static struct cfl *create(const char *name, const struct cfl *in, int type)
{
	struct hdr h;

	hdr_copy(&h, &in->hdr);
	h.type = (type >= 0) ? (enum dtype)type : DT_INT32;
	h.quantity = Q_UNKNOWN;
	h.unit[0] = '\0';

	struct cfl *out = cfl_create(name, &h);

	hdr_free(&h);

	return out;
}

static void check_words(const char *out, const char *table, const char *mean, int type)
{
	if (!out && !table)
		usage_error("missing argument: OUT or --csv FILE");

	if (mean && !table)
		usage_error("--mean has no effect without --csv");

	if (!out && type >= 0)
		usage_error("--type has no effect without OUT");

	if (type >= 0 && (!dtype_is_integer((enum dtype)type) || DT_BOOL == type))
		usage_error(
		        "--type: %s, expected integers (int32, uint16, ...)", dtype_name((enum dtype)type));
}

int main_label(int argc, char *argv[])
{
	struct label l = {.min_size = 1};
	int kind = 0, type = -1;
	const char *in = NULL, *out = NULL, *table = NULL, *mean = NULL;

	const struct opt opts[] = {
	        OPT_CHOICE('c', "connectivity", &kind, "6|18|26|4|8",
	                "neighbours of a voxel; 4 and 8 within its slice"),
	        OPT_LONG(0, "min-size", &l.min_size, "N", 1, 1L << 62, "drop components of fewer voxels"),
	        OPT_LONG(0, "largest", &l.largest, "N", 1, 1L << 62,
	                "keep the N largest components (default: all)"),
	        OPT_OUTFILE(0, "csv", &table, "FILE", "write a table of the components (CSV)"),
	        OPT_ARRAY('m', "mean", &mean, "VOL", "add the mean of VOL in each component to the table"),
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "mask: objects are not 0"),
	        ARG_OUT_OPTIONAL("OUT", &out, "labels from 1, background 0 (int32)"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "label",
	                  .group = GROUP_MEASURE,
	                  .synonyms = "components connected-components bwlabel particles",
	                  .about = "Label the connected components of a mask",
	                  .details = "The option --connectivity sets which voxels are neighbours:\n\n"
	                             "  6: voxels that share a face\n"
	                             "  18: voxels that share a face or an edge\n"
	                             "  26: voxels that share a face, an edge or a corner\n"
	                             "  4: pixels of a slice that share an edge\n"
	                             "  8: pixels of a slice that share an edge or a corner\n\n"
	                             "For images, the connectivity 6 is the same as 4. For images, the "
	                             "connectivities 18 and 26 are the same as 8. With the connectivity 4 "
	                             "or 8, each component is within one slice. A mask that is one voxel "
	                             "thick is one slice, along any axis. The space outside the "
	                             "volume is background. Each channel and each time is a separate "
	                             "volume.\n\n"
	                             "Components are numbered in the order of their first voxels in "
	                             "memory, where x is the fastest index. The numbers of the components "
	                             "do not depend on the number of threads. Components dropped by "
	                             "--min-size or --largest become background. The remaining components "
	                             "are renumbered without gaps.\n\n"
	                             "The option --csv writes a table with these columns:\n\n"
	                             "  label: number of the component\n"
	                             "  voxels: number of voxels\n"
	                             "  size: volume [mm^3], or area [mm^2] in an image\n"
	                             "  diameter: diameter of a ball (in an image: of a circle) of that "
	                             "size [mm]\n"
	                             "  x, y, z: centre [mm]\n"
	                             "  x0, x1, y0, y1, z0, z1: bounding box [voxels, counted from 0, ends "
	                             "excluded]\n"
	                             "  mean: mean of --mean VOL",
	                  .examples = "gantry label mask labels\n"
	                              "gantry label -c 26 --min-size 50 --csv parts.csv --mean volume mask "
	                              "labels\n"
	                              "gantry label --largest 1 mask part",
	                  .memory = "4 bytes for each run of object voxels along x. With --csv, each "
	                            "component needs 88 bytes more",
	                  .opts = opts},
	        argc, argv);

	check_words(out, table, mean, type);
	l.neighbours = neighbours[kind];
	l.in = cfl_open(in);
	l.mean = mean ? cfl_open(mean) : NULL;
	cfl_expect_real(l.in);

	if (mean) {
		cfl_same_dims(l.in, l.mean, DIMS);
		cfl_warn_grid(l.mean, &l.in->hdr, l.in->name);
	}

	if (table && l.in->count > l.in->hdr.dims[0] * l.in->hdr.dims[1] * l.in->hdr.dims[2])
		error("--csv: %s has more than three dimensions (label each volume alone)", in);

	if (!out)
		tool_plan_text();

	l.out = out ? create(out, l.in, type) : NULL;

	struct file_out *f = table ? file_create(table) : NULL;
	long found;

	l.table = f ? file_stream(f) : NULL;

	const long kept = label_run(&l, &found);

	if (kept < found)
		info("%ld components, %ld of them kept", found, kept);
	else
		info("%ld components", found);

	cfl_close(l.in);

	if (mean)
		cfl_close(l.mean);

	if (out)
		cfl_close(l.out);

	if (f)
		file_commit(f);

	leave(EXIT_DONE);
}
