/* One slice by the two-step Hilbert method; see hilbert.c. */

#include "ct/fbp/hilbert_internal.h"

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/fft/fft.h"

enum { GROUP = 8 }; // lines at a time

/** Four points at x[i] of any distance, or, where two of them are at the same place, the middle two: weights
 * of the value at `at` between x[1] and x[2]. */
static void lagrange(const double x[4], double at, double w[4])
{
	const double least = 0.05 * (x[3] - x[0]);

	if (x[1] - x[0] > least && x[2] - x[1] > least && x[3] - x[2] > least) {
		for (int i = 0; i < 4; i++) {
			w[i] = 1.;

			for (int j = 0; j < 4; j++)
				w[i] *= (i == j) ? 1. : (at - x[j]) / (x[i] - x[j]);
		}
		return;
	}

	const double f = (x[2] > x[1]) ? fmin(fmax((at - x[1]) / (x[2] - x[1]), 0.), 1.) : 0.;

	w[0] = w[3] = 0.;
	w[1] = 1. - f;
	w[2] = f;
}

/** Four neighbours among n and their weights: columns round `at`. */
static void around(long n, double at, long index[4], double w[4])
{
	long i = (long)floor(at);

	i = (i < 0) ? 0 : (i > n - 2) ? n - 2 : i;

	double x[4];

	for (int c = 0; c < 4; c++) {
		const long j = i - 1 + c;

		index[c] = (j < 0) ? 0 : (j > n - 1) ? n - 1 : j;
		x[c] = (double)index[c];
	}

	lagrange(x, at, w);
}

/** The angles around that of a column's ray in a parallel direction. */
static void angles_around(const struct hilbert *h, double turn, long index[4], double w[4])
{
	const long n = h->angles;
	double x[4];

	if (h->whole)
		turn = h->turn[0] + wrap(turn - h->turn[0], 2. * M_PI);

	long lo = -1, hi = n; // turn[lo] <= turn < turn[hi]

	while (hi - lo > 1) {
		const long mid = (lo + hi) / 2;

		if (h->turn[mid] <= turn)
			lo = mid;
		else
			hi = mid;
	}

	if (!h->whole)
		lo = (lo < 0) ? 0 : (lo > n - 2) ? n - 2 : lo;

	for (int c = 0; c < 4; c++) {
		const long j = lo - 1 + c;

		if (h->whole) {
			index[c] = (j + 2 * n) % n;
			x[c] = h->turn[index[c]] + (j < 0 ? -2. * M_PI : j >= n ? 2. * M_PI : 0.);
		} else {
			index[c] = (j < 0) ? 0 : (j > n - 1) ? n - 1 : j;
			x[c] = h->turn[index[c]];
		}
	}

	lagrange(x, turn, w);
}

/** Means of the views at the same angle: (cols, angles). */
static void mean_views(const struct hilbert *h, const double *p, double *out)
{
	const long cols = h->g->cols;

#pragma omp parallel for schedule(static)
	for (long k = 0; k < h->angles; k++) {
		double *q = out + k * cols;
		const long from = h->start[k], to = h->start[k + 1];

		memset(q, 0, (size_t)cols * sizeof *q);

		for (long i = from; i < to; i++)
			for (long a = 0; a < cols; a++)
				q[a] += p[h->order[i] * cols + a] / (double)(to - from);
	}
}

/** Parallel rays (n, dirs). */
static void to_parallel(const struct hilbert *h, const double *p, double *out)
{
	const long cols = h->g->cols;

#pragma omp parallel for schedule(static)
	for (long k = 0; k < h->dirs; k++)
		for (long j = 0, c = 0; j < h->n; j++) {
			double *q = out + k * h->n + j;

			if (h->even) {
				*q = p[k * cols + (h->flip ? cols - 1 - j : j)];
				continue;
			}

			const double s = h->s0 + (double)j * h->ds;

			while (c < cols - 2 && h->place[c + 1] <= s)
				c++;

			const double f = (s - h->place[c]) / (h->place[c + 1] - h->place[c]),
			             fan = h->fan[c] + f * (h->fan[c + 1] - h->fan[c]);
			long a[4], v[4];
			double wa[4], wv[4], sum = 0.;

			around(cols, (double)c + f, a, wa);
			angles_around(h, h->phi[k] - fan, v, wv);

			for (int y = 0; y < 4; y++)
				for (int x = 0; x < 4; x++)
					sum += wv[y] * wa[x] *
					       p[v[y] * cols + (h->flip ? cols - 1 - a[x] : a[x])];

			*q = sum;
		}
}

/** Weighted derivatives half-way between samples: (n, dirs), the last of each line 0. */
static void derive(const struct hilbert *h, const double *q, double *out)
{
#pragma omp parallel for schedule(static)
	for (long k = 0; k < h->dirs; k++) {
		const double *x = q + k * h->n, w = h->signed_weight[k] / (-2. * M_PI * h->ds);
		double *d = out + k * h->n;

		for (long j = 0; j < h->n - 1; j++)
			d[j] = w * h->redundancy[j] * (x[j + 1] - x[j]);

		d[h->n - 1] = 0.;
	}
}

