#ifndef NUM_EXPR_EXPR_PASS_H
#define NUM_EXPR_EXPR_PASS_H

#include "num/expr/expr_loop.h"
#include "num/shape/slabs.h"

/** One run of a plan: its scalars and counters, for arrays and files. */
struct expr_run {
	const struct expr_plan *plan;
	unsigned char (*scalars)[16]; // per node
	bool *known;                  // per node
	long lost[EXPR_OPERANDS];
	long *missing; // per check
	int cut;       // passes with neighbours over arrays: as in struct stencil_work
	long from, to;
};

extern void expr_run_start(struct expr_run *r, const struct expr_plan *p);
/** Computes the scalars that `stage` may use: before each pass, and with the last stage at the end. */
extern void expr_run_scalars(struct expr_run *r, int stage);
/** Adds a pass's counters and, at its end, stores its reductions. */
extern void expr_run_count(struct expr_run *r, const struct loop_worker *w);
/** Like expr_run_count() for n workers (NULL: had no work) of a pass that ranks share; the counts of all
 * ranks are added. */
extern void expr_run_count_shared(struct expr_run *r, int n, struct loop_worker *const w[]);
extern void expr_run_reduced(struct expr_run *r, const struct expr_pass *q, const struct kern_acc acc[]);
/** Reports values that were clipped, were missing or exceeded 64 bits: by a warning, or by error() if the
 * rules require it. names[i] and counts[i] of the outputs; types[i] are the stored types. */
extern void expr_run_report(
        const struct expr_run *r, const char *const names[], const enum dtype types[], const long counts[]);
extern void expr_run_end(struct expr_run *r);

/** The parts of a pass over which reductions are formed: fixed, for any number of threads. [elements] */
enum { EXPR_PART = SLAB_BLOCK };

/** Accumulators of `parts` parts and of their sum: acc[part * reductions + k]. The caller frees them. */
extern struct kern_acc *expr_run_accumulators(const struct expr_pass *q, long parts);
/** Combines the accumulators in the order of the parts; returns the accumulators of the result. */
extern const struct kern_acc *expr_run_merge(const struct expr_pass *q, struct kern_acc *acc, long parts);

#endif
