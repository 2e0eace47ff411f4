/* What the GPU's kernels for tilted detectors are told of each view: no block of rays, wherever it begins,
 * has a larger window, no block of voxels sees a larger patch, no column leans more. Bounds are close, too.
 */

#include "ct/projector/gpu/any_orientation_plan.h"
#include "ct/projector/xray.h"
#include "xray_scans.h"

enum { BLOCKS = 1500, ACROSS = 12, ROWS = 32, SIDE = 70, VIEWS = 5 };

static const int block[3] = {16, 32, 32};

/** Pixels of a block, from the detector's centre. */
struct pixels {
	double x[2], r[2];
};

static long number(long *seed, long below)
{
	return (long)(rand_uniform(11, (uint64_t)(*seed)++) * (double)(below > 0 ? below : 1));
}

/** The largest window of a block's planes, as a kernel finds it; false: none in the volume. */
static struct any_orientation_need window_of(const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, const struct pixels *p, const long n[3])
{
	const double slack = 0.05;
	struct any_orientation_need most = {0, 0};

	for (long i = 0; i < n[axis]; i++) {
		double ya = INFINITY, yb = -INFINITY, za = INFINITY, zb = -INFINITY;
		struct any_orientation_plane at;

		any_orientation_plane(&at, g, w, axis, (double)i);

		for (int c = 0; c < 4; c++) {
			const double x = p->x[c & 1], r = p->r[c >> 1],
			             f = at.w[0] + x * at.w[1] + r * at.w[2],
			             y = (at.y[0] + x * at.y[1] + r * at.y[2]) / f,
			             z = (at.z[0] + x * at.z[1] + r * at.z[2]) / f;

			ya = fmin(ya, y);
			yb = fmax(yb, y);
			za = fmin(za, z);
			zb = fmax(zb, z);
		}

		if (!(yb > -1. - slack && ya < (double)n[1 - axis] + slack && zb > -1. - slack &&
		            za < (double)n[2] + slack))
			continue;

		const int lines = (int)(floor(yb + slack) + 2. - floor(ya - slack)),
		          width = (int)(floor(zb + slack) + 2. - 4. * floor(floor(za - slack) / 4.));

		most.lines = (lines > most.lines) ? lines : most.lines;
		most.width = (width > most.width) ? width : most.width;
	}

	return most;
}

/** The part of the detector that a block sees whose first voxel is p. */
static struct any_orientation_patch patch_of(const struct any_orientation_scan *g,
        const struct any_orientation_view *w, int axis, const long p[3], const long n[3])
{
	double ua = INFINITY, ub = -INFINITY, va = INFINITY, vb = -INFINITY;

	for (int c = 0; c < 8; c++) {
		const double i = fmin((double)p[axis] + (c & 1) * (block[0] - 1.), (double)n[axis] - 1.),
		             j = (double)p[1 - axis] - 1. + (c >> 1 & 1) * (block[1] + 1.),
		             k = (double)p[2] - 1. + (c >> 2) * (block[2] + 1.);
		double x, r;

		any_orientation_pixel(
		        g, w, (axis ? j : i) - w->s[0], (axis ? i : j) - w->s[1], k - w->s[2], &x, &r);
		ua = fmin(ua, x);
		ub = fmax(ub, x);
		va = fmin(va, r);
		vb = fmax(vb, r);
	}

	return (struct any_orientation_patch){
	        (int)(ceil(ub + 0.02 + g->middle[0]) - floor(ua - 0.02 + g->middle[0])) + 1,
	        (int)(ceil(vb + 0.02) - floor(va - 0.02)) + 1};
}

/** What was found, in any place that was looked at. */
struct found {
	struct any_orientation_need need;
	struct any_orientation_patch patch;
	float least, lean;
};

/** Rays and blocks of a view in one frame. */
static void look_around(
        struct found *f, const struct any_orientation *t, long view, int fast, int axis, long *seed)
{
	const struct any_orientation_view *w = &t->view[fast][view];
	const struct any_orientation_scan g = any_orientation_scan_of(t, fast);
	int order[3];
	long n[3];

	any_orientation_order(order, fast);

	for (int i = 0; i < 3; i++)
		n[i] = t->size[order[i]];

