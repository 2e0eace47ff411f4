#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/stat/summary.h"

int main_stats(int argc, char *argv[]);

enum { STATISTICS = 14 };

/* A name and its value as text (owned by this struct). */
struct statistic {
	const char *name;
	char *text;
};

static char *text_real(double v)
{
	return mem_printf("%.9g", v);
}

/* Integers of every size in full. */
static char *text_extreme(long double v, enum dtype t)
{
	return dtype_is_integer(t) && isfinite(v) ? mem_printf("%.0Lf", v) : text_real((double)v);
}

static char *text_complex(complex double v, enum dtype t)
{
	return dtype_is_complex(t) ? mem_printf("%.9g%+.9gi", creal(v), cimag(v)) : text_real(creal(v));
}

/* "1 0 7", or "-" where there is none. */
static char *text_position(long i, const struct hdr *h)
{
	struct str s = {0};

	if (i < 0)
		return mem_strdup("-");

	for (int d = 0; d < hdr_rank(h); d++) {
		str_printf(&s, "%s%ld", d > 0 ? " " : "", i % h->dims[d]);
		i /= h->dims[d];
	}

	return s.data;
}

static char *text_dims(const struct hdr *h)
{
	struct str s = {0};

	for (int d = 0; d < hdr_rank(h); d++)
		str_printf(&s, "%s%ld", d > 0 ? " " : "", h->dims[d]);

	return s.data;
}

static void describe(struct statistic out[STATISTICS], const struct hdr *h, const struct summary *s)
{
	const struct statistic all[STATISTICS] = {
	        {"dims", text_dims(h)},
	        {"type", mem_strdup(dtype_name(h->type))},
	        {"count", mem_printf("%ld", s->count)},
	        {"min", text_extreme(s->min, h->type)},
	        {"max", text_extreme(s->max, h->type)},
	        {"mean", text_complex(s->mean, h->type)},
	        {"std", text_real(s->std)},
	        {"sum", text_complex(s->sum, h->type)},
	        {"norm", text_real(s->norm)},
	        {"zeros", mem_printf("%ld", s->zeros)},
	        {"nan", mem_printf("%ld", s->nans)},
	        {"first-nan", text_position(s->first_nan, h)},
	        {"inf", mem_printf("%ld", s->infs)},
	        {"first-inf", text_position(s->first_inf, h)},
	};

	memcpy(out, all, sizeof all);
}

static const char *const names[STATISTICS + 1] = {"dims", "type", "count", "min", "max", "mean", "std", "sum",
        "norm", "zeros", "nan", "first-nan", "inf", "first-inf", NULL};

/* Indices of the names in a comma list. */
static int select_statistics(const char *list, int chosen[STATISTICS])
{
	char *copy = mem_strdup(list);
	char *rest = copy;
	int n = 0;

	for (char *word; (word = strsep(&rest, ",")) != NULL; n++) {
		int k = 0;

		while (names[k] != NULL && strcmp(names[k], word) != 0)
			k++;

		if (names[k] == NULL) {
			const char *near = nearest_name(word, names);

			usage_error("--only: \"%s\" is not a statistic%s%s%s", word,
			        near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
		}

		if (n == STATISTICS)
			usage_error("--only: more than %d names", STATISTICS);

		chosen[n] = k;
	}

	free(copy);

	return n;
}

int main_stats(int argc, char *argv[])
{
	const char *name = NULL;
	const char *only = NULL;
	int chosen[STATISTICS];

	const struct opt opts[] = {
	        OPT_STRING(0, "only", &only, "LIST", "print only these values, one per line (min,max)"),
	        ARG_IN("IN", &name, "any array"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "stats",
	                .group = GROUP_LOOK,
	                .synonyms = "statistics summary describe",
	                .about = "Print minimum, maximum, mean and other statistics of an array",
	                .details = "The output has one line for each statistic:\n\n"
	                           "dims, type, count: sizes, element type and number of elements.\n"
	                           "min, max, mean, sum: smallest value, largest value, mean and sum of "
	                           "the finite elements.\n"
	                           "std: standard deviation of the finite elements. The divisor of std is "
	                           "the number n of finite elements, not n - 1.\n"
	                           "norm: 2-norm of the finite elements.\n"
	                           "zeros: number of elements that are 0.\n"
	                           "nan, first-nan: number of NaN, and indices of the first NaN.\n"
	                           "inf, first-inf: number of infinite elements, and indices of the first "
	                           "infinite element.\n\n"
	                           "For complex data, min and max are the smallest and largest magnitude. "
	                           "All sums are in float64, in one pass over the array.",
	                .examples = "gantry stats vol\n"
	                            "gantry stats --only min,max vol",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	int n = only != NULL ? select_statistics(only, chosen) : 0;
	struct cfl *f = cfl_open(name);
	struct statistic all[STATISTICS];
	struct summary s;

	tool_plan_text();
	summarize(&s, f);
	describe(all, &f->hdr, &s);

	for (int k = 0; only == NULL && k < STATISTICS; k++)
		printf("%-9s  %s\n", all[k].name, all[k].text);

	for (int k = 0; k < n; k++)
		printf("%s\n", all[chosen[k]].text);

	for (int k = 0; k < STATISTICS; k++)
		free(all[k].text);

	cfl_close(f);
	leave(EXIT_DONE);
}
