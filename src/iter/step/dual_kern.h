#ifndef ITER_STEP_DUAL_KERN_H
#define ITER_STEP_DUAL_KERN_H

#include "iter/step/dual.h"
#include "iter/step/fold.h"

/** A pass of dual.h over fields of vectors. */
enum dual_action { DUAL_ASCEND, DUAL_CLIMB, DUAL_MEASURE };

struct dual_pass {
	enum dual_action action;
	const struct field *f;
	double s, radius, beta;
	void *p, *q, *g;
};

enum { DUAL_RUN = 1024 }; // most numbers of a call

/** Processes n <= DUAL_RUN numbers of each of K components, from number `at` on. Bit-identical for every
 * instruction set; the functions for AVX2 and AVX-512 exist on x86-64 only. */
typedef void dual_kern(const struct dual_pass *a, int K, long at, long n, double sum[FOLD_SUMS]);

extern dual_kern dual_kern_plain, dual_kern_avx2, dual_kern_avx512;

#endif
