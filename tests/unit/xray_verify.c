/* The proofs of check on scans of coarse pixels, thick slices and thin volumes: a transform that is right
 * passes. */

#include <omp.h>

#include "ct/projector/check/verify_piece.h"
#include "xray_scans.h"

/* What is proved, and whether there was something to compare. */
static void verify_all(
        const char *what, const struct geom *g, const struct grid *grid, bool ball, bool letter)
{
	static const struct {
		verify_fn *fn;
		const char *name;
	} proofs[] = {{verify_orientation, "ball"}, {verify_letter, "letter"}};
	const bool expected[] = {ball, letter};

	for (int m = 0; m < XRAY_MODELS; m++)
		for (int i = 0; i < 2; i++) {
			struct str said = {0};
			const bool good = proofs[i].fn(g, grid, m, &said),
			           compared = !strstr(said.data, "nothing to compare");

			check(good && (compared || !expected[i]), "%s, %s, %s: %s", what, xray_model_name[m],
			        proofs[i].name, said.data);
			free(said.data);
		}
}

static struct geom *turn(struct orbit o, long cols, long rows)
{
	enum { VIEWS = 4 };
	double angle[VIEWS];

	for (int k = 0; k < VIEWS; k++)
		angle[k] = 100. * k;

	return orbit_geom(&o, VIEWS, angle, cols, rows);
}

/* Which view of g has this source, and which of its pixels sees the same as pixel (0, 0). */
static long whole_view(const struct geom *piece, long k, const struct geom *g, double *a, double *b)
{
	double s[3], d[3], far[3];

	geom_pixel(piece, k, 0., 0., far);
	geom_ray(piece, k, 0., 0., s, d);

	for (long i = 0; i < g->views; i++)
		if (0 == memcmp(piece->view[k].s, g->view[i].s, sizeof s) && geom_project(g, i, far, a, b))
			return i;

	return -1;
}

static bool is_whole(double x, double from, double to)
{
	return fabs(x - rint(x)) < 1e-6 && x > from - 1e-6 && x < to + 1e-6;
}

/* Pieces are of the scan's own voxels, pixels and views, and see what they should. */
static void test_piece(enum kind kind)
{
	enum { MOST = 12, VIEWS = 4, LARGE = 60 };
	struct geom *g = scan(kind, LARGE, 9, 70, 50);
	const struct grid grid = centred(LARGE, LARGE + 4, (kind == FAN) ? 1 : LARGE - 6, 1., 1., 1.1);
	int own = 0, seen = 0, expected = 0;

	for (unsigned long seed = 0; seed < 6; seed++) {
		struct grid block;
		struct geom *piece = verify_piece(&block, g, &grid, VIEWS, MOST, seed);
		double middle[3], a, b, whole_a, whole_b;
		bool good = piece && piece->views == VIEWS && piece->cols == 2 * MOST &&
		            piece->rows == ((kind == FAN) ? 1 : 2 * MOST) && piece->parallel == g->parallel &&
		            piece->radius == g->radius;

		for (int i = 0; i < 3; i++) {
			const long n = (grid.size[i] < MOST) ? grid.size[i] : MOST;

			good = good && block.size[i] == n && block.spacing[i] == grid.spacing[i] &&
			       is_whole((block.origin[i] - grid.origin[i]) / grid.spacing[i], 0.,
			               (double)(grid.size[i] - n));
			middle[i] = block.origin[i] + 0.5 * (double)(n - 1) * block.spacing[i];
		}

		for (long k = 0; good && k < VIEWS; k++) {
			const long view = whole_view(piece, k, g, &a, &b);

			good = view >= 0 && is_whole(a, 0., (double)(g->cols - piece->cols)) &&
			       is_whole(b, 0., (double)(g->rows - piece->rows));

			if (!good || !geom_project(g, view, middle, &whole_a, &whole_b) || whole_a < 0. ||
			        whole_a > (double)(g->cols - 1) || whole_b < 0. ||
			        whole_b > (double)(g->rows - 1))
				continue;

			expected++;
			seen += whole_a >= a && whole_a <= a + (double)(piece->cols - 1) && whole_b >= b &&
			        whole_b <= b + (double)(piece->rows - 1);
		}

		own += good;
		geom_free(piece);
	}

	check(own == 6, "%s: %d of 6 pieces of the scan's own voxels, pixels and views", kind_name[kind],
	        own);
	check(seen == expected && expected > 3, "%s: %d of %d views of pieces see their middle",
	        kind_name[kind], seen, expected);
	geom_free(g);
}

static void test_no_piece(void)
{
	struct geom *g = scan(CONE, 20., 3, 20, 20);
	struct grid beside = centred(10, 10, 10, 1., 1., 1.), block;

	beside.origin[2] += 200.;
	check(NULL == verify_piece(&block, g, &beside, 2, 4, 1), "no piece where no ray meets the volume");
	geom_free(g);
}

/* A letter needs some voxels along x and along y; there is nothing to compare where either has too few. */
static void test_thin(void)
{
	static const long size[][2] = {{4, 41}, {41, 4}, {41, 41}};

	for (int i = 0; i < 3; i++) {
		const struct grid grid = centred(size[i][0], size[i][1], 21, 1., 1., 1.);
		struct geom *g = turn((struct orbit){.parallel = true, .pitch = {1., 1.}}, 64, 31);
		struct str said = {0};
		const bool good = verify_letter(g, &grid, XRAY_JOSEPH, &said);

		check(good && (i == 2) == !strstr(said.data, "a volume too small for a letter"),
		        "a letter in %ld x %ld voxels: %s", size[i][0], size[i][1], said.data);
		free(said.data);
		geom_free(g);
	}
}

int main(void)
{
	test_thin();

	for (int kind = 0; kind < KINDS; kind++)
		test_piece(kind);

	test_no_piece();

	omp_set_num_threads(2);

	struct grid grid = centred(41, 40, 41, 1., 1., 1.);
	struct geom *g = turn((struct orbit){.parallel = true, .pitch = {1., 1.}}, 52, 51);

	verify_all("rays along the grid", g, &grid, true, true);
	geom_free(g);
	g = turn((struct orbit){.sod = 80., .sdd = 120., .radius = 120., .pitch = {3.6, 3.9}}, 29, 26);
	verify_all("pixels of two voxels", g, &grid, true, true);
	geom_free(g);
	g = turn((struct orbit){.sod = 80., .sdd = 120., .pitch = {9., 11.}}, 9, 8);
	verify_all("pixels of six voxels", g, &grid, false, false);
	geom_free(g);
	grid = centred(46, 46, 21, 1., 1., 3.);
	g = turn((struct orbit){.sod = 120., .sdd = 180., .pitch = {1.6, 1.7}}, 64, 90);
	verify_all("thick slices", g, &grid, true, true);
	geom_free(g);
	grid = centred(46, 46, 6, 1., 1., 1.);
	g = turn((struct orbit){.sod = 120., .sdd = 180., .pitch = {2., 1.}}, 52, 30);
	verify_all("few slices", g, &grid, true, true);
	geom_free(g);
	grid = centred(40, 40, 1, 1., 1., 1.);
	g = turn((struct orbit){.parallel = true, .tilt = 16., .pitch = {1., 1.}}, 52, 1);
	verify_all("a slice seen aslant", g, &grid, false, false);
	geom_free(g);
	return checks_failed ? 1 : 0;
}
