/* The column of the rotation axis, from the projections. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ct/calibration/axis.h"
#include "ct/geometry/geom_edit.h"
#include "ct/geometry/plausible.h"
#include "ct/calibration/conjugate_rays.h"
#include "ct/geometry/views.h"
#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/report.h"
#include "misc/options/parse.h"
#include "misc/plot/png.h"

int main_center(int argc, char *argv[]);

enum { TILES = 3, TILE = 384, MOST_ROWS = 64 };

/** Slices of neighbouring candidates side by side. */
struct montage {
	long n; // voxels of a slice across
	float *slice[TILES * TILES];
	double lo, hi;
};

static void montage_row(void *ctx, long y, void *row)
{
	const struct montage *m = ctx;
	unsigned char *out = row;
	const long side = m->n + 2;

	for (long x = 0; x < TILES * side; x++) {
		const long i = x % side - 1, j = y % side - 1;
		const bool frame = i < 0 || j < 0 || i >= m->n || j >= m->n;
		const long tile = y / side * TILES + x / side;
		const double v =
		        frame ? 0. : ((double)m->slice[tile][j * m->n + i] - m->lo) / (m->hi - m->lo);

		out[x] = frame ? (tile == TILES * TILES / 2 ? 255 : 64)
		               : (unsigned char)(255. * fmin(1., fmax(0., v)));
	}
}

