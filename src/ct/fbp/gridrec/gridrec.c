/* [1] J. D. O'Sullivan, A fast sinc function gridding algorithm for Fourier inversion in computer tomography,
 * IEEE TMI 4(4), 1985. [2] P. J. Beatty, D. G. Nishimura, J. M. Pauly, Rapid gridding reconstruction with a
 * minimal oversampling ratio, IEEE TMI 24(6), 2005.
 *
 * With column = m . x + c, f(x) = sum over views and frequencies w of Q(w) exp(2 pi i w (m . x + c)): the
 * sample at the place w m of the slice's spectrum. Two slices are the real and imaginary part of one. */

#include "ct/fbp/gridrec/gridrec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_internal.h"
#include "ct/fbp/gridrec/gridrec_kernels.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/fft/fft.h"

enum {
	EDGE = 8,   // cells around the spectrum, which belong to its other side
	GROUP = 8,  // columns of the spectrum that are transformed at a time
	LINES = 16, // lines of a slice that are stored at a time
};

/** Cells per voxel: with a kernel of 8 cells 7e-5 of what lies outside the slice appears inside. */
static const double density = 1.17;

struct gridrec {
	const struct fbp *f;
	const struct grid *grid;
	long padded;      // samples of a line for the filter
	long period;      // and for the spectrum: columns until it repeats
	long n[2], pitch; // cells of the spectrum; floats from line to line of it
	float *response;  // of the filter, each value twice
	float *factor[2]; // of voxels along x, y: one over the kernel's transform
	double *weight;   // of the views; NAN: not the same for all columns
	double middle[2]; // of the voxel that the transform takes for its origin [mm]
	struct gridrec_table table;
	struct fft_line forward, inverse, spectrum, along[2];
};

struct gridrec_room {
	float *grid;               // n[1] + 2 EDGE lines
	float *line, *other;       // of complex samples: for the filter, and for the spectrum
	float *z;                  // transformed
	float *plus[2], *minus[2]; // parts of its halves, turned
	float *columns, *done;     // GROUP lines along y, before and after
	float *lines[2];           // of two slices
	float *row[4], *slice[2];  // of the detector; of slices
	float one[2 * GRIDREC_BLOCK], *block;
	struct fbp_column *column;
	void *memory;
};

/** The first view that is tilted or shifted along z; the number of views: none. */
static long first_askew(const struct fbp *f)
{
	const double *a = f->view[0].to[1];

	for (long k = 0; k < f->g->views; k++) {
		const struct fbp_view *v = f->view + k;
		const double *b = v->to[1];

		if (!v->untilted || hypot(b[0], b[1]) > 1e-9 * fabs(b[2]) || fabs(b[2] - a[2]) > 1e-9 ||
		        fabs(b[3] - a[3]) > 1e-6)
			return k;
	}

	return f->g->views;
}

static bool is_flat(const struct fbp *f)
{
	return f->g->parallel && !(f->g->radius > 0.);
}

bool gridrec_fits(const struct fbp *f)
{
	return is_flat(f) && f->g->views == first_askew(f);
}

void gridrec_check(const struct fbp *f, const char *name)
{
	if (!is_flat(f))
		error("%s: --method gridrec is for a parallel beam on a flat detector", name);

	if (!gridrec_fits(f))
		error("%s: view %ld is tilted or shifted along z, which --method gridrec does not support",
		        name, first_askew(f));
}

/** I0(x) exp(-beta). */
static double bessel(double x, double beta)
{
	double term = 1., sum = 1.;

	for (int k = 1; term > 1e-17 * sum; k++) {
		term *= 0.25 * x * x / ((double)k * (double)k);
		sum += term;
	}

	return sum * exp(-beta);
}

static double kernel_at(double beta, double t)
{
	const double x = 2. * t / GRIDREC_WIDTH;

	return (fabs(x) <= 1.) ? bessel(beta * sqrt(1. - x * x), beta) : 0.;
}

/** The transform of the kernel at a voxel x of n cells. */
static double transform_at(double beta, long x, long n)
{
	const double p = M_PI * GRIDREC_WIDTH * (double)x / (double)n, z2 = beta * beta - p * p,
	             z = sqrt(fabs(z2));

	return GRIDREC_WIDTH * exp(-beta) * ((z < 1e-12) ? 1. : (z2 > 0.) ? sinh(z) / z : sin(z) / z);
}

