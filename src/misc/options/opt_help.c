/** --help, and the pieces of it that the manual page and the other printers share. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

enum { WIDTH = 92, HELP_COLUMN = 28, CHOICES_INLINE = 32 };

void opt_argument_usage(struct str *s, const struct opt *o)
{
	const size_t n = strlen(o->name);
	const bool dots = n > 2 && !strcmp(o->name + n - 2, "..");

	str_printf(s, "%s%s%s%s", o->flags & OPT_OPTIONAL ? "[" : "", o->name,
	        (o->flags & OPT_MANY) && !dots ? ".." : "", o->flags & OPT_OPTIONAL ? "]" : "");
}

void opt_arguments_usage(struct str *s, const struct tool *t)
{
	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (!(o->flags & OPT_IS_ARG))
			continue;
		str_add(s, " ");
		opt_argument_usage(s, o);
	}
}

/** The name in capitals stands for a long list of choices. */
const char *opt_placeholder(const struct opt *o)
{
	static char text[64];
	size_t n = 0;

	if (!opt_takes_value(o))
		return "";
	if (o->kind != OPT_KIND_CHOICE || strlen(o->arg) <= CHOICES_INLINE)
		return o->arg ? o->arg : "VALUE";
	for (; o->name[n] && n + 1 < sizeof text; n++)
		text[n] = (char)toupper((unsigned char)o->name[n]);
	text[n] = 0;
	return text;
}

/** Defaults outside the allowed range mean "not given" and are not shown, nor what the help text already
 * says. */
static char *shown_default(const struct opt *o)
{
	if (o->flags & OPT_IS_ARG || strstr(o->help, "default"))
		return NULL;

	const bool bounded = o->min != 0 || o->max != 0;
	if (o->kind == OPT_KIND_LONG && bounded) {
		const double v = (double)*(const long *)o->ptr;
		if (v < o->min || v > o->max)
			return NULL;
	}
	if (o->kind == OPT_KIND_DOUBLE && bounded) {
		const double v = *(const double *)o->ptr;
		if (!(v >= o->min && v <= o->max))
			return NULL;
	}
	return opt_value_text(o);
}

char *opt_full_help(const struct opt *o)
{
	struct str s = {0};
	char *value = shown_default(o);

	str_add(&s, o->help);
	if (o->kind == OPT_KIND_CHOICE && strcmp(opt_placeholder(o), o->arg) != 0) {
		str_add(&s, ": ");
		for (const char *p = o->arg; *p; p++) {
			if (*p == '|')
				str_add(&s, ", ");
			else
				str_addn(&s, p, 1);
		}
	}
	if (value && NULL == strstr(o->help, "(default")) // said in words
		str_printf(&s, " (default %s)", value);
	free(value);
	return s.data;
}

/** Columns that n bytes of UTF-8 take. */
static int columns(const char *text, size_t n)
{
	int c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)text[i] & 0xc0) != 0x80;
	return c;
}

static void pad(struct str *s, int n)
{
	for (int i = 0; i < n; i++)
		str_add(s, " ");
}

/** One line of text, broken at blanks; starts in column `at`, continues in column `indent`. */
static void wrap_line(struct str *s, const char *text, size_t n, int at, int indent)
{
	size_t lead = 0;

	while (lead < n && text[lead] == ' ')
		lead++;
	pad(s, (int)lead);
	at += (int)lead;

	for (size_t i = lead; i < n;) {
		size_t k = 0;
		while (i + k < n && text[i + k] != ' ')
			k++;
		const int w = columns(text + i, k);
		if (i > lead) {
			if (at + 1 + w > WIDTH) {
				str_add(s, "\n");
				pad(s, indent + (int)lead);
				at = indent + (int)lead;
			} else {
				str_add(s, " ");
				at++;
			}
		}
		str_addn(s, text + i, k);
		at += w;
		for (i += k; i < n && text[i] == ' ';)
			i++;
	}
	str_add(s, "\n");
}

/** Text of several lines; line breaks stay. */
static void wrap(struct str *s, const char *text, int at, int indent)
{
	for (const char *p = text;;) {
		const char *end = strchrnul(p, '\n');
		wrap_line(s, p, (size_t)(end - p), at, indent);
		if (!*end || !end[1])
			return;
		p = end + 1;
		if (*p != '\n')
			pad(s, indent);
		at = indent;
	}
}

/** Every line as it stands, behind `prefix`. */
static void lines(struct str *s, const char *text, const char *prefix)
{
	for (const char *p = text; *p;) {
		const char *end = strchrnul(p, '\n');
		str_printf(s, "%s%.*s\n", end > p ? prefix : "", (int)(end - p), p);
		p = end + (*end != 0);
	}
}

static void entry(struct str *s, const char *left, const char *help)
{
	const int w = 2 + columns(left, strlen(left));

	str_printf(s, "  %s", left);
	if (w + 2 > HELP_COLUMN) {
		str_add(s, "\n");
		pad(s, HELP_COLUMN);
	} else {
		pad(s, HELP_COLUMN - w);
	}
	wrap(s, help, HELP_COLUMN, HELP_COLUMN);
}

/** What stands for the value, broken behind a '|' where it is too long. */
static void add_placeholder(struct str *s, const char *text)
{
	const int indent = 2 + columns(s->data, s->len);
	int at = indent;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "|");

		n += ('|' == p[n]);

		if (p > text && at + columns(p, n) > WIDTH) {
			str_add(s, "\n");
			pad(s, indent);
			at = indent;
		}

		str_addn(s, p, n);
		at += columns(p, n);
		p += n;
	}
}

static void option_entry(struct str *s, const struct opt *o)
{
	struct str left = {0};
	char *help = opt_full_help(o);

	if (opt_letter(o))
		str_printf(&left, "-%c, --%s", o->c, o->name);
	else
		str_printf(&left, "    --%s", o->name);

	if (opt_takes_value(o)) {
		str_add(&left, o->flags & OPT_OPTIONAL ? "[=" : " ");
		add_placeholder(&left, opt_placeholder(o));
		str_add(&left, o->flags & OPT_OPTIONAL ? "]" : "");
	}

	entry(s, left.data, help);
	free(left.data);
	free(help);
}

static void arguments(struct str *s, const struct tool *t)
{
	bool first = true;

	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		struct str left = {0};
		if (!(o->flags & OPT_IS_ARG))
			continue;
		str_add(s, first ? "\nArguments:\n" : "");
		first = false;
		opt_argument_usage(&left, o);
		char *help = opt_full_help(o);
		entry(s, left.data, help);
		free(help);
		free(left.data);
	}
}

static void options(struct str *s, const struct opt *table, const char *title)
{
	bool first = true;

	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		if (o->flags & OPT_IS_ARG)
			continue;
		if (first)
			str_printf(s, "\n%s:\n", title);
		first = false;
		option_entry(s, o);
	}
}

void opt_help(struct str *s, const struct tool *t)
{
	str_printf(s, "Usage: gantry %s [options]", t->name);
	opt_arguments_usage(s, t);
	str_add(s, "\n\n");
	wrap(s, t->about, 0, 0);

	arguments(s, t);
	options(s, t->opts, "Options");
	options(s, opt_common, "Common options");
	if (t->details) {
		str_add(s, "\n");
		wrap(s, t->details, 0, 0);
	}
	if (t->memory) {
		str_add(s, "\nMemory: ");
		wrap(s, t->memory, 8, 8);
	}
	if (t->examples) {
		str_add(s, "\nExamples:\n");
		lines(s, t->examples, "  ");
	}
}