/** The measured integral over the line at y, between the two directions nearest to it; NAN beyond the
 * detector. */
static double line_integral(const struct hilbert *h, const double *q, double y)
{
	const long n = h->dirs;
	double sum = 0.;
	int found = 0;

	for (int turn = 0; turn < (h->whole ? 2 : 1); turn++) {
		long i = n - 1; // the last before the direction

		if (1 == turn)
			for (i = 0; i < n - 2 && h->psi[i + 1] < M_PI;)
				i++;

		const double period = h->whole ? 2. * M_PI : M_PI;
		const double z = turn ? M_PI : period, a = h->psi[i],
		             b = h->psi[(i + 1) % n] + (turn ? 0. : period),
		             f = (b > a) ? (z - a) / (b - a) : 0.;
		double value = 0.;
		bool seen = true;

		for (int c = 0; c < 2; c++) {
			const long k = h->next[(i + c) % n];
			const double side = cos(h->phi[k]) * -h->e[1] + sin(h->phi[k]) * h->e[0];
			const double at = (copysign(y, side * y) - h->s0) / h->ds;
			const long j = (long)floor(at);

			if (!(j >= 0 && j < h->n - 1)) {
				seen = false;
				continue;
			}

			const double *x = q + k * h->n + j;

			value += (c ? f : 1. - f) * (x[0] + (at - (double)j) * (x[1] - x[0]));
		}

		sum += seen ? value : 0.;
		found += seen;
	}

	return found ? sum / (double)found : NAN;
}

/** Step one for the lines [l, l + n): h at half places. */
static void differentiated_backprojection(
        const struct hilbert *h, const double *d, long l, long n, double *out)
{
	memset(out, 0, (size_t)(n * h->padded) * sizeof *out);

	for (long k = 0; k < h->dirs; k++) {
		const double c = cos(h->phi[k]), s = sin(h->phi[k]), *x = d + k * h->n;
		const double along = (c * h->e[0] + s * h->e[1]) / h->ds;

		for (long i = 0; i < n; i++) {
			const struct chord *chord = h->chord + l + i;
			const double y = h->y0 + (double)(l + i) * h->dy;
			const double from = (y * (s * h->e[0] - c * h->e[1]) - h->s0) / h->ds - 0.5 +
			                    (h->t0 + 0.5 * h->dt) * along;
			double *to = out + i * h->padded;

			for (long m = chord->from; m < chord->to; m++) {
				double at = from + (double)m * h->dt * along;

				/* beyond the shorter side the opposite rays count alone */
				at = fmin(fmax(at, -1.), (double)(h->n - 1));

				const long j = (long)(at + 1.) - 1;
				const double f = at - (double)j, left = (j < 0) ? 0. : x[j],
				             right = (j > h->n - 2) ? 0. : x[j + 1];

				to[m] += left + f * (right - left);
			}
		}
	}
}

/** What a line turned out to be. */
struct verdict {
	bool crosses, uncovered;
	double top, ends; // C; largest of its function at the ends
};

static void convolve(const struct hilbert *h, double *line, double *freq)
{
	fft_r2c(h->padded, 1, DT_FLOAT64, freq, line);

	for (long k = 0; k <= h->padded / 2; k++) {
		const double re = freq[2 * k], im = freq[2 * k + 1], *s = h->spectrum + 2 * k;

		freq[2 * k] = re * s[0] - im * s[1];
		freq[2 * k + 1] = re * s[1] + im * s[0];
	}

	fft_c2r(h->padded, 1, DT_FLOAT64, line, freq);
}

/** Step two: line (padded) of h in, f in out (samples). `integral`: of the line. */
static struct verdict invert(const struct hilbert *h, const struct chord *chord, double *line,
        double integral, double *freq, double *out)
{
	const long from = chord->from, to = chord->to; // the ends, in samples of f
	const double *support = chord->support;
	const bool given = HILBERT_ANYWHERE != h->set.support, hit = given && support[1] > support[0];
	struct verdict v = {.crosses = to > from && (!given || hit)};

	memset(out, 0, (size_t)h->samples * sizeof *out);

	if (hit && !(support[0] >= (double)(from + ROOM) && support[1] <= (double)(to - ROOM)))
		v.uncovered = v.crosses = true;

	if (to == from || v.uncovered)
		return v;

	for (long m = from; m < to; m++)
		line[m] *= sqrt(((double)(m - from) + 0.5) * ((double)(to - m) - 0.5));

	convolve(h, line, freq);

	double constant = integral / (M_PI * h->dt), sum = 0.;
	long outside = 0;

	for (long m = from + 1; given && m < to; m++)
		if (!hit || (double)m < support[0] || (double)m > support[1]) {
			sum += line[m];
			outside++;
		}

	if (given || isnan(constant))
		constant = (outside > 0) ? sum / (double)outside : 0.5 * (line[from + 1] + line[to - 1]);

	for (long m = from + 1; m < to; m++)
		out[m] = (constant - line[m]) / sqrt((double)(m - from) * (double)(to - m));

	double ends[2] = {0., 0.};

	for (long m = 1; m <= 3; m++) {
		ends[0] += (constant - line[from + m]) / 3.;
		ends[1] += (constant - line[to - m]) / 3.;
	}

	v.top = fabs(constant);
	v.ends = fmax(fabs(ends[0]), fabs(ends[1]));

	return v;
}

