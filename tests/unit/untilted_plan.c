/* What the GPU's kernels for columns parallel to z know of each view: which views fit, tiles that hold every
 * ray once and windows and patches that none exceeds. From the rays and pixels of the geometry alone. */

#include "ct/projector/gpu/untilted.h"
#include "ct/projector/gpu/slices.h"
#include "ct/projector/xray.h"
#include "xray_scans.h"

enum { N = 70, VIEWS = 12, COLS = 83, ROWS = 40, ACROSS = 32, MOST_RAYS = VIEWS * COLS };

/** The ray through a pixel in voxel index coordinates, as its axis and positions in the planes of it. */
struct ray {
	int axis;
	double y, slope, z, rise;
};

static struct ray ray_of(const struct geom *g, const struct grid *grid, long view, long a, double b)
{
	double s[3], d[3];

	geom_ray(g, view, (double)a, b, s, d);

	for (int i = 0; i < 3; i++) {
		s[i] = (s[i] - grid->origin[i]) / grid->spacing[i];
		d[i] /= grid->spacing[i];
	}

	const int m = fabs(d[0]) >= fabs(d[1]) ? 0 : 1;
	const double slope = d[1 - m] / d[m], rise = d[2] / d[m];

	return (struct ray){m, s[1 - m] - slope * s[m], slope, s[2] - rise * s[m], rise};
}

/** A case: a scan, its volume, and what is known of its views. */
struct plan {
	const char *name;
	struct geom *g;
	struct grid grid;
	struct xray *x;
	struct untilted *a;
};

static struct plan plan_of(enum kind kind, bool slice)
{
	struct plan p = {.name = kind_name[kind],
	        .g = scan(kind, N, VIEWS, COLS, slice ? 1 : ROWS),
	        .grid = centred(N, N - 4, slice ? 1 : N / 2, kind % 2 ? 1. : 1.2, kind % 2 ? 1.25 : 1., 1.1)};

	p.x = xray_create(p.g, &p.grid, XRAY_JOSEPH);
	p.a = untilted_create(p.x);
	return p;
}

static void plan_free(struct plan *p)
{
	untilted_free(p->a);
	xray_free(p->x);
	geom_free(p->g);
}

/** Columns of each axis lie in [lo, hi) of their view, and no range is larger than they need. */
static void test_axes(const struct plan *p)
{
	int bad = 0;

	for (long k = 0; k < p->a->views; k++)
		for (int m = 0; m < 2; m++) {
			int lo = COLS, hi = 0;

			for (int u = 0; u < COLS; u++)
				if (ray_of(p->g, &p->grid, k, u, 0.).axis == m) {
					lo = (u < lo) ? u : lo;
					hi = u + 1;
				}

			bad += lo != p->a->view[k].lo[m] || hi != p->a->view[k].hi[m];
		}

	check(0 == bad, "%s: columns along x and y, %d wrong", p->name, bad);
}

/** Every column of every view is in one tile of its axis. */
static void test_cover(const struct plan *p, const struct untilted_tile *t, long n, const char *what)
{
	long bad = 0;

	for (long k = 0; k < p->a->views; k++)
		for (int u = 0; u < COLS; u++) {
			const int m = ray_of(p->g, &p->grid, k, u, 0.).axis;
			int held = 0;

			for (long i = 0; i < n; i++)
				held += t[i].axis == m && k >= t[i].view && k < t[i].view + t[i].views &&
				        u >= t[i].u && u < t[i].u + ACROSS;

			bad += 1 != held;
		}

	check(0 == bad && n > 0, "%s: each column is in one of %ld %s, but for %ld", p->name, n, what, bad);
}

struct span {
	double lo, hi;
};

static void widen(struct span *s, double x)
{
	s->lo = fmin(s->lo, x);
	s->hi = fmax(s->hi, x);
}

/** Rays of a tile, those of row b. */
static int rays_of(struct ray r[MOST_RAYS], const struct plan *p, const struct untilted_tile *t, double b)
{
	int n = 0;

	for (int k = t->view; k < t->view + t->views; k++)
		for (int u = t->u; u < t->u + ACROSS && u < COLS; u++) {
			r[n] = ray_of(p->g, &p->grid, k, u, b);
			n += r[n].axis == t->axis;
		}

	return n;
}

