/** `gantry plan`: its options, and what a plan says about ranks. */

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/options/plan_ranks.h"

enum { RANKS_MOST = 65536, GPUS_MOST = 1024 };

static const char variable[] = "GANTRY_PLAN_RANKS"; // from the front command to the command

static struct plan_of_rank of_rank;
static bool is_set;

/** 25GB -> 25e9, 2us -> 2e-6; *end is behind the unit. Negative: neither. */
static double with_unit(const char *text, const char *units, double factor, const char **end)
{
	char *after;
	const double value = strtod(text, &after);

	for (double f = 1.; *units; f *= factor) {
		const size_t n = strcspn(units, " ");

		if (after > text && value > 0. && isfinite(value) && !strncmp(after, units, n)) {
			*end = after + n;
			return value * f;
		}

		units += n + (' ' == units[n]);
	}

	return -1.;
}

static void read_network(const char *text, struct plan_ranks *p)
{
	const char *end = text, *last = text;

	p->network = with_unit(text, "B/s kB/s MB/s GB/s TB/s", 1e3, &end);
	p->latency = (p->network > 0. && *end == ':') ? with_unit(end + 1, "s ms us ns", 1e-3, &last) : -1.;

	if (!(p->latency > 0.) || *last)
		usage_error("plan: --network: '%s', expected the bandwidth and latency of a rank, like "
		            "25GB/s:2us",
		        text);
}

/** The value of an option, --name=value or --name value; NULL: another option. */
static const char *value_of(const char *name, char *argv[], int *at)
{
	const size_t n = strlen(name);
	const char *word = argv[*at];

	if (strncmp(word, name, n) || (word[n] && word[n] != '='))
		return NULL;

	if ('=' == word[n])
		return word + n + 1;

	if (!argv[*at + 1])
		usage_error("plan: %s needs a value", name);

	return argv[++*at];
}

static long count_of(const char *text, const char *name, long most)
{
	const long n = parse_long(text, name);

	if (n < 1 || n > most)
		usage_error("plan: %s: %ld, expected 1..%ld", name, n, most);

	return n;
}

static void store(const struct plan_ranks *p)
{
	char *text = mem_printf("%ld %ld %.17g %.17g", p->ranks, p->gpus, p->network, p->latency);

	setenv(variable, text, 1);
	free(text);
}

char **plan_ranks_words(int argc, char *argv[])
{
	struct plan_ranks p = {0};
	const char *value;
	int i = 0;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if ((value = value_of("--ranks", argv, &i)))
			p.ranks = count_of(value, "--ranks", RANKS_MOST);
		else if ((value = value_of("--node-gpus", argv, &i)))
			p.gpus = count_of(value, "--node-gpus", GPUS_MOST);
		else if ((value = value_of("--network", argv, &i)))
			read_network(value, &p);
		else
			usage_error("plan: unknown option '%s' before the command (valid: --ranks, "
			            "--node-gpus, --network)",
			        argv[i]);
	}

	if (i == argc)
		usage_error("plan: missing command (gantry plan [--ranks N] COMMAND ...)");

	if (0 == p.ranks && (p.gpus > 0 || p.network > 0.))
		usage_error("plan: %s needs --ranks N", p.gpus > 0 ? "--node-gpus" : "--network");

	store(&p);

	char **words = mem_calloc((size_t)(argc - i) + 2, sizeof *words);

	words[0] = argv[i];
	words[1] = "--plan";
	memcpy(words + 2, argv + i + 1, (size_t)(argc - i - 1) * sizeof *words);
	return words;
}

struct plan_ranks plan_ranks(void)
{
	const char *text = getenv(variable);
	struct plan_ranks p = {0};

	if (!tool_plan() || !text ||
	        4 != sscanf(text, "%ld %ld %lg %lg", &p.ranks, &p.gpus, &p.network, &p.latency))
		return (struct plan_ranks){0};

	return p;
}

void plan_ranks_set(const struct plan_of_rank *r)
{
	of_rank = *r;
	is_set = true;
}

double plan_ranks_memory(void)
{
	const struct plan_ranks p = plan_ranks();
	const bool shared = p.ranks > 0 && 0. == p.network && 0 == opt_given.may_bytes;

	return (double)tool_memory() / (shared ? (double)p.ranks : 1.);
}

double plan_ranks_speed(void)
{
	const struct plan_ranks p = plan_ranks();
	const double threads = (double)p.ranks * tool_threads();

	return 0. == p.network ? fmin(1., omp_get_num_procs() / fmax(1., threads)) : 1.;
}

void plan_ranks_parts(long all)
{
	const struct plan_ranks p = plan_ranks();
	double seconds;
	long bytes;

	if (0 == p.ranks)
		return;

	if (p.gpus > 0)
		usage_error("plan: --node-gpus: with --ranks, this command runs only on CPUs");

	const long most = (all + p.ranks - 1) / p.ranks;

	tool_needed(&bytes, &seconds);
	printf("ranks: %ld with %d threads each; at most %ld of %ld equal parts of each; no bytes are sent\n",
	        p.ranks, tool_threads(), most, all);
	plan_ranks_set(&(const struct plan_of_rank){
	        .share = (double)most / (double)max_long(all, 1) / plan_ranks_speed(),
	        .bytes = (double)bytes,
	        .allowed = plan_ranks_memory()});
}

void plan_ranks_expect(void)
{
	if (plan_ranks().ranks > 0 && !is_set)
		usage_error("plan: --ranks does not support this command (valid: project, backproject, fbp, "
		            "recon and shortcuts of recon)");
}

void plan_ranks_print(double seconds)
{
	const struct plan_ranks p = plan_ranks();
	const double all = of_rank.seconds > 0. ? of_rank.seconds : seconds * of_rank.share;

	if (0 == p.ranks)
		return;

	printf("memory of a rank: %.0f bytes (%s), ", of_rank.bytes, human_bytes(of_rank.bytes));
	printf("%s: a rank may use %s\n", of_rank.bytes <= of_rank.allowed ? "fits" : "does not fit",
	        human_bytes(of_rank.allowed));

	if (all > 0.)
		printf("time with %ld ranks: about %.3g s\n", p.ranks, all);
	else
		printf("time with %ld ranks: %.3g of the time of one process\n", p.ranks, of_rank.share);
}
