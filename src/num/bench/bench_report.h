#ifndef NUM_BENCH_BENCH_REPORT_H
#define NUM_BENCH_BENCH_REPORT_H

#include "num/bench/bench.h"
#include "num/bench/bench_machine.h"

/** Prints the machine and the column heads to standard output. */
extern void bench_print_machine(const struct bench_machine *m, int rounds);

/** Prints the contenders of a case. */
extern void bench_print_case(const struct bench_result r[], int n);

/** Writes all results into a file and closes it: as lines, each with one result and the machine, or as one
 * JSON object with "machine" and "results". Numbers that were not measured are empty (null in JSON). */
struct file_out;
extern void bench_write_csv(
        struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n);
extern void bench_write_json(
        struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n);

#endif