/** Beatty's, for so many cells per voxel. */
static double beta_of(double cells)
{
	const double ratio = GRIDREC_WIDTH / cells * (cells - 0.5);

	return M_PI * sqrt(ratio * ratio - 0.8);
}

static void set_table(struct gridrec *g, const double beta[2])
{
	for (int i = 0; i <= GRIDREC_STEPS; i++)
		for (int j = 0; j < GRIDREC_WIDTH; j++) {
			const double t = (double)(j - 3) - (double)i / GRIDREC_STEPS;

			g->table.x[i][2 * j] = g->table.x[i][2 * j + 1] = (float)kernel_at(beta[0], t);
			g->table.y[i][j] = (float)kernel_at(beta[1], t);
		}
}

/** Cells for so many voxels. */
static long cells_for(long voxels)
{
	long n = max_long(2 * EDGE, (long)ceil(density * (double)voxels));

	while (n % 4 != 0 || fft_good_size(n) != n)
		n++;

	return n;
}

/** Cells and factors of one dim; the frequency 0 stands in the middle of the grid, so that signs alternate.
 */
static double set_dim(struct gridrec *g, int d)
{
	const long size = g->grid->size[d], n = cells_for(size);
	const double beta = beta_of((double)n / (double)size);

	g->n[d] = n;
	g->along[d] = fft_line(n, DT_COMPLEX64, FFT_INVERSE);
	g->factor[d] = mem_alloc((size_t)size * sizeof *g->factor[d]);
	g->middle[d] = g->grid->origin[d] + (double)(size / 2) * g->grid->spacing[d];

	for (long i = 0; i < size; i++) {
		const long x = i - size / 2;

		g->factor[d][i] = (float)((x % 2 ? -1. : 1.) / transform_at(beta, x, n));
	}

	return beta;
}

/** The place of the middle in a view [columns]. */
static double column_of(const struct gridrec *g, long k)
{
	const double *m = g->f->view[k].to[0];

	return m[0] * g->middle[0] + m[1] * g->middle[1] + m[3];
}

/** Columns until a line repeats: no voxel sees a second copy of it. */
static long period_of(const struct gridrec *g)
{
	const double *s = g->grid->spacing;
	const long *size = g->grid->size;
	double most = 0.;

	for (long k = 0; k < g->f->g->views; k++) {
		const double *m = g->f->view[k].to[0], c = column_of(g, k),
		             far = 0.5 * (fabs(m[0] * s[0]) * (double)size[0] +
		                                 fabs(m[1] * s[1]) * (double)size[1]);

		most = fmax(most, far + fmax(fabs(c), fabs((double)g->f->cols - c)));
	}

	return fft_line_size(max_long((long)ceil(most) + 8, g->f->cols));
}

/** Of every view, where its columns have the same. */
static void set_weights(struct gridrec *g)
{
	const struct geom *a = g->f->g;
	const long cols = g->f->cols;

	g->weight = mem_alloc((size_t)a->views * sizeof *g->weight);

#pragma omp parallel for schedule(static) num_threads(threads_for(8. * (double)(a->views * a->cols)))
	for (long k = 0; k < a->views; k++) {
		struct fbp_column *column = mem_alloc((size_t)cols * sizeof *column);
		struct fbp_rays rays;

		fbp_weights(g->f, k, column, &rays);
		g->weight[k] = column[0].weight;

		for (long i = 1; i < cols; i++)
			if (column[i].weight != column[0].weight)
				g->weight[k] = NAN;

		free(column);
	}
}

/** The filter and the factors of the transforms, there and back and of the spectrum. */
static void set_response(struct gridrec *g)
{
	const long half = g->padded / 2;
	double *r = mem_alloc((size_t)(half + 1) * sizeof *r);

	ramp_response(&g->f->filter, g->f->cols, half, r);
	g->response = mem_alloc((size_t)(2 * g->padded) * sizeof *g->response);

	for (long k = 0; k < g->padded; k++)
		g->response[2 * k] = g->response[2 * k + 1] =
		        (float)(r[min_long(k, g->padded - k)] / (double)g->period);

	free(r);
}

