/* Views added to lines of voxels: against the formula, for slices that fall on, before and behind the rows,
 * in every instruction set this machine has. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ct/fbp/fdk_line.h"
#include "num/kern/kern.h"
#include "num/md/rand.h"
#include "other_isa.h"

enum { ROWS = 150, PITCH = ROWS + 2 * FDK_GUARD, SLICES = 208, VIEWS = 11 };

/** Filtered views of two columns each, the same in both types. */
static double wide[VIEWS * 2 * PITCH];
static float narrow[VIEWS * 2 * PITCH];

static void set_columns(void)
{
	for (int i = 0; i < VIEWS * 2; i++)
		for (int b = 0; b < ROWS; b++) {
			const int at = i * PITCH + FDK_GUARD + b;

			wide[at] = narrow[at] = (float)rand_uniform(3, (uint64_t)at) - 0.5f;
		}
}

/** Two lines in a view, of which the second is looked at. */
struct detector_hit {
	int column[2];
	double left[2], right[2], row[2], rise[2];
	float narrow[2][2]; // left and right
};

static double value(const struct detector_hit *s, int view, double at)
{
	const double low = floor(at), f = at - low;
	const long k = FDK_GUARD + (long)low;
	const double *p = wide + view * 2 * PITCH, *q = p + PITCH;

	if (s->column[1] < 0 || !(at > -1. && at < (double)ROWS))
		return 0.;

	return (1. - f) * (s->left[1] * p[k] + s->right[1] * q[k]) +
	       f * (s->left[1] * p[k + 1] + s->right[1] * q[k + 1]);
}

/** Where slices are seen: rises of both signs, even, of whole rows and steep; rows on both sides of the
 * ends; some not at all. */
static void set_spot(struct detector_hit *s, int view, int number, long first)
{
	static const double rises[] = {0., 0.31, 0.62, -0.62, 0.92, 0.93, 1., 1.2, -1.7, 1.99, 2.6, -5.};
	const uint64_t at = 64 * (uint64_t)number + (uint64_t)view;
	const double rise = rises[(number + (number % 2) * view) % (int)(sizeof rises / sizeof *rises)];

	*s = (struct detector_hit){.column = {0, (7 == at % 31) ? -1 : 0}};
	s->left[1] = s->narrow[0][1] = (float)rand_uniform(5, at);
	s->right[1] = s->narrow[1][1] = (float)rand_uniform(6, at);
	s->rise[1] = rise;
	s->row[1] = floor(rand_uniform(4, at) * (ROWS + 100.)) - 50. - rise * (double)first;

	if (rise < 0.) // down from there
		s->row[1] -= rise * SLICES / 2.;

	if (number % 3) // else on a row
		s->row[1] += rand_uniform(7, at);
}

static struct fdk_view view_of(const struct detector_hit *s, int view, enum dtype type)
{
	const long from = view * 2 * PITCH + FDK_GUARD;

	if (DT_FLOAT32 == type)
		return (struct fdk_view){
		        narrow + from, PITCH, s->column, s->narrow[0], s->narrow[1], s->row, s->rise};

	return (struct fdk_view){wide + from, PITCH, s->column, s->left, s->right, s->row, s->rise};
}

static double worst_of(enum dtype type, long first, long nz, int number, bool *same)
{
	static double sum[2][SLICES];
	fdk_add_fn *add = fdk_add(type);
	struct detector_hit s[VIEWS];
	struct fdk_view v[VIEWS];
	double worst = 0.;

	memset(sum, 0, sizeof sum);

	for (int k = 0; k < VIEWS; k++) {
		set_spot(s + k, k, number, first);
		v[k] = view_of(s + k, k, type);
		add(v + k, 1, 1, ROWS, first, nz, sum[1]);
	}

	add(v, VIEWS, 1, ROWS, first, nz, sum[0]);
	*same = *same && 0 == memcmp(sum[0], sum[1], sizeof sum[0]);

	for (long z = 0; z < nz; z++) {
		double want = 0.;

		for (int k = 0; k < VIEWS; k++)
			want += value(s + k, k, s[k].row[1] + s[k].rise[1] * (double)(first + z));

		worst = fmax(worst,
		        fabs(want - ((DT_FLOAT32 == type) ? (double)((float *)sum[0])[z] : sum[0][z])));
	}

	return worst;
}

static void test_lines(enum dtype type, double tolerance)
{
	static const long first[] = {0, 16, 480}, nz[] = {SLICES, 128, 100, 16, 7};
	double worst = 0.;
	bool same = true;

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 5; k++)
			for (int number = 0; number < 120; number++)
				worst = fmax(worst, worst_of(type, first[i], nz[k], number, &same));

	check(worst < tolerance, "%s, %s: the formula, off by %g", kern_isa(), dtype_name(type), worst);
	check(same, "%s, %s: the same bits one by one", kern_isa(), dtype_name(type));
}

int main(int argc, char *argv[])
{
	set_columns();
	test_lines(DT_FLOAT32, 2e-5);

	if (argc < 2) {
		test_lines(DT_FLOAT64, 1e-12);
		test_isa(argv[0], "avx2");
		test_isa(argv[0], "plain");
	}

	return checks_failed ? 1 : 0;
}
