/** Reads the table of all commands. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/commands.h"
#include "misc/options/parse.h"

static void add_command(struct commands *c, char *fields[3])
{
	c->v = mem_realloc(c->v, (size_t)(c->n + 1) * sizeof *c->v);
	c->v[c->n++] = (struct command){.name = fields[0], .about = fields[1], .synonyms = fields[2]};
}

static void add_word(struct command_word **words, int *n, char *fields[3])
{
	*words = mem_realloc(*words, (size_t)(*n + 1) * sizeof **words);
	(*words)[(*n)++] = (struct command_word){fields[0], fields[1], fields[2]};
}

/* "KIND\tA\tB\tC" cut at its tabs; false when it is something else. */
static bool add_line(struct commands *c, char *line)
{
	const char *kind = strsep(&line, "\t");
	char *fields[3];

	for (int i = 0; i < 3; i++)
		if (!(fields[i] = strsep(&line, "\t")))
			return false;

	struct command *last = c->n > 0 ? &c->v[c->n - 1] : NULL;

	if (0 == strcmp(kind, "command"))
		add_command(c, fields);
	else if (last && 0 == strcmp(kind, "group"))
		last->group = atoi(fields[0]);
	else if (last && 0 == strcmp(kind, "argument"))
		add_word(&last->arguments, &last->arguments_n, fields);
	else if (last && 0 == strcmp(kind, "option"))
		add_word(&last->options, &last->options_n, fields);
	else
		return false;

	return !line;
}

void commands_parse(struct commands *c, char *text, const char *name)
{
	*c = (struct commands){.text = text};

	for (char *line; (line = strsep(&text, "\n")) && *line;)
		if (!add_line(c, line))
			error("%s cannot be read (run 'make', or install again)", name);
}

void commands_read(struct commands *c, const char *folder)
{
	char *path = mem_printf("%s/commands.tsv", folder);

	if (0 != access(path, R_OK))
		error("%s: %s (run 'make', or install again)", path, strerror(errno));

	commands_parse(c, file_read_text(path), path);
	free(path);
}

void commands_free(struct commands *c)
{
	for (int i = 0; i < c->n; i++) {
		free(c->v[i].arguments);
		free(c->v[i].options);
	}

	free(c->v);
	free(c->text);
	*c = (struct commands){0};
}

const struct command *commands_find(const struct commands *c, const char *name)
{
	for (int i = 0; i < c->n; i++)
		if (0 == strcmp(c->v[i].name, name))
			return &c->v[i];

	return NULL;
}

static bool is_synonym(const struct command *c, const char *name)
{
	const size_t n = strlen(name);

	for (const char *p = c->synonyms; *p; p += strspn(p, " ")) {
		const size_t length = strcspn(p, " ");

		if (length == n && 0 == strncasecmp(p, name, n))
			return true;

		p += length;
	}

	return false;
}

static char *nearest_hint(const struct commands *c, const char *name)
{
	const char **names = mem_calloc((size_t)c->n + 2, sizeof *names);

	for (int i = 0; i < c->n; i++)
		names[i] = c->v[i].name;

	names[c->n] = "help";

	const char *near = nearest_name(name, names);
	char *hint =
	        near ? mem_printf("; did you mean '%s'?", near) : mem_strdup(" ('gantry help' lists them)");

	free(names);
	return hint;
}

char *commands_hint(const struct commands *c, const char *name)
{
	struct str s = {0};

	for (int i = 0; i < c->n; i++)
		if (is_synonym(&c->v[i], name))
			str_printf(&s, "%s'%s'", s.len ? " or " : "; use ", c->v[i].name);

	return s.len ? s.data : nearest_hint(c, name);
}

bool command_mentions(const struct command *c, const char *word)
{
	bool found = strcasestr(c->name, word) || strcasestr(c->about, word) || strcasestr(c->synonyms, word);

	for (int i = 0; i < c->arguments_n && !found; i++)
		found = strcasestr(c->arguments[i].name, word) || strcasestr(c->arguments[i].help, word);

	for (int i = 0; i < c->options_n && !found; i++)
		found = strcasestr(c->options[i].name, word) || strcasestr(c->options[i].help, word);

	return found;
}

bool command_word_has(const struct command_word *w, char flag)
{
	return NULL != strchr(w->flags, flag);
}

static int needs(const struct command_word *w)
{
	if (command_word_has(w, '?'))
		return 0;

	return command_word_has(w, 'p') ? 2 : 1;
}

bool command_share(const struct command *c, int n, int which[])
{
	int spare = n, k = 0;

	for (int a = 0; a < c->arguments_n; a++)
		spare -= needs(&c->arguments[a]);

	// as opt_assign_arguments() does
	for (int a = 0; a < c->arguments_n && spare >= 0; a++) {
		const struct command_word *w = &c->arguments[a];
		const int more = command_word_has(w, 'm')                ? spare
		                 : command_word_has(w, '?') && spare > 0 ? 1
		                                                         : 0;

		for (int i = 0; i < needs(w) + more; i++)
			which[k++] = a;

		spare -= more;
	}

	return 0 == spare;
}