struct gridrec *gridrec_create(const struct fbp *f, const struct grid *grid)
{
	struct gridrec *g = NEW(struct gridrec);

	g->f = f;
	g->grid = grid;
	set_table(g, (const double[2]){set_dim(g, 0), set_dim(g, 1)});
	g->pitch = 2 * ((g->n[0] + 2 * EDGE + 7) / 8 * 8 + 8);
	g->padded = fft_line_size(2 * f->cols);
	g->period = period_of(g);
	g->forward = fft_line(g->padded, DT_COMPLEX64, 0);
	g->inverse = fft_line(g->padded, DT_COMPLEX64, FFT_INVERSE);
	g->spectrum = fft_line(g->period, DT_COMPLEX64, 0);
	set_response(g);
	set_weights(g);

	return g;
}

void gridrec_free(struct gridrec *g)
{
	free(g->response);
	free(g->factor[0]);
	free(g->factor[1]);
	free(g->weight);
	free(g);
}

/** Floats from line to line of a group along y. */
static long apart_of(const struct gridrec *g)
{
	return 2 * ((g->n[1] + 7) / 8 * 8 + 8);
}

/** Places of what a thread needs, from `base` on, each at a multiple of 64 bytes; their size. */
static long lay_out(const struct gridrec *g, struct gridrec_room *r, char *base)
{
	const long line = 2 * max_long(g->padded, g->period) + 2,
	           group = max_long(GROUP * apart_of(g), 2 * g->n[0]), cols = g->f->g->cols,
	           nx = g->grid->size[0];
	const struct {
		void *to;
		long bytes;
	} parts[] = {{&r->grid, (g->n[1] + 2 * EDGE) * g->pitch * 4}, {&r->line, line * 4},
	        {&r->other, line * 4}, {&r->z, line * 4}, {&r->plus[0], line + 64}, {&r->plus[1], line + 64},
	        {&r->minus[0], line + 64}, {&r->minus[1], line + 64}, {&r->columns, group * 4},
	        {&r->done, group * 4}, {&r->lines[0], LINES * nx * 4}, {&r->lines[1], LINES * nx * 4},
	        {&r->row[0], cols * 4}, {&r->row[1], cols * 4}, {&r->row[2], cols * 4},
	        {&r->row[3], cols * 4}, {&r->slice[0], cols * 4}, {&r->slice[1], cols * 4},
	        {&r->block, (g->period / GRIDREC_BLOCK + 1) * 8},
	        {&r->column, g->f->cols * (long)sizeof *r->column}};
	long at = 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *place = base ? base + at : NULL;

		memcpy(parts[i].to, &place, sizeof place);
		at += (parts[i].bytes + 63) / 64 * 64;
	}

	return at;
}

long gridrec_memory(const struct gridrec *g)
{
	return lay_out(g, &(struct gridrec_room){0}, NULL);
}

struct gridrec_room *gridrec_room_create(const struct gridrec *g)
{
	struct gridrec_room *r = NEW(struct gridrec_room);

	r->memory = mem_alloc((size_t)gridrec_memory(g));
	lay_out(g, r, r->memory);

	return r;
}

void gridrec_room_free(struct gridrec_room *r)
{
	free(r->memory);
	free(r);
}

/** The row of a view at the height of slice z, between two of the detector; NULL: beside it. `part`: of the
 * pair. */
static const float *row_at(const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files,
        long k, long z, int part)
{
	const struct geom *a = g->f->g;
	const double *to = g->f->view[k].to[1],
	             at = to[2] * (g->grid->origin[2] + (double)z * g->grid->spacing[2]) + to[3];

	if (z >= g->grid->size[2] || !(at > -1. && at < (double)a->rows))
		return NULL;

	const long low = (long)floor(at + 1e-9);
	const float up = (float)fmax(at - (double)low, 0.);
	const float *x[2] = {NULL, NULL};

	for (int i = 0; i < ((up < 1e-9f) ? 1 : 2); i++)
		if (low + i >= 0 && low + i < a->rows)
			x[i] = files->load(files->ctx, k, low + i, r->row[2 * part + i]);

	if (up < 1e-9f)
		return x[0];

	for (long i = 0; i < a->cols; i++)
		r->slice[part][i] = (x[0] ? (1.f - up) * x[0][i] : 0.f) + (x[1] ? up * x[1][i] : 0.f);

	return r->slice[part];
}

