/** Writes the shell script that repeats a history. The parser reads all text, which is quoted again. Every
 * step is one line, and steps that do more than create arrays become comments. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/history.h"
#include "misc/file/history_line.h"
#include "misc/file/history_safety.h"
#include "misc/mem.h"
#include "misc/printable.h"
#include "misc/strset.h"

struct script {
	struct str text;
	struct history_line *steps;
	int n;
	char *name;                // of the result
	char *last;                // "ID" or "ID.N" of the result
	struct strset made;        // "ID" and "ID.N" of the steps so far
	struct str originals;      // checked ones, as "<NAME:BYTES:HASH>" words, one per line
	struct strset known, used; // these words; their names in the folder
};

static const char prefix[] = "gantry-";
static const char line_feed[] = "\"$nl\"";

/* One line of the script whatever the text holds: control characters come from printf and $nl. */
static void add_quoted(struct str *s, const char *text)
{
	bool printable;

	str_add(s, "'");

	for (size_t n; *text; text += n) {
		n = printable_char(text, &printable);

		if (printable && '\'' != *text) {
			str_addn(s, text, n);
			continue;
		}

		str_add(s, "'");

		if ('\'' == *text)
			str_add(s, "\\'");
		else if ('\n' == *text)
			str_add(s, line_feed);
		else
			str_add(s, "\"$(printf '");

		for (size_t i = 0; i < n && !printable && '\n' != *text; i++)
			str_printf(s, "\\%03o", (unsigned char)text[i]);

		str_add(s, printable || '\n' == *text ? "'" : "')\"'");
	}

	str_add(s, "'");
}

static bool is_plain(const char *text)
{
	struct str s = {0};

	str_add_shell(&s, text);

	const bool plain = 0 == strcmp(s.data, text);

	free(s.data);
	return plain;
}

static void add_shell(struct str *s, const char *text)
{
	if (is_plain(text))
		str_add(s, text);
	else
		add_quoted(s, text);
}

