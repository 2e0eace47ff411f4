/* The column of the rotation axis, from the projections. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "linops/xray/axis.h"
#include "linops/xray/geom_edit.h"
#include "linops/xray/plausible.h"
#include "linops/xray/views.h"
#include "misc/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/opt.h"
#include "misc/png.h"

int main_center(int argc, char *argv[]);

enum { TILES = 3, TILE = 384 };

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

	for (int t = 0; t < TILES * TILES; t++)
		m.slice[t] = axis_slice(s, column + (t - TILES * TILES / 2) * step, TILE, &m.n);

	set_range(&m);
	png_write(f, path,
	        &(struct png_format){.width = TILES * (m.n + 2), .height = TILES * (m.n + 2), .bits = 8},
	        montage_row, &m);
	file_commit(f);
	info("%s: slices with the axis at columns %.2f to %.2f in steps of %g, row by row", path,
	        column - TILES * TILES / 2 * step, column + TILES * TILES / 2 * step, step);

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

static void print_table(const struct axis_result r[], const bool wanted[], double column, double spread)
{
	char name[32];

	printf("%-12s %10s %11s\n", "method", "column", "confidence");

	for (int m = 0; m < AXIS_METHODS; m++) {
		if (!wanted[m])
			continue;

		if (r[m].found)
			printf("%-12s %10.3f %11.2f\n", method_name(m, name), r[m].column, r[m].confidence);
		else
			printf("%-12s %10s  (%s)\n", method_name(m, name), "-", r[m].why);
	}

	if (isnan(spread))
		printf("%-12s %10.3f   (one method alone)\n", "center", column);
	else
		printf("%-12s %10.3f   +- %.3f\n", "center", column, spread);
}

/** Where one method alone decides, and is not sure or contradicted by another one that is nearly so: how far
 * away the others are. Sharpness is but a hint. */
static void warn_of_others(const struct axis_result r[], double column, const char *name)
{
	const double apart = 2., sure = 0.5, doubtful = 0.3; // columns, confidences
	double lo = column, hi = column, ours = 0., theirs = 0.;

	for (int m = 0; m < AXIS_SHARPNESS; m++) {
		if (!r[m].found)
			continue;

		double *most = (fabs(r[m].column - column) > apart) ? &theirs : &ours;

		*most = fmax(*most, r[m].confidence);
		lo = fmin(lo, r[m].column);
		hi = fmax(hi, r[m].column);
	}

	if (hi - lo > apart && (ours < sure || theirs >= doubtful))
		warn("%s: one method alone decides on column %.2f, others say %.2f to %.2f; look at --sweep",
		        name, column, lo, hi);
}

int main_center(int argc, char *argv[])
{
	const char *geom = NULL, *in = NULL, *out = NULL, *sweep = NULL;
	struct opt_longs detector = {0};
	struct opt_doubles range = {0};
	int method = 0;
	long row = -1;
	double step = 0.5;
	bool only = false;

	const struct opt opts[] = {OPT_CHOICE('m', "method", &method,
	                                   "all|phase|overlap|wedge|negativity|entropy|sharpness", "how"),
	        OPT_DOUBLES(0, "range", &range, "LO:HI", -1e9, 1e9,
	                "columns to search (default: all but a tenth at each end, which overlap leaves too)"),
	        OPT_LONG(0, "row", &row, "R", 0, 1e9, "detector row to look at (default: in the mid-plane)"),
	        OPT_FLAG(0, "only", &only, "print the column alone"),
	        OPT_OUTFILE(0, "sweep", &sweep, "FILE.png",
	                "picture of nine slices around the column found, which is the one in the middle"),
	        OPT_DOUBLE(0, "step", &step, "PX", 1e-3, 1e6, "columns from one slice of it to the next"),
	        OPT_DETECTOR(&detector, "detector size, where GEOM does not say (default: that of PROJ)"),
	        ARG_IN("GEOM", &geom, "geometry of the scan"),
	        ARG_IN("PROJ", &in, "line integrals (u, v, view)"),
	        ARG_OUT_OPTIONAL("OUT", &out, "the geometry with the axis there"), OPT_END};

	tool_init(
	        &(struct tool){.name = "center",
	                .synonyms = "centre cor rotation-axis find-center",
	                .about = "Find the column of the rotation axis in projections",
	                .details =
	                        "Columns are counted from 0. Each method is printed with its confidence: how "
	                        "much "
	                        "better its choice is than the best one well away from it, 1 = without "
	                        "rival, 0 "
	                        "= undecided. The result is their median weighted by the confidence, +- half "
	                        "the "
	                        "range of those "
	                        "that weigh at least half of the best (slices count half, their sharpness a "
	                        "fifth), unless that one stands alone. phase: phase correlation of views 180 "
	                        "degrees apart. overlap: correlation of the rays measured from both ends, "
	                        "for "
	                        "axes near an edge (half acquisition) and fan beams too. wedge: Vo's Fourier "
	                        "metric (2014). negativity, entropy, sharpness: of a slice reconstructed "
	                        "with "
	                        "one candidate after the other (Donath 2006). Projections cut "
	                        "off by the detector favour overlap, wedge and entropy. Cone beams are "
	                        "looked at "
	                        "in the row of the mid-plane. Memory: the sinogram of a row, four times in "
	                        "float64.",
	                .examples = "gantry center geom proj\n"
	                            "gantry center --sweep sweep.png geom proj centred\n"
	                            "gantry center --method wedge --only geom proj",
	                .opts = opts},
	        argc, argv);

	struct cfl *fg = cfl_open(geom), *x = cfl_open(in);
	struct geom *g = geom_load(fg, &detector, x);
	bool wanted[AXIS_METHODS];
	struct axis_result r[AXIS_METHODS];
	double column, spread;

	cfl_expect_real(x);
	views_expect_line_integrals(x);
	geom_check_proj(g, fg, x);
	plausible_warn(g, NULL, geom, PLAUSIBLE_RECONSTRUCTS);

	if (row >= g->rows)
		usage_error("--row %ld, expected less than the %ld rows of %s", row, g->rows, in);

	if (sweep && (strlen(sweep) < 4 || 0 != strcasecmp(sweep + strlen(sweep) - 4, ".png")))
		usage_error("--sweep %s: expected a name that ends in .png", sweep);

	if (range.n && (range.n != 2 || !(range.v[0] < range.v[1])))
		usage_error("--range needs two columns LO:HI with LO < HI");

	struct axis_scan *s = axis_scan_create(g, x, (row < 0) ? axis_middle_row(g) : row, geom);

	if (range.n) {
		s->lo = range.v[0];
		s->hi = range.v[1];
		s->asked = true;
	}

	for (int m = 0; m < AXIS_METHODS; m++)
		wanted[m] = (0 == method || method == m + 1);

	axis_find(s, wanted, r);

	if (!axis_median(r, &column, &spread))
		error("%s: no method finds an axis (%s)", in,
		        r[(0 == method) ? AXIS_OVERLAP : method - 1].why);

	if (isnan(spread))
		warn_of_others(r, column, in);

	if (only)
		printf("%.3f\n", column);
	else
		print_table(r, wanted, column, spread);

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