/** Both slices of a view, weighed, as one complex line with zeros behind it; false: nothing is there. */
static bool load_pair(
        const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long k, long z)
{
	const long cols = g->f->g->cols;
	const float *a = row_at(g, r, files, k, z, 0), *b = row_at(g, r, files, k, z + 1, 1);
	const struct fbp_column *c = r->column + g->f->left;
	float *to = r->line + 2 * g->f->left;

	if (!a && !b)
		return false;

	if (!a || !b)
		memset(r->slice[a ? 1 : 0], 0, (size_t)cols * sizeof *to);

	a = a ? a : r->slice[0];
	b = b ? b : r->slice[1];
	memset(r->line, 0, (size_t)(2 * g->f->cols) * sizeof *to);

	if (!isnan(g->weight[k])) {
		const float w = (float)g->weight[k];

		for (long i = 0; i < cols; i++) {
			to[2 * i] = w * a[i];
			to[2 * i + 1] = w * b[i];
		}

		return true;
	}

	struct fbp_rays rays;

	fbp_weights(g->f, k, r->column, &rays);

	for (long i = 0; i < cols; i++) {
		to[2 * i] = (float)c[i].weight * a[i];
		to[2 * i + 1] = (float)c[i].weight * b[i];
	}

	if (rays.axis[0] < 0)
		return true;

	const float at[2] = {(float)fbp_at_axis_float(a, &rays), (float)fbp_at_axis_float(b, &rays)};

	for (long i = 0; i < g->f->cols; i++)
		for (int j = 0; j < 2; j++)
			r->line[2 * i + j] += (float)r->column[i].fill * at[j];

	return true;
}

/** The filtered line from r->line to r->other, so that column `first` is sample 0 of its period. */
static void filter(const struct gridrec *g, struct gridrec_room *r, long first)
{
	const long cols = g->f->cols, period = g->period, at = ((-first) % period + period) % period,
	           head = min_long(cols, period - at);

	fft_line_run(g->forward, r->z, r->line);

	for (long i = 0; i < 2 * g->padded; i++)
		r->z[i] *= g->response[i];

	fft_line_run(g->inverse, r->other, r->z);
	memset(r->z, 0, (size_t)(2 * period) * sizeof *r->z);
	memcpy(r->z + 2 * at, r->other, (size_t)(2 * head) * sizeof *r->z);
	memcpy(r->z, r->other + 2 * head, (size_t)(2 * (cols - head)) * sizeof *r->z);
	fft_line_run(g->spectrum, r->other, r->z);
	memcpy(r->other + 2 * period, r->other, 2 * sizeof *r->other);
}

/** The phases of frequencies i / period at a place. */
static void set_phases(const struct gridrec *g, struct gridrec_room *r, double place)
{
	const double angle = 2. * M_PI * place / (double)g->period;

	for (long i = 0; i < GRIDREC_BLOCK; i++) {
		r->one[2 * i] = (float)cos(angle * (double)i);
		r->one[2 * i + 1] = (float)sin(angle * (double)i);
	}

	for (long i = 0; i <= g->period / 2 / GRIDREC_BLOCK; i++) {
		r->block[2 * i] = (float)cos(angle * (double)(i * GRIDREC_BLOCK));
		r->block[2 * i + 1] = (float)sin(angle * (double)(i * GRIDREC_BLOCK));
	}
}

