/** Connected components and a table of them. */

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
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
	                  .details =
	                          "Two voxels are connected when they share a face (6), a face or an edge "
	                          "(18), or also a corner (26). In images 6 means 4 neighbours, 18 and 26 "
	                          "mean 8. With 4 and 8 neighbours, slices of a volume are not connected "
	                          "with each other. The outside of the volume is background. Dimensions "
	                          "after z are separate volumes.\n"
	                          "\n"
	                          "Labels are numbered in the order of the first voxel of their component in "
	                          "memory (x fastest), for any number of threads. Dropped components become "
	                          "background and the others are renumbered without gaps.\n"
	                          "\n"
	                          "--csv writes a table with the columns\n"
	                          "  label: number of the component\n"
	                          "  voxels: number of voxels\n"
	                          "  size: volume [mm^3], or area [mm^2] in an image\n"
	                          "  diameter: diameter of the ball (circle) of that size [mm]\n"
	                          "  x, y, z: centre [mm]\n"
	                          "  x0, x1, y0, y1, z0, z1: bounding box [voxels, counted from 0, ends "
	                          "excluded]\n"
	                          "  mean: mean of --mean VOL",
	                  .examples = "gantry label mask labels\n"
	                              "gantry label -c 26 --min-size 50 --csv parts.csv --mean volume mask "
	                              "labels\n"
	                              "gantry label --largest 1 mask part",
	                  .memory = "4 bytes for each run of object voxels along x; with --csv 88 bytes "
	                            "for each component",
	                  .opts = opts},
	        argc, argv);

	check_words(out, table, mean, type);
	l.neighbours = neighbours[kind];
	l.in = cfl_open(in);
	l.mean = mean ? cfl_open(mean) : NULL;
	cfl_expect_real(l.in);

	if (mean)
		cfl_same_dims(l.in, l.mean, DIMS);

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
