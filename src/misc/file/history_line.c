/** Parses and writes the lines of a history. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/history_line.h"
#include "misc/hash.h"

enum { ID = 16 };

static const char hex[] = "0123456789abcdef";
static const char line_feed[] = "$'\\n'"; // a quoted text continues after it
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+%";

bool history_is_step(const char *line)
{
	return ID == strspn(line, hex) && ':' == line[ID] && ' ' == line[ID + 1];
}

void history_id(char id[17], const char *text, size_t n)
{
	char hash[HASH_TEXT];

	hash_text(hash, text, n);
	memcpy(id, hash, ID);
	id[ID] = '\0';
}

void history_quote(struct str *s, const char *text)
{
	if (*text && '\0' == text[strspn(text, plain)] && 0 != strncmp(text, "--", 2)) {
		str_add(s, text);
		return;
	}

	str_add(s, "'");

	for (const char *p = text; *p; p++) {
		if ('\'' == *p)
			str_add(s, "'\\''");
		else if ('\n' == *p)
			str_printf(s, "'%s'", line_feed);
		else
			str_addn(s, p, 1);
	}

	str_add(s, "'");
}

void history_original_format(struct str *s, const char *name, long bytes, const char *hash)
{
	str_add(s, "<");
	history_quote(s, name);
	str_printf(s, ":%ld:%s>", bytes, hash);
}

/* Undoes history_quote() up to the blank or line end that follows; NULL when a quote is not closed. */
static char *unquote(const char **p)
{
	struct str s = {0};
	bool inside = false;

	str_add(&s, "");

	for (; **p && '\n' != **p && (inside || ' ' != **p); ++*p) {
		if ('\'' == **p) {
			inside = !inside;
		} else if (!inside && '\\' == **p && (*p)[1] && '\n' != (*p)[1]) {
			++*p;
			str_addn(&s, *p, 1);
		} else if (!inside && 0 == strncmp(*p, line_feed, strlen(line_feed))) {
			str_add(&s, "\n");
			*p += strlen(line_feed) - 1;
		} else {
			str_addn(&s, *p, 1);
		}
	}

	if (!inside)
		return s.data;

	free(s.data);
	return NULL;
}

/* text = "NAME:BYTES:HASH>" without quotes; NAME may hold colons. */
static bool split_original(struct history_word *w, char *text)
{
	size_t n = strlen(text);
	char *hash = strrchr(text, ':');

	if (n < 2 || '>' != text[n - 1] || !hash)
		return false;

	text[n - 1] = '\0';
	*hash++ = '\0';

	char *bytes = strrchr(text, ':');
	char *end;

	if (!bytes)
		return false;

	*bytes++ = '\0';
	errno = 0;
	w->bytes = strtol(bytes, &end, 10);

	if (end == bytes || *end || errno || w->bytes < 0 || !*text || !*hash ||
	        hash[strspn(hash, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return false;

	w->kind = HISTORY_ORIGINAL;
	w->text = mem_strdup(text);
	w->hash = mem_strdup(hash);
	return true;
}

static bool is_reference(const char *text)
{
	if (ID != strspn(text, hex))
		return false;

	return !text[ID] ||
	       ('.' == text[ID] && text[ID + 1] && !text[ID + 1 + strspn(text + ID + 1, "0123456789")]);
}

/* What follows an optional "--name=": a special word begins with an unquoted @, < or >. */
static bool parse_value(struct history_word *w, const char **p)
{
	char first = **p;

	if ('@' == first || '<' == first || '>' == first)
		++*p;

	char *text = unquote(p);
	bool good = NULL != text;

	if (good && '<' == first) {
		good = split_original(w, text);
	} else if (good && '>' == first) {
		w->kind = HISTORY_OUTPUT;
		w->output = *text ? atoi(text) : 1;
		good = '\0' == text[strspn(text, "0123456789")] && w->output >= 1;
	} else if (good) {
		w->kind = '@' == first ? HISTORY_ARRAY : HISTORY_TEXT;
		w->text = mem_strdup(text);
		good = '@' != first || is_reference(text);
	}

	free(text);
	return good;
}

/* Does an argument begin with "NAME=" before a special word? A '=' in a text is quoted. */
static bool is_named(const char *p)
{
	size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && '=' == p[n] && p[n + 1] && strchr("@<>", p[n + 1]);
}

static bool parse_word(struct history_word *w, const char **p)
{
	if (0 != strncmp(*p, "--", 2) && !is_named(*p))
		return parse_value(w, p);

	size_t n = strcspn(*p, "= \n");

	w->option = mem_printf("%.*s", (int)n, *p);
	*p += n;

	if ('=' != **p)
		return true; // a flag

	++*p;
	return parse_value(w, p);
}

bool history_original_parse(struct history_word *w, const char *text)
{
	*w = (struct history_word){0};
	return '<' == *text && parse_value(w, &text) && '\0' == *text;
}

bool history_line_parse(struct history_line *l, const char *text)
{
	*l = (struct history_line){0};

	if (!history_is_step(text))
		return false;

	const char *p = text + ID + 2;
	char id[ID + 1];

	history_id(id, p, strcspn(p, "\n"));

	if (0 != strncmp(id, text, ID))
		return false;

	memcpy(l->id, id, sizeof id);

	while (*p && '\n' != *p) {
		l->words = mem_realloc(l->words, (size_t)(l->n + 1) * sizeof *l->words);
		l->words[l->n] = (struct history_word){0};

		struct history_word *w = &l->words[l->n++];

		if (!parse_word(w, &p))
			return false;

		l->outputs += HISTORY_OUTPUT == w->kind;
		p += ' ' == *p;
	}

	const struct history_word *tool = l->words;

	return l->n > 0 && HISTORY_TEXT == tool->kind && tool->text && !tool->option && *tool->text &&
	       '\0' == tool->text[strspn(tool->text, "abcdefghijklmnopqrstuvwxyz0123456789-")] &&
	       '-' != *tool->text;
}

void history_line_free(struct history_line *l)
{
	for (int i = 0; i < l->n; i++) {
		free(l->words[i].option);
		free(l->words[i].text);
		free(l->words[i].hash);
	}

	free(l->words);
}
