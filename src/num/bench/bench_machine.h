#ifndef NUM_BENCH_BENCH_MACHINE_H
#define NUM_BENCH_BENCH_MACHINE_H

/** What a measurement was made on and with; numbers without that say little. */
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

/** Memory that can be had without swapping [bytes]. */
extern double bench_memory_free(void);
/** Memory of this process that is not of files [bytes]: at present, and the most since bench_memory_reset().
 */
extern double bench_memory_now(void);
extern double bench_memory_peak(void);
extern void bench_memory_reset(void);

#endif
