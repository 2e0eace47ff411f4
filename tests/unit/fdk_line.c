/* Views added to lines of voxels: against the formula, for slices that fall on, before and behind the rows,
 * in every instruction set this machine has. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linops/xray/fdk_line.h"
#include "num/kern.h"
#include "num/rand.h"

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

static double value(const struct fdk_line *l, int view, double at)
{
	const double low = floor(at), f = at - low;
	const long k = FDK_GUARD + (long)low;
	const double *p = wide + view * 2 * PITCH, *q = p + PITCH;

	if (!(at > -1. && at < (double)ROWS))
		return 0.;

	return (1. - f) * (l->left * p[k] + l->right * q[k]) + f * (l->left * p[k + 1] + l->right * q[k + 1]);
}

/** Where slices are seen: rises of both signs, even, of whole rows and steep; rows on both sides of the
 * ends. */
static struct fdk_line line_of(int view, int number, long first)
{
	static const double rises[] = {0., 0.31, 0.62, -0.62, 0.92, 0.93, 1., 1.2, -1.7, 1.99, 2.6, -5.};
	const uint64_t at = 64 * (uint64_t)number + (uint64_t)view;
	struct fdk_line l = {.left = rand_uniform(5, at), .right = rand_uniform(6, at)};

	l.rise = rises[(number + (number % 2) * view) % (int)(sizeof rises / sizeof *rises)];
	l.row = floor(rand_uniform(4, at) * (ROWS + 100.)) - 50. - l.rise * (double)first;

	if (l.rise < 0.) // down from there
		l.row -= l.rise * SLICES / 2.;

	if (number % 3) // else on a row
		l.row += rand_uniform(7, at);

	return l;
}

static double worst_of(enum dtype type, long first, long nz, int number, bool *same)
{
	static double sum[2][SLICES];
	const char *frames = (DT_FLOAT32 == type) ? (const char *)narrow : (const char *)wide;
	const size_t size = dtype_size(type);
	fdk_add_fn *add = fdk_add(type);
	struct fdk_line l[VIEWS];
	double worst = 0.;

	memset(sum, 0, sizeof sum);

	for (int i = 0; i < VIEWS; i++) {
		l[i] = line_of(i, number, first);
		l[i].p = frames + (size_t)(i * 2 * PITCH + FDK_GUARD) * size;
		l[i].next = (const char *)l[i].p + PITCH * size;
		l[i].sum = sum[1];
		add(l + i, 1, ROWS, first, nz);
		l[i].sum = sum[0];
	}

	add(l, VIEWS, ROWS, first, nz);
	*same = *same && 0 == memcmp(sum[0], sum[1], sizeof sum[0]);

	for (long k = 0; k < nz; k++) {
		double want = 0.;

		for (int i = 0; i < VIEWS; i++)
			want += value(l + i, i, l[i].row + l[i].rise * (double)(first + k));

		worst = fmax(worst,
		        fabs(want - ((DT_FLOAT32 == type) ? (double)((float *)sum[0])[k] : sum[0][k])));
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

/** This program again with another instruction set, which is chosen when it starts. */
static void test_isa(char *self, const char *isa)
{
	char *const arg[] = {self, "-", NULL};
	int status = -1;
	const pid_t child = fork();

	if (0 == child) {
		setenv("GANTRY_ISA", isa, 1);
		execv(self, arg);
		_exit(127);
	}

	check(child > 0 && child == waitpid(child, &status, 0) && WIFEXITED(status) && !WEXITSTATUS(status),
	        "lines with %s", isa);
}

int main(int argc, char *argv[])
{
	set_columns();
	test_lines(DT_FLOAT32, 2e-5);

	if (argc < 2) {
		test_lines(DT_FLOAT64, 1e-12);
		fflush(stdout);
		test_isa(argv[0], "avx2");
		test_isa(argv[0], "plain");
	}

	return checks_failed ? 1 : 0;
}
