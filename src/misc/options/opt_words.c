/** The words of the history: options by name, then arguments, then originals that no argument names. */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/ranks/ranks.h"

struct word_list {
	int n;
	struct tool_word *v;
};

static struct word_list options, arguments, originals, all;

static struct tool current;
static char *command_line = NULL;

const struct tool *tool_current(void)
{
	return current.name ? &current : NULL;
}

const char *tool_command_line(void)
{
	return command_line ? command_line : "";
}

void opt_words_tool(const struct tool *t, int argc, char *argv[])
{
	struct str s = {0};

	current = *t;
	str_printf(&s, "gantry %s", t->name);
	for (int i = 1; i < argc; i++) {
		str_add(&s, " ");
		str_add_shell(&s, argv[i]);
	}
	free(command_line);
	command_line = s.data;
}

static void list_add(struct word_list *l, struct tool_word w)
{
	l->v = mem_realloc(l->v, ((size_t)l->n + 1) * sizeof *l->v);
	l->v[l->n++] = w;
}

static void list_clear(struct word_list *l)
{
	for (int i = 0; i < l->n && l != &all; i++) {
		free((char *)l->v[i].option);
		free((char *)l->v[i].text);
	}
	free(l->v);
	*l = (struct word_list){0};
}

void opt_words_reset(void)
{
	list_clear(&options);
	list_clear(&arguments);
	list_clear(&originals);
	list_clear(&all);
}

void tool_record_drop(const char *name)
{
	for (int i = 0; i < options.n; i++) {
		if (strcmp(options.v[i].option + 2, name) != 0)
			continue;
		free((char *)options.v[i].option);
		free((char *)options.v[i].text);
		memmove(options.v + i, options.v + i + 1, (size_t)(options.n - i - 1) * sizeof *options.v);
		options.n--;
		return;
	}
}

static void set_option(const char *name, int kind, char *text)
{
	tool_record_drop(name);
	list_add(
	        &options, (struct tool_word){.kind = kind, .option = mem_printf("--%s", name), .text = text});
}

void tool_record(const char *name, const char *fmt, ...)
{
	va_list ap;

	if (!fmt) {
		tool_record_drop(name);
		return;
	}

	struct str s = {0};
	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	if (!*s.data) {
		free(s.data);
		s.data = NULL; // a flag
	}
	set_option(name, WORD_TEXT, s.data);
}

void tool_record_more(const char *name, const char *text)
{
	list_add(&options,
	        (struct tool_word){
	                .kind = WORD_TEXT, .option = mem_printf("--%s", name), .text = mem_strdup(text)});
}

void tool_record_original(const char *path)
{
	list_add(&originals, (struct tool_word){.kind = WORD_FILE, .text = mem_strdup(path)});
}

/** 3, 0:10:2, 1,5,7:9 */
static bool is_ranges(const char *text)
{
	return strspn(text, "0123456789:,-+") == strlen(text);
}

/** Is text a word that is typed instead of a file's name, as circle:5 for "circle[:RADIUS]|FILE"? */
static bool is_alternative(const char *placeholder, const char *text)
{
	const size_t n = strspn(placeholder, "abcdefghijklmnopqrstuvwxyz");

	return n > 0 && 0 == strncmp(text, placeholder, n) && (text[n] == '\0' || text[n] == ':');
}

static int word_kind(const struct opt *o, const char *text)
{
	if ((o->flags & OPT_OR_NUMBER) && text &&
	        (parse_is_number(text) || (!(o->flags & OPT_IS_ARG) && is_ranges(text))))
		return WORD_TEXT;
	if (o->flags & OPT_OUTPUT)
		return WORD_OUTPUT;
	if (o->kind == OPT_KIND_ARRAY)
		return (text && o->arg && is_alternative(o->arg, text)) ? WORD_TEXT : WORD_ARRAY;
	return o->kind == OPT_KIND_FILE ? WORD_FILE : WORD_TEXT;
}

/** Numbers in their shortest spelling, choices and types by our names, everything else as typed. */
static char *canonical(const struct opt *o, const char *text)
{
	const bool list = o->flags & OPT_MANY;

	switch (o->kind) {
	case OPT_KIND_FLAG:
		return NULL;
	case OPT_KIND_CHOICE:
	case OPT_KIND_TYPE:
	case OPT_KIND_LONG:
	case OPT_KIND_DOUBLE:
	case OPT_KIND_COMPLEX:
	case OPT_KIND_LONGS:
	case OPT_KIND_DOUBLES:
		if (!list)
			return opt_value_text(o);
		break;
	default:
		break;
	}
	return text ? mem_strdup(text) : NULL;
}

