#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "volume/resample/space.h"

void affine_identity(struct affine *m)
{
	*m = (struct affine){.a = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}}};
}

void affine_apply(const struct affine *m, double out[3], const double x[3])
{
	double y[3];

	for (int d = 0; d < 3; d++)
		y[d] = m->a[d][0] * x[0] + m->a[d][1] * x[1] + m->a[d][2] * x[2] + m->b[d];

	memcpy(out, y, sizeof y);
}

/** Element of the adjugate. */
static double cofactor(const double a[3][3], int r, int c)
{
	const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;

	return a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
}

void affine_inverse(struct affine *out, const struct affine *m, const char *name)
{
	double size = 0., determinant = 0.;
	struct affine v;

	for (int i = 0; i < 9; i++)
		size += m->a[i / 3][i % 3] * m->a[i / 3][i % 3];

	for (int c = 0; c < 3; c++)
		determinant += m->a[0][c] * cofactor(m->a, 0, c);

	if (!(fabs(determinant) > 1e-12 * pow(size / 3., 1.5)))
		error("%s: the matrix has no inverse (determinant %g)", name, determinant);

	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			v.a[r][c] = cofactor(m->a, c, r) / determinant;

	for (int r = 0; r < 3; r++)
		v.b[r] = -(v.a[r][0] * m->b[0] + v.a[r][1] * m->b[1] + v.a[r][2] * m->b[2]);

	*out = v;
}

/** Exact at quarter turns. */
static void cos_sin(double degrees, double *c, double *s)
{
	const double quarters = degrees / 90.;

	if (quarters == floor(quarters)) {
		static const double values[] = {1., 0., -1., 0.};
		const int q = (int)(fmod(quarters, 4.) + 4.) % 4;

		*c = values[q];
		*s = values[(q + 3) % 4];
		return;
	}

	*c = cos(degrees * M_PI / 180.);
	*s = sin(degrees * M_PI / 180.);
}

void affine_rigid(struct affine *m, const double degrees[3], const double centre[3], const double shift[3])
{
	affine_identity(m);

	for (int d = 0; d < 3; d++) { // the inverse: transposed turns, the last one first
		const int u = (d + 1) % 3, v = (d + 2) % 3;
		double c, s, row[2][3];

		cos_sin(degrees[d], &c, &s);

		for (int k = 0; k < 3; k++) { // m = m (turn about d)'
			row[0][k] = m->a[k][u] * c - m->a[k][v] * s;
			row[1][k] = m->a[k][u] * s + m->a[k][v] * c;
		}

		for (int k = 0; k < 3; k++) {
			m->a[k][u] = row[0][k];
			m->a[k][v] = row[1][k];
		}
	}

	for (int d = 0; d < 3; d++) {
		m->b[d] = centre[d];

		for (int k = 0; k < 3; k++)
			m->b[d] -= m->a[d][k] * (centre[k] + shift[k]);
	}
}

void affine_read(struct affine *m, const char *path)
{
	long n;
	double *v = file_read_numbers(path, &n);

	if (12 != n && 16 != n)
		error("%s contains %ld numbers, expected 3 or 4 lines of 4 numbers", path, n);

	if (16 == n && (0. != v[12] || 0. != v[13] || 0. != v[14] || 1. != v[15]))
		error("%s: the fourth line is %g %g %g %g, expected 0 0 0 1", path, v[12], v[13], v[14],
		        v[15]);

	for (int r = 0; r < 3; r++) {
		memcpy(m->a[r], v + 4 * r, sizeof m->a[r]);
		m->b[r] = v[4 * r + 3];
	}

	free(v);
}

void affine_write(const struct affine *m, const char *path, const char *from, const char *to)
{
	struct file_out *f = file_create(path);
	FILE *o = file_stream(f);

	fprintf(o, "# positions in %s to positions in %s [mm]\n", from, to);

	for (int r = 0; r < 3; r++)
		fprintf(o, "%.17g %.17g %.17g %.17g\n", m->a[r][0], m->a[r][1], m->a[r][2], m->b[r]);

	file_commit(f);
}