/** Elements of a line that a run of planes needs, from a multiple of 4 on and with both neighbours. */
static int slice_window(const struct plan *p, const struct untilted_tile *t)
{
	static struct ray r[MOST_RAYS];
	const int n = rays_of(r, p, t, 0.);
	const long planes = p->grid.size[t->axis], lines = p->grid.size[1 - t->axis];
	int most = 0;

	for (long first = 0; first < planes; first += SLICES_RUN) {
		struct span y = {INFINITY, -INFINITY};

		for (long i = first; i < first + SLICES_RUN && i < planes; i++)
			for (int k = 0; k < n; k++)
				widen(&y, r[k].y + r[k].slope * (double)i);

		if (y.hi > -1. && y.lo < (double)lines)
			most = (int)fmax(most, floor(y.hi) + 2. - 4. * floor(floor(y.lo) / 4.));
	}

	return most;
}

static void test_slice_tiles(const struct plan *p, int room)
{
	struct untilted_tile *t = NULL;
	const long n = slices_tiles(p->a, 0, VIEWS, ACROSS, room, &t);
	int over = 0, wide = 0, loose = 0;

	for (long i = 0; i < n; i++) {
		const int need = slices_need(p->a, &t[i], ACROSS), window = slice_window(p, &t[i]);

		over += window > need;
		wide += need > room;
		loose += need > window + window / 4 + 24 && window > 0;
	}

	test_cover(p, t, n, "tiles of a slice");
	check(0 == over && 0 == wide && 0 == loose, "%s: windows of %d: %d too small, %d too wide, %d loose",
	        p->name, room, over, wide, loose);
	free(t);
}

/** Columns that a step of one voxel along x or y moves by. */
static void test_rate(const struct plan *p)
{
	const double rate = slices_rate(p->a);
	double most = 0.;

	for (long k = 0; k < VIEWS; k++)
		for (int j = 0; j < p->grid.size[1]; j += 3)
			for (int i = 0; i < p->grid.size[0]; i += 3)
				for (int e = 0; e < 2; e++) {
					double at[2], b;

					for (int side = 0; side < 2; side++) {
						double x[3] = {i, j, 0.};

						x[e] += side - 0.5;

						for (int c = 0; c < 3; c++)
							x[c] = p->grid.origin[c] + p->grid.spacing[c] * x[c];

						if (!geom_project(p->g, k, x, &at[side], &b))
							at[side] = INFINITY;
					}

					most = fmax(most, fabs(at[1] - at[0]));
				}

	check(most <= rate && rate <= 1.05 * most, "%s: %g columns per voxel, at most %g", p->name, most,
	        rate);
}

/** The part of the detector that blocks of voxels and their neighbours see. */
static void test_patch(const struct plan *p, const int block[3])
{
	int cols, rows, most_cols = 0, most_rows = 0;

	untilted_patch(p->a, block, &cols, &rows);

	for (long k = 0; k < VIEWS; k++)
		for (int place = 0; place < 120; place++) {
			struct span a = {INFINITY, -INFINITY}, b = a;
			long first[3];

			for (int i = 0; i < 3; i++)
				first[i] = (long)(rand_uniform(5, (uint64_t)(3 * place + i)) *
				                  fmax(1., (double)(p->grid.size[i] - block[i] + 1)));

			for (int c = 0; c < 8; c++) {
				double x[3], u, v;

				for (int i = 0; i < 3; i++)
					x[i] = p->grid.origin[i] +
					       p->grid.spacing[i] * ((double)first[i] - 1. +
					                                    (c >> i & 1) * (block[i] + 1.));

				if (geom_project(p->g, k, x, &u, &v)) {
					widen(&a, u);
					widen(&b, v);
				}
			}

			most_cols = (int)fmax(most_cols, floor(a.hi) - ceil(a.lo) + 1.);
			most_rows = (int)fmax(most_rows, floor(b.hi) - ceil(b.lo) + 1.);
		}

	check(most_cols <= cols && cols <= 1.3 * most_cols + 8 && most_rows <= rows &&
	                rows <= 1.3 * most_rows + 8,
	        "%s: a block sees %d x %d pixels, at most %d x %d", p->name, most_cols, most_rows, cols,
	        rows);
}

/** Lines and voxels along z that a tile's first and last rows need in a plane, neighbours included. */
static struct untilted_need need_of(const struct plan *p, const struct untilted_tile *t)
{
	static struct ray r[2][2][MOST_RAYS];
	const long planes = p->grid.size[t->axis], lines = p->grid.size[1 - t->axis];
	struct untilted_need most = {0, {0, 0, 0, 0}};

