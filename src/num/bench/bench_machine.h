#ifndef NUM_BENCH_BENCH_MACHINE_H
#define NUM_BENCH_BENCH_MACHINE_H

/** Description of the program and the machine of a measurement, needed to interpret its numbers. */
struct bench_machine {
	char cpu[128];
	long cores, threads;
	const char *isa; // that the kernels use
	double memory;   // [bytes]
	char system[128];
	const char *compiler, *loops, *version;
	char date[32]; // UTC, ISO 8601
};

extern void bench_machine(struct bench_machine *m);

/** Memory available without swapping [bytes]. */
extern double bench_memory_free(void);
/** Memory of this process without file pages [bytes]: the current value, and the maximum since
 * bench_memory_reset().
 */
extern double bench_memory_now(void);
extern double bench_memory_peak(void);
extern void bench_memory_reset(void);

#endif
