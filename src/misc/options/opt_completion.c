/** --completion: data for shell completions, a line per argument and option. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/dtype.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"

static void add_word(struct str *s, const char *word, size_t n)
{
	str_addn(s, s->data[s->len - 1] == '\t' ? "" : " ", s->data[s->len - 1] == '\t' ? 0 : 1);
	str_addn(s, word, n);
}

/* The end of an alternative of "a[:B|C]|d": the next '|' outside brackets. */
static const char *alternative_end(const char *p)
{
	for (int depth = 0; *p && (depth > 0 || '|' != *p); p++)
		depth += ('[' == *p) - (']' == *p);

	return p;
}

/* Alternatives of a placeholder that begin with a word to be typed: of "tv:L|circle[:RADIUS]|FILE" these are
 * "tv:", after which a value follows, and "circle". A single one is a name for a value ("MM", "0:90"). */
static void add_alternatives(struct str *s, const char *text)
{
	if (!*alternative_end(text))
		return;

	for (const char *p = text; *p;) {
		const char *end = alternative_end(p), *q = p;

		while (q < end && (islower((unsigned char)*q) || isdigit((unsigned char)*q) || '-' == *q))
			q++;

		if (q > p && (q == end || '[' == *q || ':' == *q))
			add_word(s, p, (size_t)(q - p) + (q < end && ':' == *q));

		p = end + (*end != '\0');
	}
}

static void add_words(struct str *s, const struct opt *o)
{
	char *choice;

	for (int k = 0; OPT_KIND_CHOICE == o->kind && (choice = opt_choice(o, k)); k++) {
		add_word(s, choice, strlen(choice));
		free(choice);
	}

	for (int t = 0; OPT_KIND_TYPE == o->kind && t < DT_COUNT; t++)
		add_word(s, dtype_name(t), strlen(dtype_name(t)));

	const bool dims = OPT_KIND_DIM == o->kind || OPT_KIND_DIMS == o->kind || 0 == strcmp(o->name, "loop");

	for (int k = 0; dims && parse_dim_name(k); k++)
		add_word(s, parse_dim_name(k), strlen(parse_dim_name(k)));

	if (OPT_KIND_CHOICE != o->kind && opt_takes_value(o) && o->arg)
		add_alternatives(s, o->arg);
}

/* flag, list (of words between commas), file (words, or the name of one) or value. */
static const char *kind(const struct opt *o)
{
	if (!opt_takes_value(o) || (!(o->flags & OPT_IS_ARG) && (o->flags & OPT_OPTIONAL)))
		return "flag";

	if (OPT_KIND_DIMS == o->kind || 0 == strcmp(o->name, "loop"))
		return "list";

	return o->arg && strstr(o->arg, "|FILE") ? "file" : "value";
}

static void add_line(struct str *s, const struct opt *o)
{
	str_printf(s, "%s\t%s\t%.1s\t%s\t", o->flags & OPT_IS_ARG ? "argument" : "option", o->name,
	        o->flags & OPT_IS_ARG || !opt_letter(o) ? "-" : (char[]){o->c, '\0'}, kind(o));
	add_words(s, o);
	str_printf(s, "\t%s\n", o->help);
}

void opt_completion(struct str *s, const struct tool *t)
{
	str_printf(s, "command\t%s\t%s\n", t->name, t->about);

	for (const struct opt *o = t->opts; OPT_KIND_END != o->kind; o++)
		add_line(s, o);

	for (const struct opt *o = opt_common; OPT_KIND_END != o->kind; o++)
		add_line(s, o);
}