/** The spectrum of the pair in view k onto the grid, up to the frequencies that voxels show. */
static void add_view(
        const struct gridrec *g, struct gridrec_room *r, long k, const struct gridrec_files *files, long z)
{
	const struct gridrec_kernels *kernels = gridrec_kernels();
	const double c = column_of(g, k), whole = floor(c);
	long n = (g->period - 1) / 2;
	struct gridrec_line l = {.table = &g->table,
	        .plus = {r->plus[0], r->plus[1]},
	        .minus = {r->minus[0], r->minus[1]},
	        .grid = r->grid,
	        .pitch = g->pitch};

	if (!load_pair(g, r, files, k, z))
		return;

	for (int d = 0; d < 2; d++) {
		const double step =
		        g->f->view[k].to[0][d] * g->grid->spacing[d] * (double)g->n[d] / (double)g->period;

		l.step[d] = llrint(ldexp(step, 32));
		l.middle[d] = (int64_t)(g->n[d] / 2 + EDGE) << 32;
		n = (long)fmin((double)n, (fabs(step) > 0.) ? 0.5 * (double)g->n[d] / fabs(step) : (double)n);
	}

	l.n = n;
	filter(g, r, (long)whole);
	set_phases(g, r, c - whole);
	kernels->turn(n, g->period, r->plus, r->minus, r->other, r->one, r->block);
	kernels->spread(&l);
}

/** What lies in the edges to where it belongs. */
static void fold(const struct gridrec *g, float *grid)
{
	const long nx = 2 * g->n[0], ny = g->n[1], pitch = g->pitch, edge = 2 * EDGE;

	for (long e = 0; e < EDGE; e++)
		for (long i = 0; i < pitch; i++) {
			grid[(ny + e) * pitch + i] += grid[e * pitch + i];
			grid[(EDGE + e) * pitch + i] += grid[(EDGE + ny + e) * pitch + i];
		}

	for (long j = EDGE; j < EDGE + ny; j++)
		for (long i = 0; i < edge; i++) {
			float *line = grid + j * pitch;

			line[nx + i] += line[i];
			line[edge + i] += line[edge + nx + i];
		}
}

/** Along y: GROUP columns from column u of the spectrum on become lines of the slices. */
static void transform_columns(const struct gridrec *g, struct gridrec_room *r, long u)
{
	const long m = min_long(GROUP, g->n[0] - u), n = g->n[1], ny = g->grid->size[1], apart = apart_of(g);
	float *grid = r->grid + EDGE * g->pitch + 2 * (EDGE + u);

	for (long j = 0; j < n; j++)
		for (long i = 0; i < m; i++)
			memcpy(r->columns + i * apart + 2 * j, grid + j * g->pitch + 2 * i, 2 * sizeof *grid);

	for (long i = 0; i < m; i++)
		fft_line_run(g->along[1], r->done + i * apart, r->columns + i * apart);

	for (long j = 0; j < ny; j++) {
		const long y = (j - ny / 2 + n) % n;

		for (long i = 0; i < m; i++)
			memcpy(grid + j * g->pitch + 2 * i, r->done + i * apart + 2 * y, 2 * sizeof *grid);
	}
}

/** Along x: lines [y, y + m) of the slices. */
static void transform_lines(const struct gridrec *g, struct gridrec_room *r, long y, long m)
{
	const struct gridrec_kernels *kernels = gridrec_kernels();
	const long nx = g->grid->size[0], half = nx / 2, n = g->n[0];

	for (long j = 0; j < m; j++) {
		float *re = r->lines[0] + j * nx, *im = r->lines[1] + j * nx;
		const float scale = g->factor[1][y + j];

		fft_line_run(g->along[0], r->done, r->grid + (EDGE + y + j) * g->pitch + 2 * EDGE);
		kernels->split(half, re, im, r->done + 2 * (n - half), g->factor[0], scale);
		kernels->split(nx - half, re + half, im + half, r->done, g->factor[0] + half, scale);
	}
}

void gridrec_pair(const struct gridrec *g, struct gridrec_room *r, const struct gridrec_files *files, long z)
{
	const long ny = g->grid->size[1];

	memset(r->grid, 0, (size_t)((g->n[1] + 2 * EDGE) * g->pitch) * sizeof *r->grid);
	memset(r->line, 0, (size_t)(2 * g->padded) * sizeof *r->line);

	for (long k = 0; k < g->f->g->views; k++)
		add_view(g, r, k, files, z);

	fold(g, r->grid);

	for (long u = 0; u < g->n[0]; u += GROUP)
		transform_columns(g, r, u);

	for (long y = 0; y < ny; y += LINES) {
		const long m = min_long(LINES, ny - y);

		transform_lines(g, r, y, m);

		for (int part = 0; part < 2 && z + part < g->grid->size[2]; part++)
			files->store(files->ctx, z + part, y, m, r->lines[part]);
	}
}
