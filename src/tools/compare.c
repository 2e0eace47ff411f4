#include <stdio.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/stat/similarity.h"

int main_compare(int argc, char *argv[]);

static void warn_quantities(const struct cfl *ref, const struct cfl *img)
{
	enum quantity a = ref->hdr.quantity;
	enum quantity b = img->hdr.quantity;

	if (a != b && a != Q_UNKNOWN && b != Q_UNKNOWN)
		warn("%s holds %s and %s holds %s", ref->name, quantity_name(a), img->name, quantity_name(b));
}

int main_compare(int argc, char *argv[])
{
	const char *ref_name = NULL;
	const char *img_name = NULL;
	const char *mask_name = NULL;
	int metric = METRIC_NRMSE;
	const char *where = NULL;
	double tolerance = 0.;
	bool judge = false;

	const struct opt opts[] = {
	        OPT_CHOICE(0, "metric", &metric, METRICS, "what to measure"),
	        OPT_ARRAY(0, "mask", &mask_name, "M",
	                "compare only where M is not 0; its dimensions of length 1 are repeated"),
	        OPT_STRING(0, "region", &where, "SHAPE", "compare only inside it [mm]: " REGION_FORMS),
	        {0, "tolerance", OPT_KIND_DOUBLE, &tolerance, "T",
	                "exit status 1 when over T (psnr, ssim, ms-ssim, correlation: under T)", 0, 0, 0,
	                &judge},
	        ARG_IN("REF", &ref_name, "reference, any type"),
	        ARG_IN("IMG", &img_name, "same dimensions, any type"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "compare",
	                .group = GROUP_LOOK,
	                .synonyms = "diff difference nrmse psnr ssim rmse",
	                .about = "Print how much an array differs from a reference, as one number",
	                .details =
	                        "nrmse: |IMG - REF| / |REF|, |.| the 2-norm (the default). rmse: |IMG - REF| "
	                        "/ sqrt(n). mse: rmse^2. mae: the mean |IMG - REF|. psnr: 20 log10(range / "
	                        "rmse) [dB], range = max REF - min REF. "
	                        "max: the largest |IMG - REF|. ssim: the mean structural similarity of Wang, "
	                        "Bovik, Sheikh and Simoncelli (2004), Gaussian windows of 11 x 11 "
	                        "with sigma 1.5, K1 = 0.01, K2 = 0.03, on slices of dimensions 0 and 1, over "
	                        "the windows that lie inside the slice (of a mask or region: whose centre "
	                        "it holds). ms-ssim: over five scales, each half the one before, of Wang, "
	                        "Simoncelli and Bovik (2003), whole slices of at least 176 x 176. "
	                        "correlation: Pearson's. Of complex data the differences are complex; "
	                        "range, correlation and ssim are of magnitudes. All sums in float64.",
	                .examples = "gantry compare vol rec\n"
	                            "gantry compare --metric ssim --tolerance 0.9 vol rec\n"
	                            "gantry compare --metric mae --region cyl:0:0:40 vol rec",
	                .opts = opts,
	        },
	        argc, argv);

	struct region region;

	if (where != NULL)
		region_parse(&region, where, "--region");

	struct cfl *ref = cfl_open(ref_name);
	struct cfl *img = cfl_open(img_name);
	struct cfl *mask = mask_name != NULL ? cfl_open(mask_name) : NULL;

	warn_quantities(ref, img);
	tool_plan_text();

	double value = similarity((enum metric)metric, ref, img, mask, where != NULL ? &region : NULL);
	bool more_is_better = metric >= METRIC_PSNR;
	bool good = more_is_better ? value >= tolerance : value <= tolerance;

	printf("%.9g\n", value);

	cfl_close(ref);
	cfl_close(img);

	if (mask != NULL)
		cfl_close(mask);

	leave(judge && !good ? EXIT_FAILED : EXIT_DONE);
}
