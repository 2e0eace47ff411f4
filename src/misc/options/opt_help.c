/** --help, and the pieces of it that the manual page and the other printers share. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

enum { WIDTH = 92, HELP_COLUMN = 28, CHOICES_INLINE = 32, BRIEF = 18 };

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

/** The name of an option in capitals, in a static buffer. */
static const char *in_capitals(const struct opt *o)
{
	static char text[64];
	size_t n = 0;

	for (; o->name[n] && n + 1 < sizeof text; n++)
		text[n] = (char)toupper((unsigned char)o->name[n]);
	text[n] = 0;
	return text;
}

/** The name in capitals stands for a long list of choices. */
const char *opt_placeholder(const struct opt *o)
{
	if (!opt_takes_value(o))
		return "";
	if (o->kind != OPT_KIND_CHOICE || strlen(o->arg) <= CHOICES_INLINE)
		return o->arg ? o->arg : "VALUE";
	return in_capitals(o);
}

/** The same for other long texts. */
static const char *short_placeholder(const struct opt *o)
{
	const char *text = opt_placeholder(o);

	return strlen(text) > BRIEF && strchr(text, '|') ? in_capitals(o) : text;
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

static char *help_of(const struct opt *o, bool choices)
{
	struct str s = {0};
	char *value = shown_default(o);

	str_add(&s, o->help);
	if (choices && o->kind == OPT_KIND_CHOICE && strcmp(opt_placeholder(o), o->arg) != 0) {
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

char *opt_full_help(const struct opt *o)
{
	return help_of(o, true);
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

/** "-i, --iterations N" (malloc'd); blank: before a name without a letter. */
static char *option_left(const struct opt *o, const char *blank, bool brief)
{
	struct str left = {0};

	if (opt_shown_letter(o))
		str_printf(&left, "-%c, --%s", o->c, o->name);
	else
		str_printf(&left, "%s--%s", blank, o->name);

	if (opt_takes_value(o)) {
		str_add(&left, o->flags & OPT_OPTIONAL ? "[=" : " ");
		add_placeholder(&left, brief ? short_placeholder(o) : opt_placeholder(o));
		str_add(&left, o->flags & OPT_OPTIONAL ? "]" : "");
	}
	return left.data;
}

static void option_entry(struct str *s, const struct opt *o, bool brief)
{
	char *left = option_left(o, "    ", brief), *help = help_of(o, !brief);

	entry(s, left, help);
	free(left);
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

static bool is_option(const struct opt *o)
{
	return !(o->flags & OPT_IS_ARG);
}

/** Whether `name` is a word of the list. */
static bool has_word(const char *list, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

/** Whether an option stands in section k. */
static bool in_section(const struct help_section *all, const struct help_section *k, const struct opt *o)
{
	if (!is_option(o))
		return false;
	if (k->options)
		return has_word(k->options, o->name);
	for (; all->title; all++)
		if (all->options && has_word(all->options, o->name))
			return false;
	return true;
}

/** Texts of a table's options: of a section, or of all (NULL). */
static void options(struct str *s, const struct opt *table, const char *title, const struct help_section *all,
        const struct help_section *k, bool brief)
{
	bool first = true;

	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		if (!(k ? in_section(all, k, o) : is_option(o)))
			continue;
		if (first)
			str_printf(s, "\n%s:\n", title);
		first = false;
		option_entry(s, o, brief);
	}
}

/** Names of options, several in a line. */
static void names(struct str *s, const struct opt *table, const char *title, const struct help_section *all,
        const struct help_section *k)
{
	int at = WIDTH;
	bool first = true;

	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		if (!(k ? in_section(all, k, o) : is_option(o)))
			continue;
		char *left = option_left(o, "", true);
		const int w = columns(left, strlen(left));

		if (first)
			str_printf(s, "\n%s:", title);
		first = false;
		str_add(s, at + 2 + w > WIDTH ? "\n  " : "  ");
		at = at + 2 + w > WIDTH ? 2 + w : at + 2 + w;
		str_add(s, left);
		free(left);
	}
	str_add(s, first ? "" : "\n");
}

/** All options with their texts. */
static void all_options(struct str *s, const struct tool *t)
{
	if (!t->sections)
		options(s, t->opts, "Options", NULL, NULL, false);
	for (const struct help_section *k = t->sections; k && k->title; k++)
		options(s, t->opts, k->title, t->sections, k, false);
	options(s, opt_common, "Common options", NULL, NULL, false);
}

/** The options of the first section, or all, with their texts; others by name. */
static void main_options(struct str *s, const struct tool *t)
{
	const struct help_section *first = t->sections;
	struct str common = {0};

	options(s, t->opts, "Options", first, first, first != NULL);
	for (const struct help_section *k = first ? first + 1 : NULL; k && k->title; k++)
		names(s, t->opts, k->title, first, k);
	str_printf(&common, "Common options (explained by 'gantry help %s options')", t->name);
	names(s, opt_common, common.data, NULL, NULL);
	free(common.data);
}

/** Paragraphs, and tables where a line has a tab. */
static void topic_text(struct str *s, const char *text)
{
	for (const char *p = text; *p;) {
		const char *end = strchrnul(p, '\n'), *tab = memchr(p, '\t', (size_t)(end - p));
		char *line = strndup(p, (size_t)(end - p));

		if (tab) {
			line[tab - p] = 0;
			entry(s, line, line + (tab - p) + 1);
		} else {
			wrap(s, line, 0, 0);
		}
		free(line);
		p = end + (*end != 0);
	}
}

static void topics(struct str *s, const struct tool *t)
{
	str_printf(s, "\nMore, by 'gantry help %s TOPIC':\n", t->name);
	for (const struct help_topic *k = t->topics; k && k->name; k++)
		entry(s, k->name, k->about);
	entry(s, "options", "all options with their texts");
	if (t->topics)
		entry(s, "all", "everything");
}

static void print_help(struct str *s, const struct tool *t, bool all)
{
	str_printf(s, "Usage: gantry %s [options]", t->name);
	opt_arguments_usage(s, t);
	str_add(s, "\n\n");
	wrap(s, t->about, 0, 0);

	arguments(s, t);
	(all ? all_options : main_options)(s, t);
	if (t->details) {
		str_add(s, "\n");
		wrap(s, t->details, 0, 0);
	}
	for (const struct help_topic *k = all ? t->topics : NULL; k && k->name; k++) {
		str_printf(s, "\n%c%s:\n", toupper((unsigned char)*k->name), k->name + 1);
		topic_text(s, k->text);
	}
	if (t->memory) {
		str_add(s, "\nMemory: ");
		wrap(s, t->memory, 8, 8);
	}
	if (!all && t->sections)
		topics(s, t);
	if (t->examples) {
		str_add(s, "\nExamples:\n");
		lines(s, t->examples, "  ");
	}
}

void opt_help(struct str *s, const struct tool *t)
{
	print_help(s, t, false);
}

bool opt_help_topic(struct str *s, const struct tool *t, const char *topic)
{
	if (!strcmp(topic, "all")) {
		print_help(s, t, true);
		return true;
	}
	if (!strcmp(topic, "options")) {
		all_options(s, t);
		return true;
	}
	for (const struct help_topic *k = t->topics; k && k->name; k++) {
		str_printf(s, "%s, ", k->name);
		if (strcmp(topic, k->name) != 0)
			continue;
		s->len = 0;
		topic_text(s, k->text);
		return true;
	}
	str_add(s, "options, all");
	return false;
}
