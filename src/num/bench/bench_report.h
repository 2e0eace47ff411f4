#ifndef NUM_BENCH_BENCH_REPORT_H
#define NUM_BENCH_BENCH_REPORT_H

#include "num/bench/bench.h"
#include "num/bench/bench_machine.h"

/** Prints the machine and the column titles to standard output. */
extern void bench_print_machine(const struct bench_machine *m, int rounds);

/** Prints the results of a case. */
extern void bench_print_case(const struct bench_result r[], int n);

/**
 * These functions write all results to a file and close the file:
 * - bench_write_csv(): Writes one line per result and machine. Unknown numbers are empty.
 * - bench_write_json(): Writes one object with "machine" and "results". Unknown numbers are null.
 */
struct file_out;
extern void bench_write_csv(
        struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n);
extern void bench_write_json(
        struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n);

#endif
