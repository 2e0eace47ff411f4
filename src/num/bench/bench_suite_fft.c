/** Fourier transforms of lines, slices and volumes, against FFTW called directly with as many threads. */

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <fftw3.h>

#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/bench/bench.h"
#include "num/bench/bench_gpu.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"

/* What is transformed: `count` pieces of rank 1 to 3, one after the other. */
struct work {
	int rank;
	bool real;
	long size, count, points; // per piece
	complex float *in, *out;
	fftwf_plan plan; // of one piece
};

static void run_ours(void *ctx)
{
	const struct work *w = ctx;
	const long dims[3] = {w->size, w->size, w->size};

	if (w->real)
		fft_r2c(w->size, w->count, DT_FLOAT32, w->out, w->in);
	else
		fft(3, dims, (1ul << w->rank) - 1, 0, DT_COMPLEX64, w->out, w->in);
}

static void run_fftw(void *ctx)
{
	const struct work *w = ctx;
	long outputs = w->size / 2 + 1;

#pragma omp parallel for schedule(static) if (w->count > 1)
	for (long i = 0; i < w->count; i++) {
		if (w->real)
			fftwf_execute_dft_r2c(w->plan, (float *)w->in + i * w->size, w->out + i * outputs);
		else
			fftwf_execute_dft(w->plan, w->in + i * w->points, w->out + i * w->points);
	}
}

static double check(void *ctx)
{
	const struct work *w = ctx;
	long outputs = w->real ? w->count * (w->size / 2 + 1) : w->count * w->points;

	return vec_norm(DT_COMPLEX64, outputs, w->out);
}

/* FFTW's own threads, for a transform that is one piece. Whether there are any. */
static bool plan_with_threads(int n)
{
	static bool tried;
	static void (*set)(int n);

	if (!tried) {
		void *lib = dlopen("libfftw3f_threads.so.3", RTLD_NOW | RTLD_LOCAL);
		int (*init)(void) = NULL;

		tried = true;

		if (lib)
			*(void **)&init = dlsym(lib, "fftwf_init_threads");

		if (init && 0 != init())
			*(void **)&set = dlsym(lib, "fftwf_plan_with_nthreads");

		if (!set)
			bench_note(
			        "FFTW's 3-D transform runs in one thread: libfftw3f_threads.so.3 not found");
	}

	if (set)
		set(n);

	return NULL != set;
}

/* Planning overwrites the arrays unless `how` is FFTW_ESTIMATE. */
static fftwf_plan make_plan(const struct work *w, unsigned how)
{
	const int n[3] = {(int)w->size, (int)w->size, (int)w->size};
	bool threads = 1 == w->count && plan_with_threads(tool_threads());
	fftwf_plan p = w->real ? fftwf_plan_dft_r2c_1d(n[0], (float *)w->in, w->out, how | FFTW_UNALIGNED)
	                       : fftwf_plan_dft(w->rank, n, w->in, w->out, FFTW_FORWARD,
	                                 how | (w->count > 1 ? FFTW_UNALIGNED : 0));

	if (threads)
		plan_with_threads(1);

	return p;
}

static void fill(const struct work *w)
{
	float *x = (float *)w->in;

	for (long i = 0; i < 2 * w->count * w->points; i++)
		x[i] = (float)(i % 1009) / 1009.f - .5f;
}

static void bench_transform(struct bench *b, struct work *w, const char *name, const char *pieces)
{
	double points = (double)w->points * (double)w->count;
	struct work measured = *w;
	struct bench_case c = {.name = name,
	        .hand = 1,
	        .bytes = (w->real ? 8. : 16.) * points,
	        .flops = (w->real ? 2.5 : 5.) * points * log2((double)w->points),
	        .check = check,
	        .check_ctx = w,
	        .tolerance = 1e-5};
	const struct bench_contender who[] = {{.name = "fft", .run = run_ours, .ctx = w},
	        {.name = "FFTW", .run = run_fftw, .ctx = w, .settle = true},
	        {.name = "FFTW, measured plan", .run = run_fftw, .ctx = &measured, .settle = true}};

	snprintf(c.shape, sizeof c.shape, "%ld %s %s", w->count, pieces, w->real ? "float32" : "complex64");
	measured.plan = make_plan(w, FFTW_MEASURE);
	w->plan = make_plan(w, FFTW_ESTIMATE);
	fill(w);
	bench_case(b, &c, 3, who);
	fftwf_destroy_plan(w->plan);
	fftwf_destroy_plan(measured.plan);
}

static void bench_fft_run(struct bench *b, long size)
{
	const long dims[3] = {size, size, size};
	struct work w = {.size = size};
	long n = md_calc_size(3, dims);
	char pieces[40];

	snprintf(pieces, sizeof pieces, "%ld^3 complex64", size);

	if (!bench_fits(28. * (double)n, pieces))
		return;

	float *triad[3] = {bench_random(n, 0), bench_random(n, 1), bench_random(n, 2)};

	w.in = mem_alloc((size_t)n * sizeof *w.in);
	w.out = mem_alloc((size_t)(n + n / size) * sizeof *w.out);
	bench_triad(b, n, triad[0], triad[1], triad[2]);

	for (w.rank = 1; w.rank <= 3; w.rank++) {
		const char *const names[] = {"lines", "slices", "volume"};

		w.points = (1 == w.rank) ? size : (2 == w.rank) ? size * size : n;
		w.count = n / w.points;
		snprintf(pieces, sizeof pieces, (1 == w.rank) ? "x %ld" : "x %ld^%d", size, w.rank);
		bench_transform(b, &w, names[w.rank - 1], pieces);
	}

	w.rank = 1;
	w.real = true;
	w.points = size;
	w.count = n / size;
	snprintf(pieces, sizeof pieces, "x %ld", size);
	bench_transform(b, &w, "real lines", pieces);
	free(w.in);
	free(w.out);

	for (int i = 0; i < 3; i++)
		free(triad[i]);
}

const struct bench_suite bench_suite_fft = {
        .name = "fft",
        .about = "Fourier transforms of lines, slices and volumes, compared with direct calls of FFTW",
        .sizes = {128, 256},
        .run = bench_fft_run,
        .run_gpu = bench_gpu_fft,
        .gpu_sizes = {128, 256, 512},
};
