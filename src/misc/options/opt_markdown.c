/** --markdown: the page doc/commands/NAME.md. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

/** n characters of text with Markdown's own made literal. */
static void add_literal(struct str *s, const char *text, size_t n)
{
	for (const char *p = text; p < text + n; p++) {
		if (strchr("|*_<>\\`[]#", *p))
			str_add(s, "\\");
		str_addn(s, *p == '\n' ? " " : p, 1);
	}
}

/** Paragraphs; lines that begin with a blank are formulas and stay as they are, other line breaks are kept.
 */
static void add_text(struct str *s, const char *text)
{
	for (const char *p = text; *p;) {
		const char *end = strchrnul(p, '\n');
		const bool more = *end && end[1] && end[1] != '\n' && end[1] != ' ';
		if (*p == ' ')
			str_printf(s, "    %.*s", (int)(end - p), p);
		else
			add_literal(s, p, (size_t)(end - p));
		str_add(s, end > p && *p != ' ' && more ? "\\\n" : "\n");
		p = end + (*end != 0);
	}
}

/** Code for a table cell: a bar would end it. */
static void add_code(struct str *s, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '|')
			str_add(s, "\\|");
		else
			str_addn(s, p, 1);
	}
}

static void row(struct str *s, const char *left, const struct opt *o)
{
	char *help = opt_full_help(o);

	str_add(s, "| `");
	add_code(s, left);
	str_add(s, "` | ");
	add_literal(s, help, strlen(help));
	str_add(s, " |\n");
	free(help);
}

static void option(struct str *s, const struct opt *o)
{
	struct str left = {0};

	if (opt_shown_letter(o))
		str_printf(&left, "-%c, ", o->c);
	str_printf(&left, "--%s", o->name);
	if (opt_takes_value(o))
		str_printf(&left, o->flags & OPT_OPTIONAL ? "[=%s]" : " %s", opt_placeholder(o));
	row(s, left.data, o);
	free(left.data);
}

/** The rows of arguments or of options, with a table head when there are any. */
static void table(struct str *s, const struct opt *opts, bool arguments, const char *head)
{
	bool first = true;

	for (const struct opt *o = opts; o->kind != OPT_KIND_END; o++) {
		if (arguments != ((o->flags & OPT_IS_ARG) != 0))
			continue;
		if (first)
			str_printf(s, "\n| %s | |\n| --- | --- |\n", head);
		first = false;
		if (!arguments) {
			option(s, o);
			continue;
		}
		struct str left = {0};
		opt_argument_usage(&left, o);
		row(s, left.data, o);
		free(left.data);
	}
}

/** A section for each topic, with the rows of its tables. */
static void topics(struct str *s, const struct tool *t)
{
	for (const struct help_topic *k = t->topics; k && k->name; k++) {
		bool rows = false;

		str_printf(s, "\n## %c%s\n\n", toupper((unsigned char)*k->name), k->name + 1);
		for (const char *p = k->text; *p;) {
			const char *end = strchrnul(p, '\n'), *tab = memchr(p, '\t', (size_t)(end - p));

			if (tab) {
				char *left = strndup(p, (size_t)(tab - p));

				str_add(s, rows ? "| `" : "| | |\n| --- | --- |\n| `");
				add_code(s, left);
				str_add(s, "` | ");
				add_literal(s, tab + 1, (size_t)(end - tab - 1));
				str_add(s, " |\n");
				free(left);
			} else {
				add_literal(s, p, (size_t)(end - p));
				str_add(s, "\n");
			}
			rows = tab != NULL;
			p = end + (*end != 0);
		}
	}
}

void opt_markdown(struct str *s, const struct tool *t)
{
	str_printf(s, "# gantry %s\n\n%s.\n\n```\ngantry %s [options]", t->name, t->about, t->name);
	opt_arguments_usage(s, t);
	str_add(s, "\n```\n");

	table(s, t->opts, true, "argument");
	table(s, t->opts, false, "option");
	if (t->details) {
		str_add(s, "\n## Details\n\n");
		add_text(s, t->details);
	}
	topics(s, t);
	if (t->memory) {
		str_add(s, "\nMemory: ");
		add_text(s, t->memory);
	}
	if (t->examples)
		str_printf(s, "\n## Examples\n\n```sh\n%s\n```\n", t->examples);
	str_add(s, "\n## Common options\n");
	table(s, opt_common, false, "option");
}
