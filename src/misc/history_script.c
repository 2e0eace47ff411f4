/** A history as the shell script that repeats it. Nothing of the text goes into the script but through the
 * parser and new quotes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/history.h"
#include "misc/history_line.h"
#include "misc/mem.h"

struct script {
	struct str text;
	struct history_line *steps;
	int n;
	char *name;           // of the result
	char *last;           // "ID" or "ID.N" of the result
	struct str originals; // checked ones, as "<NAME:BYTES:HASH>" words, one per line
	struct str names;     // of all originals as used in the folder, one per line
};

static const char prefix[] = "gantry-";

/* Is `line` one of the lines of s? */
static bool has_line(const struct str *s, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = s->data; p && *p; p = strchr(p, '\n') + 1)
		if (0 == strncmp(p, line, n) && '\n' == p[n])
			return true;

	return false;
}

static void add_line(struct str *s, const char *line)
{
	str_printf(s, "%s\n", line);
}

static char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *base = mem_strdup(slash && slash[1] ? slash + 1 : name);
	size_t n = strlen(base);

	if (n > 4 && (0 == strcmp(base + n - 4, ".cfl") || 0 == strcmp(base + n - 4, ".hdr")))
		base[n - 4] = '\0';

	return base;
}

static void parse_steps(struct script *s, const char *history)
{
	for (const char *line = history; line && *line;) {
		const char *end = strchr(line, '\n');

		if ('@' != *line) {
			s->steps = mem_realloc(s->steps, (size_t)(s->n + 1) * sizeof *s->steps);

			if (!history_line_parse(&s->steps[s->n++], line))
				error("%s: damaged history at '%.40s'", s->name, line);
		}

		line = end ? end + 1 : NULL;
	}
}

/* The step before `before` that made array "ID" or "ID.N". */
static void expect_made(const struct script *s, int before, const char *reference)
{
	for (int i = 0; i < before; i++) {
		if (0 != strncmp(s->steps[i].id, reference, 16))
			continue;

		int output = reference[16] ? atoi(reference + 17) : 1;

		if (output >= 1 && output <= s->steps[i].outputs)
			return;
	}

	error("%s: damaged history: nothing makes @%s", s->name, reference);
}

/* Under which name array "ID" or "ID.N" stands in the folder (malloc'd). */
static char *array_name(const struct script *s, const char *reference)
{
	return 0 == strcmp(reference, s->last) ? mem_strdup(s->name) : mem_printf("%s%s", prefix, reference);
}

static char *output_name(const struct script *s, const struct history_line *step, int output)
{
	char *reference = step->outputs > 1 ? mem_printf("%s.%d", step->id, output) : mem_strdup(step->id);
	char *name = array_name(s, reference);

	free(reference);
	return name;
}

/* Takes `name` for the original w, unless another one has it already. */
static bool claim(struct script *s, const struct history_word *w, const char *name)
{
	struct str word = {0}, line = {0};

	history_original_format(&word, name, w->bytes, w->hash);
	history_quote(&line, name);

	bool known = has_line(&s->originals, word.data);
	bool free_name = !has_line(&s->names, line.data);

	if (free_name) {
		add_line(&s->names, line.data);
		add_line(&s->originals, word.data);
	}

	free(word.data);
	free(line.data);
	return known || free_name;
}

/* The name of an original in the folder (malloc'd): its own without ways out of the folder; for another one
 * of the same name in a folder named like its hash. */
static char *original_name(struct script *s, const struct history_word *w)
{
	const char *name = w->text;
	bool outside = '/' == *name || 0 == strcmp(name, "..") || 0 == strncmp(name, "../", 3) ||
	               strstr(name, "/../");
	char *used = outside ? base_name(name) : mem_strdup(0 == strcmp(name, "-") ? "stdin" : name);

	if (claim(s, w, used))
		return used;

	char *base = base_name(name);

	free(used);
	used = mem_printf("%s/%s", w->hash, base);
	free(base);

	if (!claim(s, w, used))
		error("%s: damaged history: two originals %s", s->name, used);

	return used;
}

