#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/file/warn_grid.h"
#include "misc/options/opt.h"
#include "misc/ranks/ranks.h"
#include "num/stat/similarity.h"
#include "volume/mesh/compare.h"

int main_compare(int argc, char *argv[]);

static void warn_quantities(const struct cfl *ref, const struct cfl *img)
{
	enum quantity a = ref->hdr.quantity;
	enum quantity b = img->hdr.quantity;

	if (a != b && a != Q_UNKNOWN && b != Q_UNKNOWN)
		warn("%s contains %s, but %s contains %s", ref->name, quantity_name(a), img->name,
		        quantity_name(b));
}

/* Meshes: refuses options that are for arrays only. */
static void check_mesh(bool metric, const char *mask, const char *region, const char *colored)
{
	const char *dot = colored != NULL ? strrchr(colored, '.') : NULL;

	if (metric || mask != NULL || region != NULL)
		usage_error("--mesh excludes %s, which is for arrays",
		        metric ? "--metric" : (mask != NULL ? "--mask" : "--region"));

	if (colored != NULL && (NULL == dot || 0 != strcasecmp(dot, ".ply")))
		usage_error("--colored: '%s' must end in .ply", colored);
}

int main_compare(int argc, char *argv[])
{
	const char *ref_name = NULL;
	const char *img_name = NULL;
	const char *mask_name = NULL;
	int metric = METRIC_NRMSE;
	const char *where = NULL;
	double tolerance = 0.;
	bool judge = false, chosen = false, mesh = false, both = false;
	const char *colored = NULL;

	const struct opt opts[] = {
	        {0, "metric", OPT_KIND_CHOICE, &metric, METRICS, "what to measure", 0, 0, 0, &chosen},
	        OPT_ARRAY(0, "mask", &mask_name, "M",
	                "compare only where M is not 0 (M repeats along dimensions of length 1)"),
	        OPT_STRING(
	                0, "region", &where, "SHAPE", "compare only inside this region [mm]: " REGION_FORMS),
	        {0, "tolerance", OPT_KIND_DOUBLE, &tolerance, "T",
	                "exit status 1 when over T (psnr, ssim, ms-ssim, correlation: under T)", 0, 0, 0,
	                &judge},
	        OPT_FLAG(0, "mesh", &mesh, "distances from the vertices of mesh REF to the surface IMG"),
	        OPT_FLAG(0, "both", &both, "with --mesh: also from IMG to REF, and the larger (Hausdorff)"),
	        OPT_OUTFILE(0, "colored", &colored, "FILE.ply", "with --mesh: REF coloured by the distances"),
	        ARG_IN("REF", &ref_name, "reference, any type; with --mesh STL, PLY or OBJ"),
	        ARG_IN("IMG", &img_name, "same dimensions, any type; with --mesh STL, PLY or OBJ"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "compare",
	                .group = GROUP_LOOK,
	                .synonyms = "diff difference nrmse psnr ssim rmse",
	                .about = "Print how much an array differs from a reference, as one number",
	                .details = "nrmse: |IMG - REF| / |REF| with the 2-norm (the default).\n"
	                           "rmse: |IMG - REF| / sqrt(n) for n elements.\n"
	                           "mse: the square of rmse.\n"
	                           "mae: the mean of |IMG - REF| over the elements.\n"
	                           "psnr: 20 log10(range / rmse) [dB], where range = max REF - min REF.\n"
	                           "max: the largest |IMG - REF| over the elements.\n"
	                           "ssim: the mean structural similarity of Wang, Bovik, Sheikh and "
	                           "Simoncelli (2004) on slices of dimensions 0 and 1. The windows of "
	                           "ssim are Gaussian, with 11 x 11 elements and sigma 1.5. The constants "
	                           "of ssim are K1 = 0.01 and K2 = 0.03. The mean of ssim is over the "
	                           "windows inside the slice. With a mask or region, the mean is over the "
	                           "windows whose centre is in the mask or region.\n"
	                           "ms-ssim: ssim over five scales, each half as large as the one before "
	                           "(Wang, Simoncelli and Bovik 2003). The metric ms-ssim needs whole "
	                           "slices of at least 176 x 176 elements.\n"
	                           "correlation: Pearson's correlation coefficient.\n\n"
	                           "For complex data, the differences are complex. The range, the "
	                           "correlation and ssim use magnitudes of complex data. All sums are in "
	                           "float64.\n\n"
	                           "With --mesh, each vertex of REF gets a signed distance [mm] to the "
	                           "nearest triangle of IMG. The command prints mean, standard deviation, "
	                           "root mean square, extremes and percentiles of these distances. "
	                           "Distances outside the surface are positive. The sign of a distance "
	                           "comes from angle-weighted normals (Baerentzen and Aanaes 2005). With "
	                           "--mesh, the option --tolerance applies to the largest |distance|. "
	                           "Vertices at the same position count once. With --both, distances are "
	                           "also measured from the vertices of IMG to REF. The largest distance "
	                           "in both directions is then also printed. This distance is the "
	                           "Hausdorff distance of the vertices.",
	                .examples = "gantry compare vol rec\n"
	                            "gantry compare --metric ssim --tolerance 0.9 vol rec\n"
	                            "gantry compare --metric mae --region cyl:0:0:40 vol rec\n"
	                            "gantry compare --mesh --colored off.ply part.stl cad.stl",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	if (mesh) {
		check_mesh(chosen, mask_name, where, colored);
		ranks_alone();
		tool_plan_text();
		leave(mesh_compare(ref_name, img_name, both, colored) > tolerance && judge ? EXIT_FAILED
		                                                                           : EXIT_DONE);
	}

	if (colored != NULL)
		usage_error("--colored has no effect without --mesh");

	if (both)
		usage_error("--both has no effect without --mesh");

	struct region region;

	if (where != NULL)
		region_parse(&region, where, "--region");

	struct cfl *ref = cfl_open(ref_name);
	struct cfl *img = cfl_open(img_name);
	struct cfl *mask = mask_name != NULL ? cfl_open(mask_name) : NULL;

	warn_quantities(ref, img);

	if (mask != NULL)
		cfl_warn_grid(mask, &ref->hdr, ref->name);

	tool_plan_text();

	double value = similarity((enum metric)metric, ref, img, mask, where != NULL ? &region : NULL);
	bool more_is_better = metric >= METRIC_PSNR;
	bool good = more_is_better ? value >= tolerance : value <= tolerance;

	ranks_alone(); // rank 0 tells the verdict
	printf("%.9g\n", value);

	cfl_close(ref);
	cfl_close(img);

	if (mask != NULL)
		cfl_close(mask);

	leave(judge && !good ? EXIT_FAILED : EXIT_DONE);
}
