#ifndef NUM_EXPR_EXPR_PASS_H
#define NUM_EXPR_EXPR_PASS_H

#include "num/expr/expr_loop.h"
#include "num/shape/slabs.h"

/** Scalars and counters of one run of a plan. */
struct expr_run {
	const struct expr_plan *plan;
	unsigned char (*scalars)[16]; // per node
	bool *known;                  // per node
	long lost[EXPR_OPERANDS];
	long *missing; // per check
	int cut;       // dim along which passes with neighbours compute only [from, to); 0: none
	long from, to;
};

extern void expr_run_start(struct expr_run *r, const struct expr_plan *p);
/** Computes all scalars up to `stage`. Call this function before each pass and after the last pass. */
extern void expr_run_scalars(struct expr_run *r, int stage);
/** Adds the counters of worker w to the run. */
extern void expr_run_count(struct expr_run *r, const struct loop_worker *w);
/** Adds the counters of the n workers of all ranks. If worker k had nothing to do, w[k] is NULL. */
extern void expr_run_count_shared(struct expr_run *r, int n, struct loop_worker *const w[]);
/** Stores the reductions of a completed pass. */
extern void expr_run_reduced(struct expr_run *r, const struct expr_pass *q, const struct kern_acc acc[]);
/** Reports clipped values, values outside a real domain and integer overflows. The rules select a warning
 * or an error(). Output i has name names[i], stored type types[i] and counts[i] values. */
extern void expr_run_report(
        const struct expr_run *r, const char *const names[], const enum dtype types[], const long counts[]);
extern void expr_run_end(struct expr_run *r);

/** A pass reduces this many elements together, for any number of threads. */
enum { EXPR_PART = SLAB_BLOCK };

/** Returns accumulators `acc[part * reductions + k]` of `parts` parts and of the total. The caller frees the
 * accumulators. */
extern struct kern_acc *expr_run_accumulators(const struct expr_pass *q, long parts);
/** Combines the accumulators in the order of the parts and returns the total. */
extern const struct kern_acc *expr_run_merge(const struct expr_pass *q, struct kern_acc *acc, long parts);

#endif
