/** Assigns the words of a command line to options and arguments. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/options/commands.h"
#include "misc/options/opt_internal.h"
#include "misc/options/pager.h"
#include "misc/options/parse.h"
#include "misc/ranks/ranks.h"

/** An option on the command line, with its value or NULL. */
struct item {
	const struct opt *opt;
	const char *text;
};

/** The command line taken apart. */
struct line {
	int items_n, words_n;
	struct item *items;
	const char **words; // positional
};

/** --help[=TOPIC]. */
static _Noreturn void help(const char *topic)
{
	struct str s = {0};

	ranks_choose(false); // rank 0 answers
	if (!topic)
		opt_help(&s, tool_current());
	else if (!opt_help_topic(&s, tool_current(), topic))
		usage_error("--help: unknown topic '%s' (valid: %s)", topic, s.data);
	page_text(s.data);
	leave(EXIT_DONE);
}

/** Answers of the hidden options, and of those that end the command. */
static void answer(const char *name, const char *value)
{
	static const struct {
		const char *name;
		void (*print)(struct str *s, const struct tool *t);
	} printers[] = {
	        {"interface", opt_json},
	        {"man", opt_man},
	        {"markdown", opt_markdown},
	        {"completion", opt_completion},
	        {"table", opt_table},
	};
	struct str s = {0};

	if (!strcmp(name, "help"))
		help(value);
	if (!strcmp(name, "version") || !strcmp(name, "about")) {
		ranks_choose(false);
		printf(*name == 'v' ? "gantry %s\n" : "%s\n",
		        *name == 'v' ? GANTRY_VERSION : tool_current()->about);
		leave(EXIT_DONE);
	}
	for (size_t i = 0; i < sizeof printers / sizeof printers[0]; i++) {
		if (strcmp(name, printers[i].name) != 0)
			continue;
		ranks_choose(false);
		printers[i].print(&s, tool_current());
		fputs(s.data, stdout);
		free(s.data);
		leave(EXIT_DONE);
	}
}

static _Noreturn void unknown_option(const char *name)
{
	const char *names[128] = {0};
	const struct opt *o;

	for (int k = 0; k < 127 && (o = opt_at(k)); k++)
		names[k] = o->name;
	const char *near = nearest_name(name, names);
	if (near)
		usage_error("unknown option --%s; did you mean --%s?", name, near);
	usage_error("unknown option --%s", name);
}

/** The option of that name or unique prefix. */
static const struct opt *find_long(const char *name)
{
	const struct opt *o, *found = NULL;
	struct str all = {0};
	int n = 0;

	for (int k = 0; (o = opt_at(k)); k++)
		if (!strcmp(o->name, name) || opt_is_renamed(o->name, name))
			return o;
	for (int k = 0; (o = opt_at(k)); k++) {
		if (strncmp(o->name, name, strlen(name)) != 0)
			continue;
		str_printf(&all, "%s--%s", n++ ? ", " : "", o->name);
		found = o;
	}
	if (n > 1)
		usage_error("--%s is ambiguous: %s", name, all.data);
	if (n == 0)
		unknown_option(name);
	free(all.data);
	return found;
}

static void line_add_item(struct line *l, const struct opt *o, const char *text)
{
	answer(o->name, text);
	l->items[l->items_n++] = (struct item){o, text};
}

/** "--name", "--name=value" or "--name value"; returns how many words it took. */
static int take_long(struct line *l, const char *word, const char *next)
{
	const char *value = strchr(word, '=');
	char *name = value ? strndup(word + 2, (size_t)(value - word - 2)) : mem_strdup(word + 2);
	int taken = 1;

	if (!value)
		answer(name, NULL); // also the hidden ones, by their full name
	const struct opt *o = find_long(name);
	free(name);

	if (value)
		value++;
	if (value && !opt_takes_value(o))
		usage_error("--%s takes no value, found '%s'", o->name, value);
	if (!value && opt_takes_value(o) && !(o->flags & OPT_OPTIONAL)) {
		if (!next)
			usage_error("--%s needs a value (%s)", o->name, o->arg);
		value = next;
		taken = 2;
	}
	line_add_item(l, o, value);
	return taken;
}

