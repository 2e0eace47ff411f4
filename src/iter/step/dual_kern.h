#ifndef ITER_STEP_DUAL_KERN_H
#define ITER_STEP_DUAL_KERN_H

#include "iter/step/dual.h"
#include "iter/step/fold.h"

/** Selects field_ascend(), field_climb() or field_measure() of iter/step/dual.h. */
enum dual_action { DUAL_ASCEND, DUAL_CLIMB, DUAL_MEASURE };

/** Arguments of the selected function of iter/step/dual.h. */
struct dual_pass {
	enum dual_action action;
	const struct field *f;
	double s, radius, beta;
	void *p, *q, *g;
};

enum { DUAL_RUN = 1024 }; // largest number of real numbers of a component in one call

/** Processes real numbers [at, at + n) of each of K components, where n <= DUAL_RUN. The results are
 * bit-identical for all instruction sets. The functions for AVX2 and AVX-512 exist only on x86-64. */
typedef void dual_kern(const struct dual_pass *a, int K, long at, long n, double sum[FOLD_SUMS]);

extern dual_kern dual_kern_plain, dual_kern_avx2, dual_kern_avx512;

#endif
