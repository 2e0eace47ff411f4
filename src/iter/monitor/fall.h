#ifndef ITER_MONITOR_FALL_H
#define ITER_MONITOR_FALL_H

/**
 * How an objective fell, remembered of some iterations, denser than every twentieth of their number: enough
 * to say how far a run still is from its end. A method whose excess over the minimum after k iterations is C
 * / k falls over the last half of them by just that excess; faster ones fall by more.
 */
enum { FALL_MARKS = 512 };

struct fall {
	long n;
	struct {
		long k;
		double f;
	} mark[FALL_MARKS];
};

/** The objective after k iterations, k growing from call to call. NaN is not taken. */
extern void fall_add(struct fall *s, long k, double f);

/** |f before - f| / |f| over the last `part` (0 to 1) of all iterations; NAN where that is unknown. */
extern double fall_over(const struct fall *s, double part);

#endif
