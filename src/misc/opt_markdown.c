/** --markdown: the page doc/commands/NAME.md; --completion: one line for the shell's completion. */

#include <stdlib.h>
#include <string.h>

#include "misc/opt_internal.h"

/** Text for a table cell. */
static void add_cell(struct str *s, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '|' || *p == '*' || *p == '_' || *p == '<' || *p == '\\')
			str_printf(s, "\\%c", *p);
		else if (*p == '\n')
			str_add(s, " ");
		else
			str_addn(s, p, 1);
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
	add_cell(s, help);
	str_add(s, " |\n");
	free(help);
}

static void option(struct str *s, const struct opt *o)
{
	struct str left = {0};

	if (o->c)
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

void opt_markdown(struct str *s, const struct tool *t)
{
	str_printf(s, "# gantry %s\n\n%s.\n\n```\ngantry %s [options] ", t->name, t->about, t->name);
	opt_arguments_usage(s, t);
	str_add(s, "\n```\n");

	table(s, t->opts, true, "argument");
	table(s, t->opts, false, "option");
	table(s, opt_common, false, "common option");
	if (t->details)
		str_printf(s, "\n## Details\n\n```text\n%s\n```\n", t->details);
	if (t->memory)
		str_printf(s, "\nMemory: %s\n", t->memory);
	if (t->examples)
		str_printf(s, "\n## Examples\n\n```sh\n%s\n```\n", t->examples);
}

static void completion_words(struct str *s, const struct opt *opts)
{
	for (const struct opt *o = opts; o->kind != OPT_KIND_END; o++) {
		if (o->flags & OPT_IS_ARG)
			continue;
		str_printf(s, " --%s", o->name);
		if (o->kind == OPT_KIND_CHOICE)
			str_printf(s, "=%s", o->arg);
		else if (opt_takes_value(o) && !(o->flags & OPT_OPTIONAL))
			str_add(s, "=");
	}
}

void opt_completion(struct str *s, const struct tool *t)
{
	str_add(s, t->name);
	completion_words(s, t->opts);
	completion_words(s, opt_common);
	str_add(s, "\n");
}
