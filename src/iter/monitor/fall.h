#ifndef ITER_MONITOR_FALL_H
#define ITER_MONITOR_FALL_H

/**
 * Samples of an objective during a run, at intervals below a twentieth of the iterations, to estimate how far
 * the run is from convergence. For a method whose excess over the minimum after k iterations is C / k, the
 * decrease over the last half of the iterations equals that excess. For faster methods the decrease is
 * larger.
 */
enum { FALL_MARKS = 512 };

struct fall {
	long n;
	struct {
		long k;
		double f;
	} mark[FALL_MARKS];
};

/** Records the objective after k iterations, with increasing k. NaN is ignored. */
extern void fall_add(struct fall *s, long k, double f);

/** |f before - f| / |f| over the last `part` (0 to 1) of all iterations; NAN if unknown. */
extern double fall_over(const struct fall *s, double part);

#endif