static void add_value(struct script *s, int step, const struct history_word *w)
{
	char *name = NULL;

	switch (w->kind) {
	case HISTORY_TEXT:
		str_add_shell(&s->text, w->text);
		return;
	case HISTORY_ARRAY:
		expect_made(s, step, w->text);
		name = array_name(s, w->text);
		break;
	case HISTORY_ORIGINAL:
		name = original_name(s, w);
		break;
	case HISTORY_OUTPUT:
		name = output_name(s, &s->steps[step], w->output);
		break;
	}

	str_add_shell(&s->text, name);
	free(name);
}

static bool is_option(const struct history_word *w)
{
	return w->option && '-' == *w->option;
}

static bool begins_with_dash(const struct history_word *w)
{
	return !w->option && w->text && '-' == *w->text && HISTORY_ARRAY != w->kind;
}

static void add_step(struct script *s, int step)
{
	const struct history_line *l = &s->steps[step];
	bool dashes = false, options = true;
	int output = 0;

	for (int i = 1; i < l->n; i++)
		dashes |= begins_with_dash(&l->words[i]);

	str_printf(&s->text, "gantry %s", l->words[0].text);

	for (int i = 1; i < l->n; i++) {
		const struct history_word *w = &l->words[i];

		output += HISTORY_OUTPUT == w->kind;

		// originals behind the outputs were read but stood on no command line
		if (output == l->outputs && output > 0 && HISTORY_ORIGINAL == w->kind && !w->option) {
			free(original_name(s, w));
			continue;
		}

		if (options && !is_option(w) && dashes)
			str_add(&s->text, " --");

		options = is_option(w);
		str_add(&s->text, " ");

		bool value = w->text || HISTORY_OUTPUT == w->kind;

		if (w->option)
			str_printf(&s->text, "%s%s", w->option, value ? "=" : "");

		if (value)
			add_value(s, step, w);
	}

	str_add(&s->text, "\n");
}

/* Every array but the result. */
static void add_removal(struct script *s, struct str *out)
{
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		for (int k = 1; k <= s->steps[i].outputs; k++) {
			char *name = output_name(s, &s->steps[i], k);

			if (0 != strcmp(name, s->name))
				str_printf(out, "%s%s.hdr %s.cfl %s.history", n++ ? " " : "trap 'rm -f ",
				        name, name, name);

			free(name);
		}
	}

	if (n > 0)
		str_add(out, "' EXIT\ntrap 'exit 1' HUP INT TERM\n");
}

static void add_checks(const struct script *s, struct str *out)
{
	for (const char *p = s->originals.data; p && *p;) {
		size_t n = strcspn(p, "\n");
		char *word = mem_printf("%.*s", (int)n, p);

		str_add(out, "gantry history --verify ");
		str_add_shell(out, word);
		str_add(out, "\n");
		free(word);
		p += n + 1;
	}
}

char *history_script(const char *history, const char *name)
{
	struct script s = {.name = 0 == strcmp(name, "-") ? mem_strdup("rebuilt") : base_name(name)};
	char *last = history_last(history);

	if (!last)
		error("%s: no history, expected an array that Gantry wrote", name);

	s.last = last + 1;
	parse_steps(&s, history);
	expect_made(&s, s.n, s.last);

	for (int i = 0; i < s.n; i++)
		add_step(&s, i);

	struct str all = {0};

	str_add(&all, "#!/bin/sh\n# Run this in an otherwise empty folder that holds the original inputs: it "
	              "checks them, then makes ");
	str_add_shell(&all, s.name);
	str_add(&all, ".\nset -eu\n");
	add_removal(&s, &all);
	add_checks(&s, &all);
	str_add(&all, s.text.data);

	for (int i = 0; i < s.n; i++)
		history_line_free(&s.steps[i]);

	free(s.steps);
	free(s.text.data);
	free(s.originals.data);
	free(s.names.data);
	free(s.name);
	free(last);
	return all.data;
}
