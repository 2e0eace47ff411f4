#ifndef NUM_BENCH_BENCH_BLAS_H
#define NUM_BENCH_BENCH_BLAS_H

/** These functions call OpenBLAS directly, with tool_threads() threads. Every call sets OpenBLAS back to one
 * thread, as num/md/blas.h requires. */
struct bench_blas;

/** Opens the library. If the library is missing, prints a note and returns NULL. */
extern const struct bench_blas *bench_blas_open(void);

/** Adds a x to y. */
extern void bench_blas_saxpy(const struct bench_blas *b, long n, float a, const float *x, float *y);
/** Computes C (m x n) = A (m x k) B (k x n). Matrices are column-major. */
extern void bench_blas_sgemm(
        const struct bench_blas *b, long m, long n, long k, const float *A, const float *B, float *C);
/** Computes `y = A x`, or `y = A' x` if `transposed`, for A (m x n). */
extern void bench_blas_sgemv(
        const struct bench_blas *b, int transposed, long m, long n, const float *A, const float *x, float *y);

#endif
