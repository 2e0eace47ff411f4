/* Balls in the views of a phantom. */

#include "ct/calibration/ball_blobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "misc/mem.h"

enum { LEAST_AREA = 3, MOST_BLOBS = 512 }; // [pixels], of one view

/** out[i] = sign times the least of sign * in within `half` elements on both sides; a queue of candidates in
 * ascending order. */
static void slide(long n, double *out, const double *in, long step, long half, double sign, long *queue)
{
	long head = 0, tail = 0;

	for (long i = 0; i < n + half; i++) {
		if (i < n) {
			while (tail > head && sign * in[queue[tail - 1] * step] >= sign * in[i * step])
				tail--;

			queue[tail++] = i;
		}

		if (i < half)
			continue;

		while (queue[head] < i - 2 * half)
			head++;

		out[i - half] = in[queue[head] * step];
	}
}

/** The least (sign 1) or largest (-1) value of a square, in place. */
static void extreme(const struct geom *g, double *p, long half, double sign, double *line, long *queue)
{
	for (long b = 0; b < g->rows; b++) {
		slide(g->cols, line, p + b * g->cols, 1, half, sign, queue);
		memcpy(p + b * g->cols, line, (size_t)g->cols * sizeof *line);
	}

	for (long a = 0; a < g->cols; a++) {
		slide(g->rows, line, p + a, g->cols, half, sign, queue);

		for (long b = 0; b < g->rows; b++)
			p[b * g->cols + a] = line[b];
	}
}

/** The view minus its opening, and the largest value of that. */
static double top_hat(const struct geom *g, double *p)
{
	const long size = g->cols * g->rows, longest = (g->cols > g->rows) ? g->cols : g->rows,
	           half = (g->cols / 16 > 8) ? g->cols / 16 : 8;
	double *open = mem_alloc((size_t)size * sizeof *open),
	       *line = mem_alloc((size_t)longest * sizeof *line);
	long *queue = mem_alloc((size_t)longest * sizeof *queue);
	double most = 0.;

	memcpy(open, p, (size_t)size * sizeof *open);
	extreme(g, open, half, 1., line, queue);
	extreme(g, open, half, -1., line, queue);

	for (long i = 0; i < size; i++) {
		p[i] -= open[i];
		most = fmax(most, p[i]);
	}

	free(queue);
	free(line);
	free(open);

	return most;
}

/** Moments of a connected set above the threshold. */
struct sums {
	double w, u, v, uu, uv, vv;
	long area;
	bool cut; // by the edge
};

static void add_pixel(struct sums *s, const struct geom *g, long a, long b, double w)
{
	const double u = (double)a, v = (double)b;

	s->w += w;
	s->u += w * u;
	s->v += w * v;
	s->uu += w * u * u;
	s->uv += w * u * v;
	s->vv += w * v * v;
	s->area++;
	s->cut = s->cut || 0 == a || 0 == b || g->cols - 1 == a || g->rows - 1 == b;
}

/** The pixels connected with `start`; those seen are marked. */
static struct sums flood(
        const struct geom *g, const double *p, double threshold, long start, char *seen, long *stack)
{
	struct sums s = {0};
	long depth = 0;

	seen[start] = 1;
	stack[depth++] = start;

	while (depth > 0) {
		const long i = stack[--depth], a = i % g->cols, b = i / g->cols;

		add_pixel(&s, g, a, b, p[i] - threshold);

		for (int d = 0; d < 4; d++) {
			const long x = a + (0 == d) - (1 == d), y = b + (2 == d) - (3 == d),
			           j = y * g->cols + x;

			if (x < 0 || y < 0 || x >= g->cols || y >= g->rows || seen[j] || !(p[j] > threshold))
				continue;

			seen[j] = 1;
			stack[depth++] = j;
		}
	}

	return s;
}

/** A disc has equal second moments in all directions; two that overlap by half have a ratio of 1.6. */
static struct ball_blob describe(const struct sums *s, double aspect)
{
	const double u = s->u / s->w, v = s->v / s->w, pixel = 0.1;
	const double uu = s->uu / s->w - u * u + pixel, uv = (s->uv / s->w - u * v) * aspect,
	             vv = (s->vv / s->w - v * v + pixel) * aspect * aspect;
	const double middle = 0.5 * (uu + vv), apart = hypot(0.5 * (uu - vv), uv);

	return (struct ball_blob){.u = u,
	        .v = v,
	        .radius = sqrt((double)s->area * aspect / M_PI),
	        .round = middle + apart < 1.5 * (middle - apart)};
}

/** The blobs of a view behind the top hat. */
static long find(const struct geom *g, const double *p, double threshold, struct ball_blob out[MOST_BLOBS])
{
	const long size = g->cols * g->rows;
	const double aspect = norm3(g->view[0].v) / norm3(g->view[0].u);
	char *seen = mem_calloc((size_t)size, 1);
	long *stack = mem_alloc((size_t)size * sizeof *stack), n = 0;

	for (long start = 0; start < size && n < MOST_BLOBS; start++) {
		if (seen[start] || !(p[start] > threshold))
			continue;

		const struct sums s = flood(g, p, threshold, start, seen, stack);

		if (!s.cut && s.area >= LEAST_AREA)
			out[n++] = describe(&s, aspect);
	}

	free(stack);
	free(seen);

	return n;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** A fifth of the median over the views of their largest values. */
static double choose_threshold(const struct geom *g, ball_view_fn *view, void *ctx, double *p)
{
	double *most = mem_alloc((size_t)g->views * sizeof *most);

	for (long k = 0; k < g->views; k++) {
		view(ctx, k, p);
		most[k] = top_hat(g, p);
	}

	qsort(most, (size_t)g->views, sizeof *most, ascending);

	const double threshold = 0.2 * most[g->views / 2];

	free(most);
	return threshold;
}

struct ball_blobs *ball_blobs_find(const struct geom *g, ball_view_fn *view, void *ctx)
{
	struct ball_blobs *b = NEW(struct ball_blobs);
	double *p = mem_alloc((size_t)(g->cols * g->rows) * sizeof *p);
	const double threshold = choose_threshold(g, view, ctx, p);

	b->views = g->views;
	b->first = mem_calloc((size_t)(g->views + 1), sizeof *b->first);

	for (long k = 0; k < g->views; k++) {
		struct ball_blob found[MOST_BLOBS];
		long n = 0;

		view(ctx, k, p);

		if (top_hat(g, p) > threshold)
			n = find(g, p, threshold, found);

		b->first[k + 1] = b->first[k] + n;
		b->at = mem_realloc(b->at, (size_t)(b->first[k + 1] + 1) * sizeof *b->at);

		if (n > 0)
			memcpy(b->at + b->first[k], found, (size_t)n * sizeof *found);
	}

	free(p);
	return b;
}

double ball_blobs_radius(const struct ball_blobs *b)
{
	double *radius = mem_alloc((size_t)(b->first[b->views] + 1) * sizeof *radius);
	long n = 0;

	for (long i = 0; i < b->first[b->views]; i++)
		if (b->at[i].round)
			radius[n++] = b->at[i].radius;

	qsort(radius, (size_t)n, sizeof *radius, ascending);

	const double median = (n > 0) ? radius[n / 2] : 0.;

	free(radius);
	return median;
}

void ball_blobs_free(struct ball_blobs *b)
{
	free(b->at);
	free(b->first);
	free(b);
}