	for (int h = 0; h < 4; h++)
		for (int e = 0; e < 2; e++) { // the first and the last rows of as many
			const int rows = (ROWS < 32 * (h + 1)) ? ROWS : 32 * (h + 1),
			          from = e ? ROWS - rows : 0;
			const int n = rays_of(r[0][0], p, t, from);

			rays_of(r[0][1], p, t, from + rows - 1);

			for (long i = 0; i < planes; i++) {
				struct span y = {INFINITY, -INFINITY}, z = y;

				for (int k = 0; k < n; k++)
					for (int end = 0; end < 2; end++) {
						widen(&y, r[0][end][k].y + r[0][end][k].slope * (double)i);
						widen(&z, r[0][end][k].z + r[0][end][k].rise * (double)i);
					}

				if (!(y.hi > -1. && y.lo < (double)lines))
					continue;

				most.lines = (int)fmax(
				        most.lines, fmin(floor(y.hi) + 2. - floor(y.lo), (double)lines + 2.));
				most.depth[h] = (int)fmax(most.depth[h], floor(z.hi) + 2. - floor(z.lo));
			}
		}

	return most;
}

static bool within(struct untilted_need a, struct untilted_need b, double more)
{
	bool good = a.lines <= more * b.lines;

	for (int h = 0; h < 4; h++)
		good = good && a.depth[h] <= more * b.depth[h];

	return good;
}

static void test_tiles(const struct plan *p)
{
	const struct untilted_need all = untilted_need(p->a, ACROSS, 2);
	struct untilted_tile *t = NULL;
	const long n = untilted_tiles(p->a, 0, VIEWS, ACROSS, &all, &t);
	int over = 0, large = 0, loose = 0;

	for (long i = 0; i < n; i++) {
		const struct untilted_need need = untilted_tile_need(p->a, &t[i], ACROSS),
		                           seen = need_of(p, &t[i]);

		over += !within(seen, need, 1.);
		large += t[i].views > 1 && !within(need, all, 1.);
		loose += seen.lines > 0 && (need.lines > seen.lines + seen.lines / 4 + 6 ||
		                                   need.depth[0] > seen.depth[0] + seen.depth[0] / 4 + 8);
	}

	test_cover(p, t, n, "tiles");
	check(0 == over && 0 == large && 0 == loose,
	        "%s: windows: %d too small, %d beyond the limit, %d loose", p->name, over, large, loose);
	free(t);
}

int main(void)
{
	static const enum kind slices[] = {PARALLEL, CURVED_PARALLEL, FAN, CURVED, OFFSET},
	                       volumes[] = {PARALLEL, CURVED_PARALLEL, CONE, CURVED, HELIX, CURVED_HELIX,
	                               OFFSET, WOBBLE},
	                       others[] = {ANY_ORIENTATION_PARALLEL, ANY_ORIENTATION_CURVED, LAMINOGRAPHY,
	                               RANDOM};

	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		struct plan p = plan_of(slices[i], true);
		int fit = 0;

		for (long k = 0; k < VIEWS; k++)
			fit += slices_view(p.a, k);

		const bool flat = slices[i] != OFFSET; // of one row, displaced along z
		check(fit == (flat ? VIEWS : 0), "%s: %d views of a slice stay in it", p.name, fit);
		test_axes(&p);
		test_rate(&p);
		test_slice_tiles(&p, 1 << 20);
		test_slice_tiles(&p, 72);

		const int block[3] = {SLICES_SIDE + 1, SLICES_SIDE + 1, 1};
		int cols, rows;

		untilted_patch(p.a, block, &cols, &rows);
		check(slices_columns(p.a, SLICES_SIDE) == cols, "%s: columns of a block and one more",
		        p.name);
		plan_free(&p);
	}

	for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
		struct plan p = plan_of(volumes[i], false);
		int fit = 0, flat = 0;

		for (long k = 0; k < VIEWS; k++) {
			fit += p.a->view[k].fits;
			flat += slices_view(p.a, k);
		}

		check(fit == VIEWS && 0 == flat, "%s: %d views have columns parallel to z, %d a slice",
		        p.name, fit, flat);
		test_axes(&p);
		test_tiles(&p);
		test_patch(&p, (const int[]){16, 16, 16});
		test_patch(&p, (const int[]){8, 32, 24});
		plan_free(&p);
	}

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct plan p = plan_of(others[i], false);
		int fit = 0;

		for (long k = 0; k < VIEWS; k++)
			fit += p.a->view[k].fits;

		check(0 == fit, "%s: %d views have columns parallel to z", p.name, fit);
		plan_free(&p);
	}

	return checks_failed ? 1 : 0;
}
