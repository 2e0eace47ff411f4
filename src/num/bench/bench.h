#ifndef NUM_BENCH_BENCH_H
#define NUM_BENCH_BENCH_H

#include "num/bench/bench_hand.h"

/**
 * Benchmarks of several implementations (contenders) of the same work, which alternate in every round.
 * Results are medians over the rounds and ratios of medians. A suite is one file bench_suite_NAME.c with a
 * struct bench_suite bench_suite_NAME; the Makefile finds it and gantry bench lists it.
 */

/** A contender. */
struct bench_contender {
	const char *name;
	void (*run)(void *ctx); // once; its result in the case's output
	void *ctx;
	double (*seconds)(void *ctx); // what counts of the last run, by clocks in it; NULL: all of it
	bool settle;                  // leaves threads that spin for a while (those of other libraries)
	long array_bytes; // over 0: its allocations of at least half that size are counted, and its memory
	double updates;   // voxel-views (projectors) or taps (filters) of one run; 0 = not stated
};

/** A case: one row of contenders. */
struct bench_case {
	const char *name;
	char shape[64];             // e.g. "256 x 256 x 256 float32"
	double bytes, flops;        // that any of them moves and does at least; 0 = not stated
	int hand;                   // the contender that the others are compared with; -1 = none
	double (*check)(void *ctx); // after each contender's first run: a number that must agree; may be NULL
	void *check_ctx;
	double tolerance; // relative, of that number
	int most_rounds;  // 0 = as many as asked for
};

/** The result of a contender. */
struct bench_result {
	const char *suite, *name, *contender; // constants of the suites
	char shape[64];
	int rounds;
	double ms, ms_min, ms_max; // median
	double gbs, gflops, gups;  // NAN: not stated
	double vs_hand;            // ms / ms of the hand-written; NAN: none
	double vs_triad;           // GB/s / GB/s of the triad in the same rounds; NAN: none
	long temporaries;          // array-sized allocations of a run; -1: not counted
	double peak_bytes;         // memory touched beyond that before the run; NAN: not measured
};

struct bench_settings {
	int rounds;
	long n;                         // of sizes given
	long *size;                     // sizes given, else those of the suite
	const char *only;               // a part of the names of cases that are measured; NULL: all
	long steps, radius, picture[2]; // of suites that have steps, windows and pictures; picture: [pixels]
};

struct bench;
struct bench_suite {
	const char *name, *about;
	long sizes[4]; // when none are given; 0 ends the list
	/** Measures at one size. */
	void (*run)(struct bench *b, long size);
	/** Like run(), on the GPU in use, at the sizes gpu_sizes; NULL: run() is used on the GPU, too. */
	void (*run_gpu)(struct bench *b, long size);
	long gpu_sizes[4];
};

extern struct bench *bench_create(const struct bench_settings *s);
extern void bench_free(struct bench *b);
extern const struct bench_settings *bench_settings(const struct bench *b);
extern void bench_run(struct bench *b, const struct bench_suite *s);

/** Functions that suites call. bench_triad() sets the arrays of the triad (n float32 each, 64-byte aligned)
 * that is also measured in all following cases; n = 0: no triad. */
extern void bench_triad(struct bench *b, long n, float *z, const float *x, const float *y);
/** Whether a case of this name is requested; if not, its arrays need not be prepared. */
extern bool bench_wants(const struct bench *b, const char *name);
/** Measures a case and prints the results, if the case is requested. */
extern void bench_case(
        struct bench *b, const struct bench_case *c, int n, const struct bench_contender who[]);
/** Prints a line that states which measurement is omitted and why. */
extern void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** Whether `bytes` bytes of memory are free (and GANTRY_MEM allows them); else prints a note that names
 * `what`. */
extern bool bench_fits(double bytes, const char *what);
/** New float32 array of n elements in [0.5, 1.5), determined by the seed. The caller frees it. */
extern float *bench_random(long n, unsigned long seed);

extern long bench_results(const struct bench *b, const struct bench_result **r);

#endif