/** "-q", "-qv", "-j4", "-j 4", "-g0"; returns how many words it took. */
static int take_short(struct line *l, const char *word, const char *next)
{
	for (const char *p = word + 1; *p; p++) {
		const struct opt *o = opt_find_short(*p);
		if (!o)
			usage_error("unknown option -%c in '%s'", *p, word);

		if (!opt_takes_value(o)) {
			line_add_item(l, o, NULL);
			continue;
		}
		if (o->flags & OPT_OPTIONAL) { // a value only when it is attached
			const size_t digits = strspn(p + 1, "0123456789");
			line_add_item(l, o, digits ? strndup(p + 1, digits) : NULL);
			p += digits;
			continue;
		}
		if (p[1]) {
			line_add_item(l, o, p[1] == '=' ? p + 2 : p + 1);
			return 1;
		}
		if (!next)
			usage_error("-%c needs a value (%s)", *p, o->arg);
		line_add_item(l, o, next);
		return 2;
	}
	return 1;
}

/** "-" alone and negative numbers are arguments, not options. */
static bool is_argument(const char *word)
{
	if (word[0] != '-' || !word[1])
		return true;
	if (isdigit((unsigned char)word[1]) || (word[1] == '.' && isdigit((unsigned char)word[2])))
		return true;
	return (!strcmp(word, "-i") || !strcmp(word, "-inf")) && !opt_find_short('i');
}

static void read_line(struct line *l, int argc, char *argv[])
{
	bool options = true;

	for (int i = 1; i < argc;) {
		const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (!options || is_argument(word)) {
			l->words[l->words_n++] = word;
			i++;
		} else if (!strcmp(word, "--")) {
			options = false;
			i++;
		} else {
			i += word[1] == '-' ? take_long(l, word, next) : take_short(l, word, next);
		}
	}
}

static bool is_common(const struct opt *o)
{
	for (const struct opt *c = opt_common; c->kind != OPT_KIND_END; c++)
		if (c == o)
			return true;
	return false;
}

static void set_options(const struct line *l)
{
	for (int i = 0; i < l->items_n; i++) {
		const struct opt *o = l->items[i].opt;
		const char *text = l->items[i].text;

		if (text || !opt_takes_value(o))
			opt_value_set(o, text);
		if (o->given)
			*o->given = true;
		if (!is_common(o))
			opt_words_option(o, text);
	}
}

/** Whether a word may be the option --loop, whose slices ranks share. */
static bool mentions_loop(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && strchr(argv[i], 'l'))
			return true;
	return false;
}

void tool_init(const struct tool *t, int argc, char *argv[])
{
	static const char **words; // lists of arguments point into them
	struct line l = {0};

	guard_standard_streams();
	opt_words_tool(t, argc, argv);
	tool_name = t->name;
	ranks_start();
	if (!t->by_parts && !mentions_loop(argc, argv))
		ranks_choose(false);
	opt_words_reset();
	opt_common_reset();

	int letters = 0; // bounds the options: each letter of a word may be one
	for (int i = 1; i < argc; i++)
		letters += (int)strlen(argv[i]) + 1;
	l.items = mem_calloc((size_t)letters + 1, sizeof *l.items);
	free(words);
	l.words = words = mem_calloc((size_t)argc + 1, sizeof *words);

	read_line(&l, argc, argv);
	set_options(&l);
	opt_assign_arguments(tool_current(), l.words_n, l.words);
	opt_check_streams();
	free(l.items);
	cfl_install_signals();
	opt_common_apply();
	ranks_choose((t->by_parts || opt_common_loops()) && opt_common_by_parts());
	if (ranks_count() > 1)
		verbose("%d ranks: %s", ranks_count(),
		        ranks_shared() ? "each a part of the work" : "rank 0 does all of the work");
	opt_check_outputs(tool_current());
}
