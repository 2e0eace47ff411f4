/** Projection matrices: P (x, y, z, 1)' = w (a, b, 1)' with column a and row b of the detector, pixel (0, 0)
 * at its own centre, in mm and our world axes; 3 x 4 numbers per view, row by row. Matrices are scaled so
 * that w is the depth [mm] in front of the source along the detector's normal; 1 for a parallel beam. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/file.h"

/** Row vectors r with r[i] . c[j] = 1 where i = j, else 0. */
static void dual(double r[3][3], const double c[3][3])
{
	for (int i = 0; i < 3; i++) {
		cross3(r[i], c[(i + 1) % 3], c[(i + 2) % 3]);
		scale3(r[i], 1. / dot3(r[i], c[i]), r[i]);
	}
}

static void write_view(struct str *out, const struct geom *g, long view)
{
	const struct geom_view *w = g->view + view;
	double c[3][3], r[3][3], corner[3], first[3];

	for (int i = 0; i < 3; i++)
		first[i] = w->d[i] - 0.5 * (double)(g->cols - 1) * w->u[i] -
		           0.5 * (double)(g->rows - 1) * w->v[i];

	sub3(corner, first, w->s);
	memcpy(c[0], w->u, sizeof c[0]);
	memcpy(c[1], w->v, sizeof c[1]);
	memcpy(c[2], g->parallel ? w->s : corner, sizeof c[2]);
	dual(r, c);

	const double depth = g->parallel ? 1. : 1. / norm3(r[2]);
	const double *from = g->parallel ? first : w->s;

	for (int i = 0; i < 3; i++) {
		const bool affine = g->parallel && i == 2;

		for (int j = 0; j < 3; j++) {
			str_add_double(out, affine ? 0. : depth * r[i][j] + 0., 6);
			str_add(out, " ");
		}

		str_add_double(out, affine ? 1. : -depth * dot3(r[i], from) + 0., 6);
		str_add(out, "\n");
	}
}

void matrix_write(struct str *out, const struct geom *g, const char *name)
{
	expect_flat(g, name, "a projection matrix");
	str_add(out, "# ");
	exchange_note(out, g);
	str_add(out, "\n");

	for (long k = 0; k < g->views; k++) {
		str_add(out, "\n");
		write_view(out, g, k);
	}
}

/** A cone beam's view; the detector is put where its columns are pitch apart. */
static void cone_view(struct geom_view *w, const struct exchange_source *f, long view, const double p[12],
        const long size[2], double pitch)
{
	double row[3][3], column[3][3];

	for (int i = 0; i < 3; i++)
		memcpy(row[i], p + 4 * i, 3 * sizeof *p);

	dual(column, row);

	for (int i = 0; i < 3; i++)
		w->s[i] = -(column[0][i] * p[3] + column[1][i] * p[7] + column[2][i] * p[11]);

	if (p[11] == 0.)
		error("%s: view %ld: the last number of the matrix is 0, expected a number whose sign gives "
		      "the side of the detector",
		        f->path, view);

	const double depth = copysign(pitch / norm3(column[0]), p[11]);

	for (int i = 0; i < 3; i++) {
		w->u[i] = depth * column[0][i];
		w->v[i] = depth * column[1][i];
		w->d[i] = w->s[i] + depth * column[2][i] + 0.5 * (double)(size[0] - 1) * w->u[i] +
		          0.5 * (double)(size[1] - 1) * w->v[i];
	}
}

static void parallel_view(struct geom_view *w, const double p[12], const long size[2])
{
	double row[3][3], column[3][3], a = p[3] / p[11], b = p[7] / p[11];

	for (int j = 0; j < 3; j++) {
		row[0][j] = p[j] / p[11];
		row[1][j] = p[4 + j] / p[11];
	}

	cross3(row[2], row[0], row[1]);
	dual(column, row);

	const double far = norm3(row[2]);

	for (int i = 0; i < 3; i++) {
		w->s[i] = -row[2][i] / far;
		w->u[i] = column[0][i];
		w->v[i] = column[1][i];
		w->d[i] = (0.5 * (double)(size[0] - 1) - a) * w->u[i] +
		          (0.5 * (double)(size[1] - 1) - b) * w->v[i];
	}
}

/** Whether the last row is (0, 0, 0, w). */
static bool is_parallel(const double p[12])
{
	double most = 0.;

	for (int j = 0; j < 3; j++)
		most = fmax(most, fabs(p[8 + j]));

	return most <= 1e-14 * fabs(p[11]);
}

struct geom *matrix_read(struct exchange_source *f)
{
	long n, size[2];
	double pitch[2], *p = file_read_numbers(f->path, &n);

	if (n < 1 || n % 12)
		error("%s contains %ld numbers, expected 3 x 4 per view", f->path, n);

	const bool parallel = is_parallel(p);

	exchange_detector(f, !parallel, size, pitch);

	struct geom *g = geom_create(n / 12, size[0], size[1], parallel);

	for (long k = 0; k < g->views; k++) {
		if (is_parallel(p + 12 * k) != parallel)
			error("%s: view %ld is a %s beam, but the first view is not (all views must have the "
			      "same "
			      "beam)",
			        f->path, k, parallel ? "cone" : "parallel");

		if (parallel)
			parallel_view(g->view + k, p + 12 * k, size);
		else
			cone_view(g->view + k, f, k, p + 12 * k, size, pitch[0]);
	}

	free(p);
	return g;
}
