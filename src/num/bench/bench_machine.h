#ifndef NUM_BENCH_BENCH_MACHINE_H
#define NUM_BENCH_BENCH_MACHINE_H

/** Describes the program and the machine of a measurement. */
struct bench_machine {
	char cpu[128];
	long cores, threads;
	const char *isa; // instruction set of the kernels
	double memory;   // [bytes]
	char system[128];
	const char *compiler, *loops, *version;
	char date[32]; // UTC, ISO 8601
};

extern void bench_machine(struct bench_machine *m);

/** Returns the memory available without swapping [bytes]. */
extern double bench_memory_free(void);
/**
 * These functions measure memory of this process, without file pages [bytes]:
 * - bench_memory_now(): Current value.
 * - bench_memory_peak(): Maximum since bench_memory_reset().
 */
extern double bench_memory_now(void);
extern double bench_memory_peak(void);
extern void bench_memory_reset(void);

#endif
