/* Larger pixels. */

#include "ct/stream/view_batches.h"
#include "correct/view_kernels.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/hdr_sections.h"
#include "misc/options/opt.h"
#include "volume/resample/bin.h"

int main_bin(int argc, char *argv[]);

struct binning {
	long cols, rows, wide, high; // of the input; of the output
	long u, v;                   // that are joined
	bool sum;
};

static void view(void *ctx, const struct single_view *p)
{
	const struct binning *n = ctx;

	for (long b = 0; b < n->high; b++)
		for (long a = 0; a < n->wide; a++) {
			double x = 0.;

			for (long j = 0; j < n->v; j++)
				for (long i = 0; i < n->u; i++)
					x += p->in[(b * n->v + j) * n->cols + a * n->u + i];

			p->out[b * n->wide + a] = n->sum ? x : x / (double)(n->u * n->v);
		}
}

static void views(void *ctx, const struct view_batch *p)
{
	const struct binning *n = ctx;

	view_kernels_gpu.bin(n->cols, n->rows, n->u, n->v, n->sum, p->n, p->out, p->in[0]);
}

/** n elements, `factor` of them joined, lie where the middle of theirs was. */
static void coarsen(struct hdr *h, int d, long factor, long n)
{
	const double spacing = h->spacing[d], origin = hdr_origin(h, d);

	const double shift = 0.5 * (double)(factor - 1) * spacing;
	const struct hdr from = *h;
	double c[3][3], first[3];

	h->dims[d] = n;

	if (1 == factor)
		return;

	hdr_set_grid(h, d, spacing * (double)factor, origin + shift);

	// the first element's place in the world, along its axis
	if (hdr_turned(&from, c, first))
		for (int i = 0; i < 3; i++)
			h->origin[i] = first[i] + shift * c[d][i];
}

/** Binned along z as well. */
static void volume(struct cfl *x, struct hdr *h, const long factor[3], bool sum, const char *out)
{
	const long slices = h->dims[2] / factor[2];

	cfl_expect(x, ~(1u << Q_COUNTS | 1u << Q_TRANSMISSION | 1u << Q_LINE_INTEGRAL | 1u << Q_GEOMETRY),
	        "views cannot be binned (--factor U:V bins pixels)");

	if (0 == slices)
		error("%s is %s, expected at least %ld slices", x->name, hdr_shape(&x->hdr), factor[2]);

	coarsen(h, 2, factor[2], slices);
	tool_needs(bin_volumes_memory(x, factor), 0.);

	struct cfl *y = cfl_create(out, h);

	hdr_free(h);
	bin_volumes(y, x, factor, sum);
	cfl_close(x);
	cfl_close(y);
}

static void projections(struct cfl *x, struct hdr *h, const struct binning *n, const char *out)
{
	tool_needs(view_batches_memory(x, n->wide * n->high, 0), 0.);

	struct cfl *y = cfl_create(out, h);

	hdr_free(h);
	view_batches_run(&(struct view_batches){
	        .out = y, .in = x, .each = view, .there = views, .ctx = (void *)n, .what = "bin"});
	cfl_close(x);
	cfl_close(y);
}

int main_bin(int argc, char *argv[])
{
	struct binning n = {0};
	struct opt_longs factor = {0};
	int type = -1;
	const char *in = NULL, *out = NULL;

	const struct opt opts[] = {
	        OPT_FLAG('s', "sum", &n.sum, "sum instead of mean (counts)"),
	        OPT_TYPE(&type),
	        {'f', "factor", OPT_KIND_LONGS, &factor, "U[:V[:W]]",
	                "columns, rows and slices that become one (default V: U, W: 1)", 0, 1, 1e9, NULL},
	        ARG_IN("IN", &in, "views (u, v, view), or with W a volume"),
	        ARG_OUT("OUT", &out, "IN with larger pixels or voxels"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "bin",
	                .group = GROUP_CORRECT,
	                .synonyms = "rebin downsample binning",
	                .about = "Bin detector pixels or voxels",
	                .details = "Each new pixel is the mean of U x V pixels. With --sum, each new pixel "
	                           "is the sum of U x V pixels. Columns and rows left over at the end are "
	                           "dropped. The command 'gantry geom --bin U:V' makes the geometry of the "
	                           "result. Bin counts or transmissions before the logarithm. Do not bin "
	                           "line integrals: the mean of logarithms is not the logarithm of the "
	                           "mean.\n\n"
	                           "Three factors U:V:W bin the voxels of a volume (x, y, z). Each channel "
	                           "and each time is binned separately. If any of the binned voxels is NaN, "
	                           "the new voxel becomes NaN, and a warning is printed.",
	                .examples = "gantry bin --factor 2 counts smaller\ngantry bin --factor 4:1 --sum "
	                            "counts wide\ngantry bin --factor 2:2:2 vol coarse",
	                .by_parts = true,
	                .opts = opts},
	        argc, argv);

	if (0 == factor.n || 3 < factor.n)
		usage_error("expected --factor U, U:V or U:V:W");

	struct cfl *x = cfl_open(in);
	struct hdr h;

	cfl_expect_real(x);
	hdr_copy(&h, &x->hdr);
	n.cols = h.dims[0];
	n.rows = h.dims[1];
	n.u = factor.v[0];
	n.v = (1 < factor.n) ? factor.v[1] : (1 < h.dims[1]) ? n.u : 1;
	n.wide = h.dims[0] / n.u;
	n.high = h.dims[1] / n.v;

	if (0 == n.wide || 0 == n.high)
		error("%s is %s, expected at least %ld x %ld pixels", x->name, hdr_shape(&h), n.u, n.v);

	coarsen(&h, 0, n.u, n.wide);
	coarsen(&h, 1, n.v, n.high);
	h.type = (0 <= type) ? (enum dtype)type : dtype_compute(h.type);

	if (3 == factor.n)
		volume(x, &h, factor.v, n.sum, out);
	else
		projections(x, &h, &n, out);

	leave(EXIT_DONE);
}
