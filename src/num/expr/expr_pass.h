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
/** Computes the scalars that `stage` may use. Called before each pass, and for the last stage at the end. */
extern void expr_run_scalars(struct expr_run *r, int stage);
/** expr_run_count() adds the counters of a pass. expr_run_reduced() stores its reductions, at its end. */
extern void expr_run_count(struct expr_run *r, const struct loop_worker *w);
/** Like expr_run_count(), for n workers of a pass that ranks share: adds the counts of all ranks. w[k] is
 * NULL if worker k had nothing to do. */
extern void expr_run_count_shared(struct expr_run *r, int n, struct loop_worker *const w[]);
extern void expr_run_reduced(struct expr_run *r, const struct expr_pass *q, const struct kern_acc acc[]);
/** Reports values that were clipped, were outside a real domain or exceeded 64 bits: by a warning, or by
 * error() if the rules require it. Output i has the name names[i], the stored type types[i] and counts[i]
 * values. */
extern void expr_run_report(
        const struct expr_run *r, const char *const names[], const enum dtype types[], const long counts[]);
extern void expr_run_end(struct expr_run *r);

/** Size of the parts of a pass that are reduced separately [elements]; the same for any number of threads. */
enum { EXPR_PART = SLAB_BLOCK };

/** Accumulators of `parts` parts and of their sum: acc[part * reductions + k]. The caller frees them. */
extern struct kern_acc *expr_run_accumulators(const struct expr_pass *q, long parts);
/** Combines the accumulators in the order of the parts; returns the accumulators of the result. */
extern const struct kern_acc *expr_run_merge(const struct expr_pass *q, struct kern_acc *acc, long parts);

#endif
