#ifndef NUM_BENCH_BENCH_BLAS_H
#define NUM_BENCH_BENCH_BLAS_H

/**
 * OpenBLAS called directly, with the number of threads of the measured program. The number of threads is set
 * before and reset after every call, since calls through num/md/blas.h use one thread.
 */
struct bench_blas;

/** Opens the library; NULL with a note if it is not available. */
extern const struct bench_blas *bench_blas_open(void);

/** y += a x. */
extern void bench_blas_saxpy(const struct bench_blas *b, long n, float a, const float *x, float *y);
/** C (m x n) = A (m x k) B (k x n), column-major. */
extern void bench_blas_sgemm(
        const struct bench_blas *b, long m, long n, long k, const float *A, const float *B, float *C);
/** y (m) = A (m x n) x, or with `transposed` y (n) = A' x. */
extern void bench_blas_sgemv(
        const struct bench_blas *b, int transposed, long m, long n, const float *A, const float *x, float *y);

#endif
