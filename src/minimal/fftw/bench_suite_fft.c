/** Benchmarks of Fourier transforms in a build without FFTW: only transforms on the GPU. */

#include "num/bench/bench.h"
#include "num/bench/bench_gpu.h"

static void bench_fft_run(struct bench *b, long size)
{
	(void)b;
	bench_note(
	        "transforms of %ld^3 left out: this build has no FFTW; with -g those of the GPU are measured",
	        size);
}

const struct bench_suite bench_suite_fft = {
        .name = "fft",
        .about = "Fourier transforms of lines, slices and volumes",
        .sizes = {128, 256},
        .run = bench_fft_run,
        .run_gpu = bench_gpu_fft,
        .gpu_sizes = {128, 256, 512},
};
