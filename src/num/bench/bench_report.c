#include "num/bench/bench_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

void bench_print_machine(const struct bench_machine *m, int rounds)
{
	printf("machine   %s, %ld cores, %s, %s\n", m->cpu, m->cores, human_bytes(m->memory), m->system);
	printf("program   gantry %s, %s, %s kernels, %ld threads, %s\n", m->version, m->compiler, m->isa,
	        m->threads, m->date);
	printf("by hand   %s\n", m->loops);
	printf("medians of %d rounds in which the contenders take turns; /hand: time in units of the "
	       "hand-written loop's; /triad: speed in units of the triad's\n\n",
	        rounds);
	printf("%-34s %10s %8s %8s %8s %7s %7s  %s\n", "", "ms", "GB/s", "GFLOP/s", "GUP/s", "/hand",
	        "/triad", "temporaries");
}

/* Prints a number with the given width, or a dash. */
static void print_number(int width, int digits, double x)
{
	if (isnan(x))
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, digits, x);
}

void bench_print_case(const struct bench_result r[], int n)
{
	printf("%s: %s, %s\n", r[0].suite, r[0].name, r[0].shape);

	for (int i = 0; i < n; i++) {
		printf("  %-32s", r[i].contender);
		print_number(10, 3, r[i].ms);
		print_number(8, 2, r[i].gbs);
		print_number(8, 2, r[i].gflops);
		print_number(8, 3, r[i].gups);
		print_number(7, 3, r[i].vs_hand);
		print_number(7, 3, r[i].vs_triad);

		if (r[i].temporaries >= 0)
			printf("  %ld, %s", r[i].temporaries, human_bytes(r[i].peak_bytes));

		printf("\n");
	}

	fflush(stdout);
}

/* The columns of both files: X(name, kind, value); T text, L whole number, D number. */
#define MACHINE_COLUMNS(X)                                                                                   \
	X("version", T, m->version)                                                                          \
	X("date", T, m->date)                                                                                \
	X("cpu", T, m->cpu)                                                                                  \
	X("cores", L, m->cores)                                                                              \
	X("threads", L, m->threads)                                                                          \
	X("isa", T, m->isa)                                                                                  \
	X("memory", D, m->memory)                                                                            \
	X("system", T, m->system)                                                                            \
	X("compiler", T, m->compiler)                                                                        \
	X("loops", T, m->loops)

#define RESULT_COLUMNS(X)                                                                                    \
	X("suite", T, r->suite)                                                                              \
	X("case", T, r->name)                                                                                \
	X("shape", T, r->shape)                                                                              \
	X("contender", T, r->contender)                                                                      \
	X("rounds", L, (long)r->rounds)                                                                      \
	X("ms", D, r->ms)                                                                                    \
	X("ms_min", D, r->ms_min)                                                                            \
	X("ms_max", D, r->ms_max)                                                                            \
	X("gb_per_s", D, r->gbs)                                                                             \
	X("gflop_per_s", D, r->gflops)                                                                       \
	X("gup_per_s", D, r->gups)                                                                           \
	X("vs_hand", D, r->vs_hand)                                                                          \
	X("vs_triad", D, r->vs_triad)                                                                        \
	X("temporaries", D, r->temporaries < 0 ? NAN : (double)r->temporaries)                               \
	X("peak_bytes", D, r->peak_bytes)

/* Numbers and text, in JSON and in CSV. */
static void json_T(struct str *s, const char *text)
{
	str_add_json(s, text);
}

static void json_L(struct str *s, long x)
{
	str_printf(s, "%ld", x);
}

static void json_D(struct str *s, double x)
{
	if (isnan(x))
		str_add(s, "null");
	else
		str_printf(s, "%.6g", x);
}

static void csv_T(struct str *s, const char *text)
{
	str_add(s, "\"");

	for (; *text; text++)
		str_printf(s, '"' == *text ? "\"\"" : "%c", *text);

	str_add(s, "\"");
}

static void csv_L(struct str *s, long x)
{
	json_L(s, x);
}

static void csv_D(struct str *s, double x)
{
	if (!isnan(x))
		json_D(s, x);
}

static void save(struct file_out *f, struct str *s)
{
	fwrite(s->data, 1, s->len, file_stream(f));
	file_commit(f);
	free(s->data);
}

void bench_write_csv(struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n)
{
	struct str s = {0};
	const char *comma = "";

#define X(name, kind, value) (str_printf(&s, "%s" name, comma), comma = ",");
	RESULT_COLUMNS(X)
	MACHINE_COLUMNS(X)
#undef X
	str_add(&s, "\n");

	for (const struct bench_result *end = r + n; r < end; r++) {
		comma = "";
#define X(name, kind, value) (str_add(&s, comma), csv_##kind(&s, value), comma = ",");
		RESULT_COLUMNS(X)
		MACHINE_COLUMNS(X)
#undef X
		str_add(&s, "\n");
	}

	save(f, &s);
}

void bench_write_json(
        struct file_out *f, const struct bench_machine *m, const struct bench_result r[], long n)
{
	struct str s = {0};
	const char *comma = "";

#define X(name, kind, value)                                                                                 \
	(str_printf(&s, "%s\n  \"" name "\": ", comma), json_##kind(&s, value), comma = ",");
	str_add(&s, "{\"machine\": {");
	MACHINE_COLUMNS(X)
	str_add(&s, "\n},\n\"results\": [");

	for (const struct bench_result *first = r, *end = r + n; r < end; r++) {
		str_add(&s, first == r ? "\n{" : ",\n{");
		comma = "";
		RESULT_COLUMNS(X)
		str_add(&s, "\n}");
	}
#undef X

	str_add(&s, "\n]}\n");
	save(f, &s);
}