	for (long k = 0; k < BLOCKS; k++) {
		const long u = w->lo[axis] - ACROSS + 1 +
		               number(seed, w->hi[axis] - w->lo[axis] + ACROSS - 1),
		           rows = (k % 3 == 0) ? 1 + number(seed, ROWS) : ROWS,
		           v = number(seed, t->rows - rows + 1), lo = (u < w->lo[axis]) ? w->lo[axis] : u,
		           hi = (u + ACROSS > w->hi[axis]) ? w->hi[axis] : u + ACROSS;
		const struct pixels p = {{(double)lo - g.middle[0], (double)hi - 1. - g.middle[0]},
		        {(double)v - g.middle[1], (double)(v + rows) - 1. - g.middle[1]}};
		const long first[3] = {number(seed, n[0]), number(seed, n[1]), number(seed, n[2])};
		const struct any_orientation_patch patch = patch_of(&g, w, axis, first, n);
		struct any_orientation_anchor o;
		struct any_orientation_plane at;

		if (any_orientation_touches(&g, w, axis, p.x, p.r)) {
			const struct any_orientation_need need = window_of(&g, w, axis, &p, n);

			f->need.lines = (need.lines > f->need.lines) ? need.lines : f->need.lines;
			f->need.width = (need.width > f->need.width) ? need.width : f->need.width;
		}

		f->patch.columns = (patch.columns > f->patch.columns) ? patch.columns : f->patch.columns;
		f->patch.rows = (patch.rows > f->patch.rows) ? patch.rows : f->patch.rows;

		any_orientation_plane(&at, &g, w, axis, (double)first[axis]);

		const double d = at.w[0] + p.x[0] * at.w[1] + p.r[0] * at.w[2],
		             y = (at.y[0] + p.x[0] * at.y[1] + p.r[0] * at.y[2]) / d,
		             z = (at.z[0] + p.x[0] * at.z[1] + p.r[0] * at.z[2]) / d;

		if (y >= -1. && y <= (double)n[1 - axis] && z >= -1. && z <= (double)n[2] &&
		        any_orientation_anchor(&o, &g, w, axis, (double)first[axis], y, z)) {
			f->least = fminf(f->least, o.rise);
			f->lean = fmaxf(f->lean, fabsf(o.lean));
		}
	}
}

static void check_scan(const char *name, struct geom *g, struct grid grid, bool tight)
{
	struct xray *x = xray_create(g, &grid, XRAY_JOSEPH);
	struct any_orientation *t = any_orientation_create(x, NULL);
	struct any_orientation_need *need = mem_calloc(g->views, sizeof *need);
	struct any_orientation_patch *patch = mem_calloc(g->views, sizeof *patch);
	bool within = true, close = true;
	long seed = 0, fit = 0, adjoint = 0;

	any_orientation_view_needs(t, ACROSS, ROWS, need);
	any_orientation_patches(t, block, false, patch);

	for (long k = 0; k < g->views; k++) {
		struct found f = {.least = INFINITY};

		if (!t->look[k].forward)
			continue;

		for (int i = 0; i < 6; i++)
			if (t->view[i / 2][k].lo[i % 2] < t->view[i / 2][k].hi[i % 2])
				look_around(&f, t, k, i / 2, i % 2, &seed);

		fit++;
		within = within && f.need.lines <= need[k].lines && f.need.width <= need[k].width;
		close = close && need[k].lines <= f.need.lines + 3 &&
		        need[k].width <= 1.02 * f.need.width + 4;

		if (!t->look[k].adjoint)
			continue;

		adjoint++;
		f.patch.columns = (f.patch.columns < t->cols) ? f.patch.columns : (int)t->cols;
		// a kernel has one row more below, up to three before, and two more above
		within = within && f.patch.columns <= patch[k].columns && f.patch.rows + 6 <= patch[k].rows &&
		         f.least >= t->look[k].least && f.lean <= t->look[k].lean;
		close = close && patch[k].columns <= 1.05 * f.patch.columns + 4 &&
		        patch[k].rows <= 1.15 * f.patch.rows + 10;
	}

	check(fit > 0 && within, "%s: %ld views fit forward, %ld the adjoint, bounds hold", name, fit,
	        adjoint);
	check(!tight || close, "%s: and are close", name);
	free(need);
	free(patch);
	any_orientation_free(t);
	xray_free(x);
	geom_free(g);
}

int main(void)
{
	const struct grid cube = centred(SIDE, SIDE, SIDE, 1., 1., 1.),
	                  odd = centred(90, 61, 75, 1., 1.2, 0.9);

	check_scan("wobble", scan(WOBBLE, SIDE, VIEWS, 150, 140), cube, true);
	check_scan("cone", scan(CONE, SIDE, VIEWS, 100, 120), odd, true);
	check_scan("offset", scan(OFFSET, SIDE, VIEWS, 100, 120), odd, true);
	check_scan("tilted parallel", scan(ANY_ORIENTATION_PARALLEL, SIDE, VIEWS, 128, 100), odd, true);
	check_scan("laminography", scan(LAMINOGRAPHY, SIDE, VIEWS, 160, 140), odd, false);
	check_scan("random vectors", scan(RANDOM, SIDE, 60, 100, 80), cube, false);

	return checks_failed ? 1 : 0;
}
