#ifndef NUM_BENCH_BENCH_H
#define NUM_BENCH_BENCH_H

#include "num/bench/bench_hand.h"

/** Benchmarks compare several implementations of the same work, called contenders. Contenders alternate in
 * every round. Results are medians over the rounds, and ratios of medians. A suite is a struct bench_suite
 * bench_suite_NAME in a file bench_suite_NAME.c. */

/** A contender is an implementation that is measured. */
struct bench_contender {
	const char *name;
	void (*run)(void *ctx); // runs once and stores the result in the output of the case
	void *ctx;
	double (*seconds)(void *ctx); // part of the last run's time that counts; NULL means all
	bool settle;                  // leaves threads busy for a while after a run
	long array_bytes;             // size of an array; 0 means that memory is not measured
	double updates; // voxels times views (projectors) or filter taps of one run; 0 means unknown
};

/** A case compares several contenders. */
struct bench_case {
	const char *name;
	char shape[64];             // such as "256 x 256 x 256 float32"
	double bytes, flops;        // minimum that a contender needs; 0 means unknown
	int hand;                   // number of the contender with which others are compared, or -1
	double (*check)(void *ctx); // number on which contenders must agree, or NULL
	void *check_ctx;
	double tolerance; // relative tolerance of this number
	int most_rounds;  // maximum number of rounds; 0 means no maximum
};

/** Contains the results of a contender. */
struct bench_result {
	const char *suite, *name, *contender; // static strings
	char shape[64];
	int rounds;
	double ms, ms_min, ms_max; // ms is the median
	double gbs, gflops, gups;  // NAN means unknown
	double vs_hand;            // time relative to contender `hand`, per update if known; NAN means none
	double vs_triad;           // GB/s relative to the triad in the same rounds; NAN means no triad
	long temporaries;          // allocations of at least array_bytes / 2 in a run; -1 means not counted
	double peak_bytes;         // additional memory used by the run; NAN means not measured
};

struct bench_settings {
	int rounds;
	long n;           // number of sizes given by the user
	long *size;       // sizes given by the user, instead of those of the suite
	const char *only; // only cases with this text in their name are measured; NULL means all
	long steps, radius, picture[2]; // parameters of some suites; picture size in pixels
};

struct bench;
struct bench_suite {
	const char *name, *about;
	long sizes[4]; // default sizes; 0 ends the list
	/** Measures all cases at one size. */
	void (*run)(struct bench *b, long size);
	/** Like run(), but measures the GPU in use, with sizes gpu_sizes. If NULL, run() is also used on the
	 * GPU. */
	void (*run_gpu)(struct bench *b, long size);
	long gpu_sizes[4];
};

extern struct bench *bench_create(const struct bench_settings *s);
extern void bench_free(struct bench *b);
extern const struct bench_settings *bench_settings(const struct bench *b);
extern void bench_run(struct bench *b, const struct bench_suite *s);

/** Sets the arrays of the triad: n float32 each, aligned to 64 bytes. The triad is then measured in every
 * case. If n is 0, no triad is measured. */
extern void bench_triad(struct bench *b, long n, float *z, const float *x, const float *y);
/** Returns whether a case of this name is requested. Arrays of other cases need not be prepared. */
extern bool bench_wants(const struct bench *b, const char *name);
/** Measures a case and prints the results, if the case is requested. */
extern void bench_case(
        struct bench *b, const struct bench_case *c, int n, const struct bench_contender who[]);
/** Prints a line that states which measurement is omitted and why. */
extern void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** Returns whether `bytes` bytes of memory are free and allowed by GANTRY_MEM. If memory is insufficient,
 * prints a note about `what`. */
extern bool bench_fits(double bytes, const char *what);
/** Returns n random float32 numbers in [0.5, 1.5), which depend on `seed`. The caller frees the array. */
extern float *bench_random(long n, unsigned long seed);

extern long bench_results(const struct bench *b, const struct bench_result **r);

#endif
