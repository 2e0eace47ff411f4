/** Assigns positional words to the arguments of the table. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/opt_internal.h"

/** Words an argument needs at least. */
static int needs(const struct opt *o)
{
	if (o->flags & OPT_OPTIONAL)
		return 0;
	return o->flags & OPT_PAIRS ? 2 : 1;
}

static void check_count(const struct tool *t, int n, const char *words[], int least, int most, bool many)
{
	struct str usage = {0};

	if (n >= least && (many || n <= most))
		return;

	opt_arguments_usage(&usage, t);
	if (n < least)
		usage_error(
		        "missing argument%s: %d given, expected%s", least - n > 1 ? "s" : "", n, usage.data);
	if (most == 0)
		usage_error("unexpected argument '%s', expected none", words[0]);
	usage_error("unexpected argument '%s', expected%s", words[most], usage.data);
}

static void assign(const struct opt *o, int n, const char *words[])
{
	if (o->given)
		*o->given = n > 0;

	if (o->flags & OPT_MANY) {
		struct opt_list *l = o->ptr;
		if ((o->flags & OPT_PAIRS) && n % 2)
			usage_error("%s: found %d words, expected pairs", o->name, n);
		l->n = n;
		l->v = words;
		for (int i = 0; i < n; i++)
			if (!*words[i])
				usage_error("%s contains an empty word", o->name);
	} else if (n) {
		opt_value_set(o, words[0]);
	}
	for (int i = 0; i < n; i++)
		opt_words_argument(o, words[i]);
}

void opt_assign_arguments(const struct tool *t, int n, const char *words[])
{
	int least = 0, most = 0;
	bool many = false;

	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (!(o->flags & OPT_IS_ARG))
			continue;
		least += needs(o);
		most += o->flags & OPT_OPTIONAL ? 1 : needs(o);
		many = many || (o->flags & OPT_MANY);
	}
	check_count(t, n, words, least, most, many);

	// words beyond the least go to the optional arguments from the left, or to the one that takes many
	int spare = n - least;
	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (!(o->flags & OPT_IS_ARG))
			continue;
		int take = needs(o);
		if (o->flags & OPT_MANY)
			take += spare;
		else if ((o->flags & OPT_OPTIONAL) && spare > 0)
			take = 1;
		spare -= take - needs(o);
		assign(o, take, words);
		words += take;
	}
}
