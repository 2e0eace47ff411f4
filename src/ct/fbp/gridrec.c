/* [1] J. D. O'Sullivan, A fast sinc function gridding algorithm for Fourier inversion in computer tomography,
 * IEEE TMI 4(4), 1985. [2] P. J. Beatty, D. G. Nishimura, J. M. Pauly, Rapid gridding reconstruction with a
 * minimal oversampling ratio, IEEE TMI 24(6), 2005.
 *
 * With column = m . x + c, f(x) = sum over views and frequencies w of Q(w) exp(2 pi i w (m . x + c)): the
 * sample at the place w m of the slice's spectrum. Two slices are the real and imaginary part of one. */

#include "ct/fbp/gridrec.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp_internal.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/fft/fft.h"

enum { WIDTH = 6, TABLE = 1024 }; // of the kernel [samples]; its table [entries per sample]

struct plan {
	const struct fbp *f;
	const struct grid *grid;
	enum dtype type;
	long padded, n; // samples of a line; of the slice along x and y
	double beta;
	double kernel[(WIDTH / 2 + 1) * TABLE + 2];
	double *apodization; // of index -n/2 .. n/2
};

void gridrec_check(const struct fbp *f, const struct grid *grid, const char *name)
{
	const struct fbp_view *a = f->view;

	if (!f->g->parallel || f->g->radius > 0.)
		error("%s: --method gridrec is for a parallel beam on a flat detector", name);

	if (fabs(grid->spacing[0] - grid->spacing[1]) > 1e-9 * fabs(grid->spacing[0]))
		error("--spacing %g:%g, but --method gridrec needs voxels as long along y as along x",
		        grid->spacing[0], grid->spacing[1]);

	for (long k = 0; k < f->g->views; k++) {
		const struct fbp_view *v = f->view + k;
		const double tilt = hypot(v->to[1][0], v->to[1][1]);

		if (!v->untilted || tilt > 1e-9 * fabs(v->to[1][2]) ||
		        fabs(v->to[1][2] - a->to[1][2]) > 1e-9 || fabs(v->to[1][3] - a->to[1][3]) > 1e-6)
			error("%s: view %ld is tilted or shifted along z, which --method gridrec does not "
			      "support",
			        name, k);
	}
}

static double bessel_ratio(double x, double beta)
{
	double term = 1., sum = 1.;

	for (int k = 1; term > 1e-17 * sum; k++) {
		term *= 0.25 * x * x / ((double)k * (double)k);
		sum += term;
	}

	return sum * exp(-beta);
}

/** Twice the extent of what the detector sees, or of the volume. */
static long slice_samples(const struct fbp *f, const struct grid *grid)
{
	const double pitch = 1. / hypot(f->view[0].to[0][0], f->view[0].to[0][1]);
	const double seen = (double)f->cols * pitch / fabs(grid->spacing[0]);
	const double most =
	        fmax(seen, (double)((grid->size[0] > grid->size[1]) ? grid->size[0] : grid->size[1]));

	return 2 * fft_good_size((long)ceil(most) + 2);
}

static void plan_init(struct plan *p)
{
	const double ratio = (double)WIDTH / 2. * 1.5;

	p->padded = fft_good_size(2 * p->f->cols);
	p->n = slice_samples(p->f, p->grid);
	p->beta = M_PI * sqrt(ratio * ratio - 0.8);
	p->apodization = mem_alloc((size_t)(p->n + 1) * sizeof *p->apodization);

	for (long i = 0; i < (long)(sizeof p->kernel / sizeof p->kernel[0]); i++) {
		const double t = 2. * (double)i / TABLE / WIDTH;

		p->kernel[i] = (t <= 1.) ? bessel_ratio(p->beta * sqrt(1. - t * t), p->beta) : 0.;
	}

	for (long i = 0; i <= p->n; i++) {
		const double x = M_PI * WIDTH * (double)(i - p->n / 2) / (double)p->n,
		             z2 = p->beta * p->beta - x * x, z = sqrt(fabs(z2));

		p->apodization[i] = WIDTH * exp(-p->beta) *
		                    ((z < 1e-12)        ? 1.
		                            : (z2 > 0.) ? sinh(z) / z
		                                        : sin(z) / z);
	}
}

static double kernel_at(const struct plan *p, double t)
{
	const double at = fabs(t) * TABLE;
	const long i = (long)at;

	return p->kernel[i] + (at - (double)i) * (p->kernel[i + 1] - p->kernel[i]);
}