/* A file, which is neither an option, nor an array in memory, nor NAME=FILE. */
static void add_file(struct str *s, const char *name)
{
	char *here = mem_printf("%s%s", '-' == *name || '@' == *name || strchr(name, '=') ? "./" : "", name);

	add_shell(s, here);
	free(here);
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

static void expect_made(const struct script *s, const char *reference)
{
	if (!strset_has(&s->made, reference))
		error("%s: damaged history: it refers to the unknown step @%s", s->name, reference);
}

/* Those behind it may use what the step makes. */
static void note_made(struct script *s, const struct history_line *step)
{
	if (step->outputs > 0)
		strset_add(&s->made, step->id);

	for (int i = 1; i <= step->outputs; i++) {
		char *reference = mem_printf("%s.%d", step->id, i);

		strset_add(&s->made, reference);
		free(reference);
	}
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
	struct str word = {0};

	history_original_format(&word, name, w->bytes, w->hash);

	const bool known = strset_has(&s->known, word.data);
	const bool free_name = strset_add(&s->used, name);

	if (free_name && !known) {
		strset_add(&s->known, word.data);
		str_printf(&s->originals, "%s\n", word.data); // has no line feed
	}

	free(word.data);
	return known || free_name;
}

/* Does a name lead out of the current folder? */
static bool leads_out(const char *name)
{
	bool out = '/' == *name;

	for (const char *part = name; part && !out; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		out = 0 == strncmp(part, "..", 2) && ('/' == part[2] || '\0' == part[2]);

	return out;
}

/* The name of an original in the folder (malloc'd): its own without ways out of the folder; for another one
 * of the same name in a folder named like its hash. */
static char *original_name(struct script *s, const struct history_word *w)
{
	const char *name = w->text;
	char *base = base_name(name);

	if (leads_out(base)) {
		free(base);
		base = mem_strdup("original");
	}

	const bool stream = 0 == strcmp(name, "-") && 0 == strcmp(w->hash, "unhashed");
	char *used = mem_strdup(stream ? "stdin" : leads_out(name) ? base : name);

	if (claim(s, w, used)) {
		free(base);
		return used;
	}

	free(used);
	used = mem_printf("%s/%s", w->hash, base);
	free(base);

	if (!claim(s, w, used))
		error("%s: damaged history: two different originals are named %s", s->name, used);

	return used;
}

static void add_value(struct script *s, int step, const struct history_word *w)
{
	char *name = NULL;

	switch (w->kind) {
	case HISTORY_TEXT:
		add_shell(&s->text, w->text);
		return;
	case HISTORY_ARRAY:
		expect_made(s, w->text);
		name = array_name(s, w->text);
		break;
	case HISTORY_ORIGINAL:
		name = original_name(s, w);
		break;
	case HISTORY_OUTPUT:
		name = output_name(s, &s->steps[step], w->output);
		break;
	}

	add_file(&s->text, name);
	free(name);
}

static bool is_option(const struct history_word *w)
{
	return w->option && '-' == *w->option;
}

static bool begins_with_dash(const struct history_word *w)
{
	return !w->option && HISTORY_TEXT == w->kind && w->text && '-' == *w->text;
}

/* The option as it stands in the history, whose name may hold anything, with its "=". */
static void add_option(struct script *s, const struct history_word *w, bool value)
{
	char *text = mem_printf("%s%s", w->option, value ? "=" : "");
	const size_t plain =
	        strspn(w->option, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	if (w->option[plain])
		add_quoted(&s->text, text);
	else
		str_add(&s->text, text);

	free(text);
}

static void add_words(struct script *s, int step)
{
	const struct history_line *l = &s->steps[step];
	bool dashes = false, options = true;
	int outputs = 0;

	for (int i = 1; i < l->n; i++)
		dashes |= begins_with_dash(&l->words[i]);

	str_printf(&s->text, "gantry %s", l->words[0].text);

	for (int i = 1; i < l->n; i++) {
		const struct history_word *w = &l->words[i];

		if (history_is_silent(l, i, outputs)) {
			free(original_name(s, w));
			continue;
		}

		outputs += HISTORY_OUTPUT == w->kind;

		if (options && !is_option(w) && dashes)
			str_add(&s->text, " --");

		options = is_option(w);
		str_add(&s->text, " ");

		bool value = w->text || HISTORY_OUTPUT == w->kind;

		if (w->option)
			add_option(s, w, value);

		if (value)
			add_value(s, step, w);
	}

	str_add(&s->text, "\n");
}

/* Steps that do more than make arrays are left to whoever has read them. */
static bool add_step(struct script *s, int step, const struct commands *known)
{
	const struct history_line *l = &s->steps[step];
	char *danger = known ? history_danger(l, known) : NULL;

	if (danger)
		str_printf(&s->text, "# left out: %s ('gantry history --trust' keeps the step)\n# ", danger);

	add_words(s, step);
	note_made(s, l);

	if (danger)
		str_printf(&s->text, "echo 'step %s is left out: read this script' >&2\nexit 1\n", l->id);

	free(danger);
	return danger;
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
		add_shell(out, word);
		str_add(out, "\n");
		free(word);
		p += n + 1;
	}
}

static void script_free(struct script *s)
{
	for (int i = 0; i < s->n; i++)
		history_line_free(&s->steps[i]);

	free(s->steps);
	free(s->text.data);
	free(s->originals.data);
	free(s->name);
	strset_free(&s->made);
	strset_free(&s->known);
	strset_free(&s->used);
}

static void begin_script(const struct script *s, struct str *out)
{
	str_add(out, "#!/bin/sh\n# Run this in an otherwise empty folder that holds the original inputs: it "
	             "checks them, then makes ");
	str_add_printable(out, s->name);
	str_add(out, ".\nset -eu\n");

	if (strstr(s->text.data, line_feed))
		str_add(out, "nl='\n'\n");
}

char *history_script(const char *history, const char *name, const struct commands *known)
{
	struct script s = {.name = 0 == strcmp(name, "-") ? mem_strdup("rebuilt") : base_name(name)};
	char *last = history_last(history);
	int left_out = 0;

	if (!last)
		error("%s has no history, expected an array that Gantry wrote", name);

	s.last = last + 1;
	parse_steps(&s, history);

	for (int i = 0; i < s.n; i++)
		left_out += add_step(&s, i, known);

	expect_made(&s, s.last);

	struct str all = {0};

	begin_script(&s, &all);
	add_removal(&s, &all);
	add_checks(&s, &all);
	str_add(&all, s.text.data);

	if (left_out)
		warn("%s: %d of %d steps are left out of the script, which states the reasons (--trust "
		     "keeps these steps)",
		        name, left_out, s.n);

	script_free(&s);
	free(last);
	return all.data;
}