/** Catmull-Rom's weights of samples -1 .. 2 at a fraction. */
static void cubic(double f, double w[4])
{
	w[0] = ((-0.5 * f + 1.) * f - 0.5) * f;
	w[1] = (1.5 * f - 2.5) * f * f + 1.;
	w[2] = ((-1.5 * f + 2.) * f + 0.5) * f;
	w[3] = (0.5 * f - 0.5) * f * f;
}

/** Voxels from the lines; whole samples where the lines go through the voxels. */
static void to_voxels(const struct hilbert *h, const double *f, enum dtype type, void *out)
{
	const struct grid *g = &h->grid;

#pragma omp parallel for schedule(static)
	for (long b = 0; b < g->size[1]; b++)
		for (long a = 0; a < g->size[0]; a++) {
			const double x = g->origin[0] + (double)a * g->spacing[0],
			             y = g->origin[1] + (double)b * g->spacing[1];
			const double t = (x * h->e[0] + y * h->e[1] - h->t0) / h->dt,
			             l = (y * h->e[0] - x * h->e[1] - h->y0) / h->dy;
			const long i = (long)floor(t + 1e-6), j = (long)floor(l + 1e-6);
			double wi[4], wj[4], sum = 0.;

			cubic((t - (double)i > 2e-6) ? t - (double)i : 0., wi);
			cubic((l - (double)j > 2e-6) ? l - (double)j : 0., wj);

			for (int q = 0; q < 4; q++)
				for (int p = 0; p < 4; p++) {
					const long at = i - 1 + p, line = j - 1 + q;

					if (at >= 0 && at < h->samples && line >= 0 && line < h->lines)
						sum += wi[p] * wj[q] * f[line * h->samples + at];
				}

			if (DT_FLOAT32 == type)
				((float *)out)[b * g->size[0] + a] = (float)sum;
			else
				((double *)out)[b * g->size[0] + a] = sum;
		}
}

/** The largest C of all slices decides in the end; a line that is not open now is not then. */
static void remember(struct hilbert *h, float ends)
{
	if (!hilbert_is_open(ends, h->top))
		return;

	if (h->open == h->room) {
		h->room = 2 * h->room + 64;
		h->ends = mem_realloc(h->ends, (size_t)h->room * sizeof *h->ends);
	}

	h->ends[h->open++] = ends;
}

static void judge(struct hilbert *h, const struct verdict *v)
{
	for (long l = 0; l < h->lines; l++)
		h->top = fmax(h->top, v[l].top);

	for (long l = 0; l < h->lines; l++) {
		h->count.lines += v[l].crosses;
		h->count.uncovered += v[l].uncovered;

		if (v[l].crosses)
			remember(h, (float)v[l].ends);
	}
}

void hilbert_slice(struct hilbert *h, const double *p, enum dtype type, void *out)
{
	const size_t size = (size_t)(h->n * h->dirs);
	double *mean = mem_alloc((size_t)(h->g->cols * h->angles) * sizeof *mean),
	       *q = mem_alloc(size * sizeof *q), *d = mem_alloc(size * sizeof *d),
	       *f = mem_alloc((size_t)(h->lines * h->samples) * sizeof *f);
	struct verdict *v = mem_alloc((size_t)h->lines * sizeof *v);

	mean_views(h, p, mean);
	to_parallel(h, mean, q);
	derive(h, q, d);

#pragma omp parallel for schedule(dynamic)
	for (long l = 0; l < h->lines; l += GROUP) {
		const long n = (h->lines - l < GROUP) ? h->lines - l : GROUP;
		double *line = mem_alloc((size_t)(n * h->padded) * sizeof *line),
		       *freq = mem_alloc((size_t)(h->padded / 2 + 1) * 2 * sizeof *freq);

		differentiated_backprojection(h, d, l, n, line);

		for (long i = 0; i < n; i++)
			v[l + i] = invert(h, h->chord + l + i, line + i * h->padded,
			        line_integral(h, q, h->y0 + (double)(l + i) * h->dy), freq,
			        f + (l + i) * h->samples);

		free(line);
		free(freq);
	}

	judge(h, v);
	to_voxels(h, f, type, out);
	free(v);
	free(f);
	free(d);
	free(q);
	free(mean);
}
