/** Finds actions of a step of a history other than creating arrays. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/history_safety.h"
#include "misc/mem.h"
#include "misc/printable.h"

static bool is_option(const struct history_word *w)
{
	return w->option && '-' == *w->option;
}

bool history_is_silent(const struct history_line *l, int i, int outputs)
{
	const struct history_word *w = &l->words[i];

	return outputs > 0 && outputs == l->outputs && HISTORY_ORIGINAL == w->kind && !w->option;
}

static const struct command_word *find_option(const struct command *c, const char *name)
{
	static const struct command_word loop = {
	        "loop", "v", ""}; // the one of all commands that changes results

	for (int i = 0; i < c->options_n; i++)
		if (0 == strcmp(c->options[i].name, name) || opt_is_renamed(c->options[i].name, name))
			return &c->options[i];

	return 0 == strcmp(name, loop.name) ? &loop : NULL;
}

/* "WHAT" with the name of an option or argument, which may hold anything. */
static char *phrase(const char *name, const char *what)
{
	struct str s = {0};

	str_addn_printable(&s, name, 40);
	str_printf(&s, " %s", what);
	return s.data;
}

static char *danger_of_option(const struct command *c, const struct history_word *w)
{
	const struct command_word *o =
	        0 == strncmp(w->option, "--", 2) ? find_option(c, w->option + 2) : NULL;

	if (!o)
		return phrase(w->option, "is not an option of the command");
	if (command_word_has(o, 'v') && !w->text && HISTORY_OUTPUT != w->kind)
		return phrase(w->option, "has no value and would take the next word");
	if (command_word_has(o, 'r'))
		return phrase(w->option, "runs a program");
	if (command_word_has(o, 'w'))
		return phrase(w->option, "writes a file");
	if (command_word_has(o, 'n'))
		return phrase(w->option, "is not part of histories");
	if (command_word_has(o, 'o') && HISTORY_OUTPUT != w->kind)
		return phrase(w->option, "writes another array than those of the step");

	return NULL;
}

static bool is_letter(char c)
{
	return '_' == c || isalnum((unsigned char)c);
}

/* Does an expression hold "NAME =" of the option "NAME="? */
static bool assigns(const char *text, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = text; (p = strstr(p, name)); p++) {
		const char *after = p + n + strspn(p + n, " \t\r\n");

		if ((p == text || !is_letter(p[-1])) && '=' == after[0] && '=' != after[1])
			return true;
	}

	return false;
}

/* Is the last result of an expression named, with a file of its own among the words? */
static bool last_is_named(const char *text, int n, const struct history_word *const words[])
{
	const char *last = strrchr(text, ';');

	for (int i = 1; i < n; i++)
		if (words[i]->option && HISTORY_OUTPUT == words[i]->kind &&
		        assigns(last ? last : text, words[i]->option))
			return true;

	return false;
}

/* An original among words that are read or written as the expression before them says: it is read when the
 * expression does not assign its name, or when the file of the last result is another word. */
static bool is_read(int i, int n, const struct history_word *const words[])
{
	if (HISTORY_TEXT != words[0]->kind)
		return false;

	if (words[i]->option)
		return !assigns(words[0]->text, words[i]->option);

	for (int k = i + 1; k < n; k++)
		if (!words[k]->option && HISTORY_OUTPUT == words[k]->kind)
			return true;

	return last_is_named(words[0]->text, n, words);
}

static char *danger_of_argument(
        const struct command_word *a, int i, int n, const struct history_word *const words[])
{
	const struct history_word *w = words[i];

	if (command_word_has(a, 'r'))
		return phrase(a->name, "is run");
	if (command_word_has(a, 'o') && (HISTORY_OUTPUT != w->kind || w->option))
		return phrase(a->name, "is another array than that of the step");
	if (command_word_has(a, 'w') && HISTORY_TEXT == w->kind)
		return phrase(a->name, "may be a file outside the folder");
	if (command_word_has(a, 'w') && HISTORY_ORIGINAL == w->kind && !is_read(i, n, words))
		return phrase(w->text, "would be replaced");

	return NULL;
}

static char *danger_of_arguments(const struct command *c, int n, const struct history_word *const words[])
{
	int *which = mem_calloc((size_t)n + 1, sizeof *which);
	char *danger = NULL;

	if (!command_share(c, n, which))
		danger = mem_printf("%d arguments are not what the command takes", n);

	for (int i = 0; i < n && !danger; i++)
		danger = danger_of_argument(&c->arguments[which[i]], i, n, words);

	free(which);
	return danger;
}

static char *danger_of_words(const struct command *c, const struct history_line *l)
{
	const struct history_word **arguments = mem_calloc((size_t)l->n, sizeof *arguments);
	char *danger = NULL;
	int n = 0, outputs = 0;

	for (int i = 1; i < l->n && !danger; i++) {
		const struct history_word *w = &l->words[i];
		const bool silent = history_is_silent(l, i, outputs);

		outputs += HISTORY_OUTPUT == w->kind;

		if (is_option(w) && n > 0)
			danger = phrase(w->option, "comes after an argument");
		else if (is_option(w))
			danger = danger_of_option(c, w);
		else if (!silent)
			arguments[n++] = w;
	}

	if (!danger)
		danger = danger_of_arguments(c, n, arguments);

	free(arguments);
	return danger;
}

char *history_danger(const struct history_line *l, const struct commands *known)
{
	const struct command *c = commands_find(known, l->words[0].text);

	if (!c)
		return phrase(l->words[0].text, "is not a command of this installation");
	if (0 == l->outputs)
		return phrase(c->name, "makes no array here");

	return danger_of_words(c, l);
}
