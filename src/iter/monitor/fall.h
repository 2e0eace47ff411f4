#ifndef ITER_MONITOR_FALL_H
#define ITER_MONITOR_FALL_H

/** Samples of the objective f during a run. The samples are used to estimate the error of f, which is f minus
 * its minimum. If the error after k iterations is `C / k`, f fell by this error in the last `k / 2`
 * iterations. If the algorithm converges faster, the error is smaller than the decrease. */
enum { FALL_MARKS = 512 }; // largest number of samples

struct fall {
	long n; // number of samples
	struct {
		long k;   // iteration
		double f; // objective
	} mark[FALL_MARKS];
};

/** Records the objective f after k iterations. From call to call, k must increase. A NaN objective is
 * ignored. */
extern void fall_add(struct fall *s, long k, double f);

/** Returns the relative decrease of the objective over the last fraction `part` of all iterations. NAN means
 * unknown. */
extern double fall_over(const struct fall *s, double part);

#endif