/** A filtered line of view k at slice z: linear between rows, 0 beyond. */
static void add_slice(
        const struct plan *p, const void *q, long k, long z, complex double unit, complex double *line)
{
	const struct fbp *f = p->f;
	const double row = f->view[k].to[1][2] * (p->grid->origin[2] + (double)z * p->grid->spacing[2]) +
	                   f->view[k].to[1][3];
	const double low = floor(row);

	for (int i = 0; i < 2; i++) {
		const double w = i ? row - low : 1. - (row - low);
		const long b = (long)fmax(-2., fmin(low, 1e9)) + i;

		if (b < 0 || b >= f->g->rows || 0. == w)
			continue;

		const long at = (k * f->g->rows + b) * f->cols;

		for (long a = 0; a < f->cols; a++)
			line[a] += unit * w *
			           ((DT_FLOAT32 == p->type) ? (double)((const float *)q)[at + a]
			                                    : ((const double *)q)[at + a]);
	}
}

/** A sample of the spectrum, at (u, v) of the grid. */
static void spread(const struct plan *p, double u, double v, complex double value, complex double *grid)
{
	const long n = p->n, i0 = (long)ceil(u - WIDTH / 2.), j0 = (long)ceil(v - WIDTH / 2.);
	double along[WIDTH];

	for (int i = 0; i < WIDTH; i++)
		along[i] = kernel_at(p, (double)(i0 + i) - u);

	for (int j = 0; j < WIDTH; j++) {
		const complex double part = value * kernel_at(p, (double)(j0 + j) - v);
		complex double *line = grid + ((j0 + j) % n + n) % n * n;

		for (int i = 0; i < WIDTH; i++)
			line[((i0 + i) % n + n) % n] += along[i] * part;
	}
}

/** Slices z and z + 1 of all views into the grid of their spectrum. */
static void gather(const struct plan *p, const void *q, long z, complex double *grid, complex double *line)
{
	const struct fbp *f = p->f;
	const long size[1] = {p->padded}, n = p->padded;
	const double s = p->grid->spacing[0];
	double middle[2];

	for (int i = 0; i < 2; i++) // the voxel of index n / 2 of the transform
		middle[i] = p->grid->origin[i] + (double)(p->grid->size[i] / 2) * p->grid->spacing[i];

	for (long k = 0; k < f->g->views; k++) {
		const double *m = f->view[k].to[0];
		const double c = m[0] * middle[0] + m[1] * middle[1] + m[3];

		memset(line, 0, (size_t)n * sizeof *line);
		add_slice(p, q, k, z, 1., line);

		if (z + 1 < p->grid->size[2])
			add_slice(p, q, k, z + 1, I, line);

		fft(1, size, 1, 0, DT_COMPLEX128, line, line);

		for (long i = -(n - 1) / 2; i <= (n - 1) / 2; i++) {
			const double w = (double)i / (double)n, u = w * m[0] * s * (double)p->n,
			             v = w * m[1] * s * (double)p->n;

			if (fabs(u) > 0.5 * (double)p->n || fabs(v) > 0.5 * (double)p->n)
				continue; // finer than voxels show

			spread(p, u, v, line[(i < 0) ? i + n : i] * cexp(2. * M_PI * I * w * c) / (double)n,
			        grid);
		}
	}
}

static void store(const struct plan *p, long z, const complex double *grid, void *vol)
{
	const long nx = p->grid->size[0], ny = p->grid->size[1], n = p->n;

	for (int part = 0; part < 2 && z + part < p->grid->size[2]; part++)
		for (long j = 0; j < ny; j++)
			for (long i = 0; i < nx; i++) {
				const long x = i - nx / 2, y = j - ny / 2;
				const complex double g = grid[(y + n) % n * n + (x + n) % n];
				const double value = (part ? cimag(g) : creal(g)) /
				                     (p->apodization[x + n / 2] * p->apodization[y + n / 2]);
				const long at = ((z + part) * ny + j) * nx + i;

				if (DT_FLOAT32 == p->type)
					((float *)vol)[at] = (float)value;
				else
					((double *)vol)[at] = value;
			}
}

long gridrec_memory(const struct fbp *f, const struct grid *grid)
{
	const long n = slice_samples(f, grid) + 1;

	return (n * n + 2 * fft_good_size(2 * f->cols)) * (long)sizeof(complex double);
}

void gridrec(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, const void *q)
{
	struct plan p = {.f = f, .grid = grid, .type = type};

	plan_init(&p);

	const long size[2] = {p.n, p.n}, room = tool_memory() / 4 / gridrec_memory(f, grid);
	const int threads = (room < 1) ? 1 : (room < tool_threads()) ? (int)room : tool_threads();

#pragma omp parallel num_threads(threads)
	{
		complex double *spectrum = mem_alloc((size_t)(p.n * p.n) * sizeof *spectrum),
		               *line = mem_alloc((size_t)p.padded * sizeof *line);

#pragma omp for schedule(dynamic)
		for (long z = 0; z < grid->size[2]; z += 2) {
			memset(spectrum, 0, (size_t)(p.n * p.n) * sizeof *spectrum);
			gather(&p, q, z, spectrum, line);
			fft(2, size, 3, FFT_INVERSE, DT_COMPLEX128, spectrum, spectrum);
			store(&p, z, spectrum, vol);
		}

		free(line);
		free(spectrum);
	}

	free(p.apodization);
}