static int ascending(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/** Range of grey: that of the middle slice within the circle, without its lowest and highest percent. */
static void set_range(struct montage *m)
{
	const size_t count = (size_t)(m->n * m->n);
	float *x = mem_alloc(count * sizeof *x);
	size_t kept = 0;

	for (long j = 0; j < m->n; j++)
		for (long i = 0; i < m->n; i++)
			if (hypot((double)(2 * i - m->n + 1), (double)(2 * j - m->n + 1)) <
			        0.95 * (double)m->n)
				x[kept++] = m->slice[TILES * TILES / 2][j * m->n + i];

	qsort(x, kept, sizeof *x, ascending);
	m->lo = x[kept / 100];
	m->hi = x[kept - 1 - kept / 100];
	m->hi = (m->hi > m->lo) ? m->hi : m->lo + 1.;
	free(x);
}

static void write_sweep(const struct axis_scan *s, double column, double step, const char *path)
{
	struct montage m;
	struct file_out *f = file_create(path);

	const struct axis_crop crop = axis_crop_choose(s, column, TILE);

	m.n = crop.n;

	for (int t = 0; t < TILES * TILES; t++)
		m.slice[t] = axis_slice(s, column + (t - TILES * TILES / 2) * step, &crop);

	set_range(&m);
	png_write(f, path,
	        &(struct png_format){.width = TILES * (m.n + 2), .height = TILES * (m.n + 2), .bits = 8},
	        montage_row, &m);
	file_commit(f);
	info("%s: tiles of %ld voxels around (%.4g, %.4g) mm. Row by row, the axis moves from column %.2f to "
	     "%.2f in steps of %g",
	        path, crop.n, crop.at[0], crop.at[1], column - TILES * TILES / 2 * step,
	        column + TILES * TILES / 2 * step, step);

	for (int t = 0; t < TILES * TILES; t++)
		free(m.slice[t]);
}

static const char *method_name(int m, char buffer[32])
{
	const char *p = axis_names;

	for (; m > 0; m--)
		p = strchr(p, '|') + 1;

	snprintf(buffer, 32, "%.*s", (int)strcspn(p, "|"), p);

	return buffer;
}

static void print_table(
        const struct axis_result r[], const bool wanted[], double column, double spread, long rows)
{
	char name[32];

	tool_print("%-12s %10s %11s\n", "method", "column", "confidence");

	for (int m = 0; m < AXIS_METHODS; m++) {
		if (!wanted[m])
			continue;

		if (r[m].found)
			tool_print(
			        "%-12s %10.3f %11.2f\n", method_name(m, name), r[m].column, r[m].confidence);
		else
			tool_print("%-12s %10s  (%s)\n", method_name(m, name), "-", r[m].why);
	}

	if (rows > 0)
		tool_print("%-12s %10.3f   +- %.3f (%ld rows)\n", "center", column, spread, rows);
	else if (isnan(spread))
		tool_print("%-12s %10.3f   (one method alone)\n", "center", column);
	else
		tool_print("%-12s %10.3f   +- %.3f\n", "center", column, spread);
}

/** Where one method alone decides, and is not sure or contradicted by another one that is nearly so: how far
 * away the others are. Sharpness is but a hint. */
static void warn_of_others(const struct axis_result r[], double column, const char *name)
{
	const double apart = 2., sure = 0.5, doubtful = 0.3; // columns, confidences
	double lo = column, hi = column, ours = 0., theirs = 0.;
	bool differ = false;

	for (int m = 0; m < AXIS_SHARPNESS; m++) {
		if (!r[m].found)
			continue;

		const bool is_apart = fabs(r[m].column - column) > apart;
		double *most = is_apart ? &theirs : &ours;

		differ = differ || is_apart;
		*most = fmax(*most, r[m].confidence);
		lo = fmin(lo, r[m].column);
		hi = fmax(hi, r[m].column);
	}

	if (differ && (ours < sure || theirs >= doubtful))
		warn("%s: only one method gives column %.2f, others give %.2f to %.2f (check with --sweep)",
		        name, column, lo, hi);
}

/** A fan or cone beam that turns the other way than the geometry says has rays whose opposite ones differ. */
static void warn_of_sense(const struct geom *g, struct cfl *proj, const char *name)
{
	const bool shift[BALLFIT_PARAMETERS] = {[BALLFIT_U] = true};

	if (!conjugate_rays_circular(g))
		return;

	const struct conjugate_fit fit = conjugate_rays(g, proj, shift, name);
	const double times = conjugate_rays_other_sense(g, proj, shift, name, &fit);

	if (times > 0.)
		warn("%s: with the opposite sense of rotation, %s fits %.*f times better (reverse the "
		     "geometry with 'gantry geom --reverse' or 'gantry traj --arc=-360')",
		        proj->name, name, times < 10. ? 1 : 0, times);
}

/** What is asked of every row. */
struct search {
	const struct geom *g;
	struct cfl *proj;
	const char *name;
	struct opt_doubles range;
	bool wanted[AXIS_METHODS];
};

static struct axis_scan *scan_row(const struct search *f, long row)
{
	struct axis_scan *s = axis_scan_create(f->g, f->proj, row, f->name);

	if (f->range.n) {
		s->lo = f->range.v[0];
		s->hi = f->range.v[1];
		s->asked = true;
	}

	return s;
}

/** Columns of rows with their weights. */
struct sample {
	double column, weight;
};

static int by_column(const void *a, const void *b)
{
	const double x = ((const struct sample *)a)->column, y = ((const struct sample *)b)->column;

	return (x > y) - (x < y);
}

/** The column below which a share of the weight lies; sorted. */
static double weighted_quantile(long n, const struct sample *x, double share)
{
	double total = 0., sum = 0.;

	for (long i = 0; i < n; i++)
		total += x[i].weight;

	for (long i = 0; i < n; i++) {
		sum += x[i].weight;

		if (sum >= share * total)
			return x[i].column;
	}

	return x[n - 1].column;
}

/** The weighted median of rows and half the range of the middle 68 % of the weight. */
static double combine(long n, struct sample *x, double *spread)
{
	qsort(x, (size_t)n, sizeof *x, by_column);
	*spread = 0.5 * (weighted_quantile(n, x, 0.84) - weighted_quantile(n, x, 0.16));

	return weighted_quantile(n, x, 0.5);
}

/** All rows, or MOST_ROWS spread over them: what each says weighs with the confidence of its best method. r:
 * of each method the median of the rows and its mean confidence. The number of rows that say something. */
static long find_rows(const struct search *f, struct axis_result r[], double *column, double *spread)
{
	const long rows = (f->g->rows < MOST_ROWS) ? f->g->rows : MOST_ROWS;
	struct sample *center = mem_alloc((size_t)rows * sizeof *center),
	              *of = mem_alloc((size_t)(rows * AXIS_METHODS) * sizeof *of);
	double apart = 0., total = 0.; // of the methods in a row
	long used = 0, n[AXIS_METHODS] = {0};

	for (long i = 0; i < rows; i++) {
		struct axis_scan *s = scan_row(f, i * f->g->rows / rows);
		struct sample here = {.weight = 1e-6};
		double within;

		axis_find(s, f->wanted, r);
		axis_scan_free(s);

		for (int m = 0; m < AXIS_METHODS; m++)
			if (r[m].found) {
				of[m * rows + n[m]++] = (struct sample){r[m].column, r[m].confidence + 1e-6};
				here.weight = fmax(here.weight, r[m].confidence);
			}

		if (!axis_median(r, &here.column, &within))
			continue;

		center[used++] = here;
		apart += isnan(within) ? 0. : here.weight * within;
		total += isnan(within) ? 0. : here.weight;
	}

	for (int m = 0; m < AXIS_METHODS; m++) {
		double none, sum = 0.;

		r[m].found = n[m] > 0;

		for (long i = 0; i < n[m]; i++)
			sum += of[m * rows + i].weight;

		if (r[m].found) {
			r[m].confidence = sum / (double)n[m];
			r[m].column = combine(n[m], of + m * rows, &none);
		}
	}

	if (used > 0)
		*column = combine(used, center, spread);

	if (total > 0.)
		*spread = fmax(*spread, apart / total);

	free(of);
	free(center);

	return used;
}

/** --row: a number, "all" (-2), or the row of the mid-plane (-1). */
static long parse_row(const char *text, const struct geom *g, const char *proj)
{
	if (!text)
		return -1;

	if (0 == strcmp(text, "all")) {
		if (!g->parallel && g->rows > 1)
			usage_error("--row all: only the mid-plane row of a cone beam has opposite rays (use "
			            "'gantry geomfit')");

		return -2;
	}

	const long row = parse_long(text, "--row");

	if (row < 0 || row >= g->rows)
		usage_error("--row %ld: expected 0 to %ld, the rows of %s, or all", row, g->rows - 1, proj);

	return row;
}

int main_center(int argc, char *argv[])
{
	const char *geom = NULL, *in = NULL, *out = NULL, *sweep = NULL;
	struct opt_longs detector = {0};
	struct opt_doubles range = {0};
	int method = 0;
	const char *row_text = NULL;
	double step = 0.5;
	bool only = false;

	const struct opt opts[] = {OPT_CHOICE('m', "method", &method,
	                                   "all|phase|overlap|wedge|negativity|entropy|sharpness", "how"),
	        OPT_DOUBLES(0, "range", &range, "LO:HI", -1e9, 1e9,
	                "columns to search (default: all but a tenth at each end)"),
	        OPT_STRING(0, "row", &row_text, "R|all", "detector row, or all (default: in the mid-plane)"),
	        OPT_FLAG(0, "only", &only, "print the column alone"),
	        OPT_OUTFILE(0, "sweep", &sweep, "FILE.png",
	                "picture of nine slices, the column found in the middle"),
	        OPT_DOUBLE(0, "step", &step, "PX", 1e-3, 1e6, "distance of the slices of --sweep [columns]"),
	        OPT_DETECTOR(&detector, "detector size, if GEOM has none (default: that of PROJ)"),
	        ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT_OPTIONAL("OUT", &out, "geometry with the axis at the column found"), OPT_END};

	tool_init(&(struct tool){.name = "center",
	                  .group = GROUP_CALIBRATE,
	                  .synonyms = "centre cor rotation-axis find-center",
	                  .about = "Find the column of the rotation axis in projections",
	                  .details = "Columns are counted from 0. Each method prints a column, and a "
	                             "confidence from 0 (undecided) to 1 (clear). The confidence compares "
	                             "the printed column with the best other optimum more than a few "
	                             "columns away. The result of the command is the median of the "
	                             "columns, weighted by confidence. The weights of 'negativity' and "
	                             "'entropy' are halved, and the weight of 'sharpness' is divided by "
	                             "5. The number after +- is half the range of the columns with large "
	                             "weights. A weight is large if it is at least half the largest "
	                             "weight.\n\n"
	                             "phase: phase correlation of views 180 degrees apart, for parallel "
	                             "beams.\n"
	                             "overlap: correlation of opposite rays, also for fan beams and for "
	                             "an axis near a detector edge (half acquisition).\n"
	                             "wedge: Vo's Fourier metric of the sinogram (2014), for parallel "
	                             "beams.\n"
	                             "negativity: sum of the negative values of a slice reconstructed "
	                             "with each candidate column (Donath 2006).\n"
	                             "entropy: entropy of the histogram of a slice reconstructed with "
	                             "each candidate column (Donath 2006).\n"
	                             "sharpness: energy of the gradient of a slice reconstructed with "
	                             "each candidate column.\n\n"
	                             "For truncated projections, the best methods are 'overlap', 'wedge' "
	                             "and 'entropy'.\n\n"
	                             "For cone beams, the command uses the detector row in the mid-plane. "
	                             "For fan and cone beams, a warning is printed if GEOM seems to have "
	                             "the wrong sense of rotation. With --row all, the result is the "
	                             "weighted median over the rows of the detector. If there are more "
	                             "than 64 rows, 64 evenly spaced rows are used. With --row all, the "
	                             "number after +- is at least half the range of the middle 68 % of "
	                             "rows. Memory: four sinograms of a detector row in float64.",
	                  .examples = "gantry center geom proj\n"
	                              "gantry center --sweep sweep.png geom proj centred\n"
	                              "gantry center --method wedge --only geom proj",
	                  .opts = opts},
	        argc, argv);

	struct cfl *fg = cfl_open(geom), *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);
	struct axis_result r[AXIS_METHODS];
	double column, spread;

	geom_expect_source(g, fg->name);
	cfl_expect_real(x);
	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);
	plausible_warn(g, NULL, geom, PLAUSIBLE_RECONSTRUCTS);

	const long row = parse_row(row_text, g, in);

	if (sweep && (strlen(sweep) < 4 || 0 != strcasecmp(sweep + strlen(sweep) - 4, ".png")))
		usage_error("--sweep %s: expected a name that ends in .png", sweep);

	if (range.n && (range.n != 2 || !(range.v[0] < range.v[1])))
		usage_error("--range needs two columns LO:HI with LO < HI");

	tool_plan_text();

	struct search f = {.g = g, .proj = x, .name = geom, .range = range};
	struct axis_scan *s = scan_row(&f, (row < 0) ? axis_middle_row(g) : row);
	long rows = 1;

	for (int m = 0; m < AXIS_METHODS; m++)
		f.wanted[m] = (0 == method || method == m + 1);

	if (-2 == row)
		rows = find_rows(&f, r, &column, &spread);
	else
		axis_find(s, f.wanted, r);

	if (0 == rows || (-2 != row && !axis_median(r, &column, &spread)))
		error("%s: no method finds an axis (%s)", in,
		        r[(0 == method) ? AXIS_OVERLAP : method - 1].why);

	if (isnan(spread))
		warn_of_others(r, column, in);

	warn_of_sense(g, x, geom);

	if (only)
		tool_print("%.3f\n", column);
	else
		print_table(r, f.wanted, column, spread, -2 == row ? rows : 0);

	if (sweep)
		write_sweep(s, column, step, sweep);

	if (out) {
		geom_shift(g, s->nominal - column, 0.);
		geom_write(out, g);
	}

	cfl_close(x);
	cfl_close(fg);
	axis_scan_free(s);
	geom_free(g);
	leave(EXIT_DONE);
}