void opt_words_option(const struct opt *o, const char *text)
{
	if (o->flags & OPT_NO_HISTORY)
		return;

	if (o->flags & OPT_MANY)
		list_add(&options, (struct tool_word){.kind = word_kind(o, text),
		                           .option = mem_printf("--%s", o->name),
		                           .text = canonical(o, text)});
	else
		set_option(o->name, word_kind(o, text), canonical(o, text));
}

void opt_words_argument(const struct opt *o, const char *text)
{
	if (!(o->flags & OPT_NO_HISTORY))
		list_add(&arguments,
		        (struct tool_word){.kind = word_kind(o, text), .text = canonical(o, text)});
}

void opt_check_streams(void)
{
	const struct tool_word *w;
	const int n = tool_words(&w);
	int in = 0, out = 0;

	for (int i = 0; i < n; i++) {
		if (!w[i].text || strcmp(w[i].text, "-") != 0)
			continue;
		in += w[i].kind == WORD_ARRAY;
		out += w[i].kind == WORD_OUTPUT;
	}
	if (in + out > 0 && ranks_count() > 1)
		usage_error("'-' cannot be used with several ranks, expected the name of a file");
	if (in > 1)
		usage_error("'-' is given for %d inputs, but there is only one standard input", in);
	if (out > 1)
		usage_error("'-' is given for %d outputs, but there is only one standard output", out);
}

void tool_record_array(int number, int name, bool output)
{
	struct tool_word *w = &arguments.v[number];
	char *file = mem_strdup(w->text + (name ? name + 1 : 0));

	if (name)
		w->option = mem_printf("%.*s", name, w->text);
	free((char *)w->text);
	w->text = file;
	w->kind = output ? WORD_OUTPUT : WORD_ARRAY;
	opt_check_streams();
}

void tool_record_kind(const char *name, int number, int kind)
{
	if (!name)
		arguments.v[number].kind = kind;

	for (int i = 0; name && i < options.n; i++)
		if (0 == strcmp(options.v[i].option + 2, name))
			options.v[i].kind = kind;

	opt_check_streams();
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tool_word *)a)->option, ((const struct tool_word *)b)->option);
}

/* Of every word: its list, its kind, then option and text, each with "+" in front or "-" alone, and a zero
 * byte. */
void opt_words_save(struct str *s)
{
	const struct word_list *parts[] = {&options, &arguments, &originals};

	if (options.n)
		qsort(options.v, (size_t)options.n, sizeof *options.v, by_name);
	for (int p = 0; p < 3; p++) {
		for (int i = 0; i < parts[p]->n; i++) {
			const struct tool_word *w = &parts[p]->v[i];
			const char *texts[] = {w->option, w->text};

			str_printf(s, "%d%d", p, (int)w->kind);
			for (int k = 0; k < 2; k++) {
				str_printf(s, "%s%s", texts[k] ? "+" : "-", texts[k] ? texts[k] : "");
				str_addn(s, "", 1);
			}
		}
	}
}

char *opt_words_other(const char *a, long n, const char *b, long m)
{
	const char *fields[2] = {"-", "-"}; // option and text

	for (long i = 0, next; i < n; i = next) {
		next = i + 2;
		for (int k = 0; k < 2; k++)
			next += (long)strlen(a + next) + 1;
		if (next <= m && memcmp(a + i, b + i, (size_t)(next - i)) == 0)
			continue;
		fields[0] = a + i + 2;
		fields[1] = fields[0] + strlen(fields[0]) + 1;
		break;
	}
	const bool both = *fields[0] == '+' && *fields[1] == '+';
	return mem_printf("%s%s%s", *fields[0] == '+' ? fields[0] + 1 : "", both ? "=" : "",
	        *fields[1] == '+' ? fields[1] + 1 : "");
}

void opt_words_restore(const char *data, long n)
{
	struct word_list *parts[] = {&options, &arguments, &originals};
	const char *end = data + n;

	opt_words_reset();
	while (data < end) {
		struct word_list *list = parts[data[0] - '0'];
		struct tool_word w = {.kind = data[1] - '0'};
		const char **texts[] = {&w.option, &w.text};

		data += 2;
		for (int k = 0; k < 2; k++) {
			if (*data == '+')
				*texts[k] = mem_strdup(data + 1);
			data += strlen(data) + 1;
		}
		list_add(list, w);
	}
}

int tool_words(const struct tool_word **words)
{
	const struct word_list *parts[] = {&options, &arguments, &originals};

	if (options.n)
		qsort(options.v, (size_t)options.n, sizeof *options.v, by_name);
	list_clear(&all);
	for (int p = 0; p < 3; p++)
		for (int i = 0; i < parts[p]->n; i++)
			list_add(&all, parts[p]->v[i]);
	*words = all.v;
	return all.n;
}
