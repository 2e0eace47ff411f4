#include <stdio.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/bench/bench.h"
#include "num/bench/bench_report.h"

int main_bench(int argc, char *argv[]);

#define SUITE(name) extern const struct bench_suite bench_suite_##name;
#include "suites.inc"
#undef SUITE

static const struct bench_suite *const suites[] = {
#define SUITE(name) &bench_suite_##name,
#include "suites.inc"
#undef SUITE
};

enum { SUITES = sizeof suites / sizeof suites[0] };

static const struct bench_suite *find(const char *name)
{
	const char *names[SUITES + 1] = {NULL};
	struct str list = {0};

	for (int i = 0; i < SUITES; i++) {
		if (0 == strcmp(suites[i]->name, name))
			return suites[i];

		names[i] = suites[i]->name;
		str_printf(&list, "%s%s", i ? ", " : "", suites[i]->name);
	}

	const char *near = nearest_name(name, names);

	if (near)
		usage_error("unknown suite %s; did you mean %s?", name, near);

	usage_error("unknown suite %s, expected one of: %s", name, list.data);
}

static char *describe_suites(void)
{
	struct str s = {0};

	str_add(&s, "The command bench compares the library's inner loops with handwritten loops and with "
	            "other libraries. Without SUITE, all of these suites run:\n");

	for (int i = 0; i < SUITES; i++)
		str_printf(&s, "\n%s: %s.", suites[i]->name, suites[i]->about);

	str_add(&s, "\n\n"
	            "The variants of a case are measured in turn, for --repeat rounds. The results are "
	            "medians over the rounds. The column /hand is the time divided by the time of the "
	            "handwritten loop. The handwritten loop is compiled at run time with -O3 "
	            "-march=native, by $CC or by gcc. The column /triad is the speed relative to the loop "
	            "a = 2 b + c in the same rounds. The speed in GB/s counts every operand once. Run "
	            "bench on an idle machine.");

	return s.data;
}

static void bench_run_suite(struct bench *b, const struct opt_list *words)
{
	if (0 == words->n)
		for (int i = 0; i < SUITES; i++)
			bench_run(b, suites[i]);

	for (int i = 0; i < words->n; i++)
		bench_run(b, find(words->v[i]));
}

int main_bench(int argc, char *argv[])
{
	struct opt_longs sizes = {0}, picture = {0};
	struct opt_list words = {0};
	struct bench_settings settings = {.rounds = 9, .steps = 50, .radius = 5, .picture = {1920, 1080}};
	const char *csv = NULL, *json = NULL;
	long repeat = 9;
	bool steps_given = false, radius_given = false;

	const struct opt opts[] = {
	        OPT_LONGS(0, "size", &sizes, "N[:N..]", 1, 1 << 20,
	                "edge lengths N of cubes of N^3 elements (default: the suite's)"),
	        {0, "steps", OPT_KIND_LONG, &settings.steps, "N", "steps of heat flow (vivaldi)", 0, 1,
	                100000, &steps_given},
	        OPT_LONG(
	                0, "radius", &settings.radius, "R", 1, 8, "radius of the bilateral filter (vivaldi)"),
	        OPT_LONGS(0, "picture", &picture, "W:H", 1, 16384,
	                "size of the picture (vivaldi; default: 1920:1080)"),
	        OPT_LONG(0, "repeat", &repeat, "N", 1, 10000, "number of rounds"),
	        OPT_STRING(0, "only", &settings.only, "NAME",
	                "only cases whose name contains NAME ('cone', 'adjoint')"),
	        OPT_OUTFILE(0, "csv", &csv, "FILE", "write the results and the machine as CSV"),
	        OPT_OUTFILE(0, "json", &json, "FILE", "write the results and the machine as JSON"),
	        {0, "SUITE", OPT_KIND_STRING, &words, NULL, "what to measure",
	                OPT_IS_ARG | OPT_MANY | OPT_OPTIONAL, 0, 0, NULL},
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "bench",
	                  .group = GROUP_RUN,
	                  .synonyms = "benchmark speed",
	                  .about = "Measure the speed of the inner loops on this machine",
	                  .details = describe_suites(),
	                  .examples = "gantry bench --size 32 --repeat 3 expr\n"
	                              "gantry bench --size 64 --csv speed.csv saxpy fft\n"
	                              "GANTRY_ISA=avx2 gantry bench --only 'fan stack' projector",
	                  .memory = "up to 6 arrays of the largest size",
	                  .opts = opts},
	        argc, argv);

	bool sized = 0 == words.n;

	for (int i = 0; i < words.n; i++)
		sized = &bench_suite_vivaldi == find(words.v[i]) || sized;

	if (!sized && (picture.n > 0 || steps_given || radius_given))
		usage_error("--picture, --steps and --radius have no effect without vivaldi");

	if (picture.n > 0 && 2 != picture.n)
		usage_error("--picture: expected W:H");

	for (int i = 0; i < picture.n; i++)
		settings.picture[i] = picture.v[i];

	if (tool_plan())
		tool_print_plan("text", 0);

	settings.rounds = (int)repeat;
	settings.n = sizes.n;
	settings.size = sizes.v;

	struct file_out *csv_out = csv ? file_create(csv) : NULL, *json_out = json ? file_create(json) : NULL;
	struct bench *b = bench_create(&settings);
	struct bench_machine machine;
	const struct bench_result *r;

	bench_machine(&machine);
	bench_print_machine(&machine, settings.rounds);
	bench_run_suite(b, &words);

	long n = bench_results(b, &r);

	if (n == 0 && settings.only)
		error("--only %s: no case of that name was measured", settings.only);

	if (csv_out)
		bench_write_csv(csv_out, &machine, r, n);

	if (json_out)
		bench_write_json(json_out, &machine, r, n);

	bench_free(b);
	leave(EXIT_DONE);
}
