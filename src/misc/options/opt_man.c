/** --man: the manual page, section 1, in roff. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

/** Text with roff's own characters made literal; line breaks become breaks, an empty line a paragraph. */
static void add_roff(struct str *s, const char *text)
{
	bool start = true;

	for (const char *p = text; *p; p++) {
		if (start && (*p == '.' || *p == '\''))
			str_add(s, "\\&");
		start = *p == '\n';
		if (*p == '\n') {
			const bool paragraph = p[1] == '\n';
			while (p[1] == '\n')
				p++;
			if (p[1])
				str_add(s, paragraph ? "\n.PP\n" : "\n.br\n");
		} else if (*p == ' ' && p > text && p[-1] == '\n') {
			str_add(s, "\\ "); // a blank at the start of a line would be a break of its own
		} else if (*p == '\\') {
			str_add(s, "\\e");
		} else if (*p == '-') {
			str_add(s, "\\-");
		} else if (*p == '|') {
			str_add(s, "|\\:"); // a line may end behind it
		} else if (*p == '~' || *p == '^' || *p == '`') {
			str_add(s, *p == '~' ? "\\(ti" : *p == '^' ? "\\(ha" : "\\(ga");
		} else {
			str_addn(s, p, 1);
		}
	}
}

static void add_line(struct str *s, const char *macro, const char *text)
{
	str_add(s, macro);
	add_roff(s, text);
	str_add(s, "\n");
}

static void argument(struct str *s, const struct opt *o)
{
	struct str name = {0};
	char *help = opt_full_help(o);

	opt_argument_usage(&name, o);
	str_add(s, ".TP\n");
	add_line(s, "\\fI", name.data);
	s->len--; // the font ends before the line does
	str_add(s, "\\fR\n");
	add_line(s, "", help);
	free(name.data);
	free(help);
}

static void option(struct str *s, const struct opt *o)
{
	char *help = opt_full_help(o);

	str_add(s, ".TP\n");
	if (opt_shown_letter(o))
		str_printf(s, "\\fB\\-%c\\fR, ", o->c);
	str_add(s, "\\fB\\-\\-");
	add_roff(s, o->name);
	str_add(s, "\\fR");
	if (opt_takes_value(o)) {
		str_add(s, o->flags & OPT_OPTIONAL ? "[=\\fI" : " \\fI");
		add_roff(s, opt_placeholder(o));
		str_add(s, o->flags & OPT_OPTIONAL ? "\\fR]" : "\\fR");
	}
	str_add(s, "\n");
	add_line(s, "", help);
	free(help);
}

static void options(struct str *s, const struct opt *table, const char *title)
{
	bool first = true;

	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		if (o->flags & OPT_IS_ARG)
			continue;
		if (first)
			str_printf(s, ".SH \"%s\"\n", title);
		first = false;
		option(s, o);
	}
}

static void title(struct str *s, const struct tool *t)
{
	struct str name = {0};

	str_printf(&name, "gantry-%s", t->name);
	str_add(s, ".TH \"");
	for (const char *p = name.data; *p; p++)
		str_printf(s, *p == '-' ? "\\-" : "%c", toupper((unsigned char)*p));
	str_printf(s, "\" 1 \"\" \"gantry %s\" \"Gantry\"\n.nh\n.ad l\n.SH NAME\n", GANTRY_VERSION);
	add_roff(s, name.data);
	str_add(s, " \\- ");
	add_roff(s, t->about);
	str_add(s, "\n");
	free(name.data);
}

/** A section for each topic, ".TP" for a row of a table. */
static void topics(struct str *s, const struct tool *t)
{
	for (const struct help_topic *k = t->topics; k && k->name; k++) {
		str_add(s, ".SH ");
		for (const char *p = k->name; *p; p++)
			str_printf(s, "%c", toupper((unsigned char)*p));
		str_add(s, "\n");
		for (const char *p = k->text; *p;) {
			const char *end = strchrnul(p, '\n'), *tab = memchr(p, '\t', (size_t)(end - p));
			char *line = strndup(p, (size_t)(end - p));

			if (tab) {
				line[tab - p] = 0;
				add_line(s, ".TP\n", line);
				add_line(s, "", line + (tab - p) + 1);
			} else {
				add_line(s, ".PP\n", line);
			}
			free(line);
			p = end + (*end != 0);
		}
	}
}

void opt_man(struct str *s, const struct tool *t)
{
	struct str usage = {0};

	title(s, t);
	str_add(s, ".SH SYNOPSIS\n");
	opt_arguments_usage(&usage, t);
	add_line(s, ".B gantry ", t->name);
	add_line(s, "[options]", usage.data ? usage.data : "");
	free(usage.data);

	if (t->details) {
		str_add(s, ".SH DESCRIPTION\n");
		add_line(s, "", t->details);
	}

	bool first = true;
	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (!(o->flags & OPT_IS_ARG))
			continue;
		str_add(s, first ? ".SH ARGUMENTS\n" : "");
		first = false;
		argument(s, o);
	}
	options(s, t->opts, "OPTIONS");
	options(s, opt_common, "COMMON OPTIONS");

	topics(s, t);
	if (t->memory)
		add_line(s, ".SH MEMORY\n", t->memory);
	if (t->examples) {
		str_add(s, ".SH EXAMPLES\n.nf\n");
		add_line(s, "", t->examples);
		str_add(s, ".fi\n");
	}
	str_add(s, ".SH \"EXIT STATUS\"\n0: done.\n.br\n1: the work failed, or a comparison was over its "
	           "tolerance.\n"
	           ".br\n2: the command line is wrong.\n.SH \"SEE ALSO\"\n.BR gantry (1)\n");
}
