#include "ct/exchange/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"

enum { DEEPEST = 16 };

struct scanner {
	struct settings *out;
	const char *text, *p;
	const char *open[DEEPEST]; // names of the calls around p, NULL for brackets of another kind
	int depth;
};

static long line_of(const struct scanner *s)
{
	long line = 1;

	for (const char *p = s->text; p < s->p; p++)
		line += *p == '\n';

	return line;
}

static void skip_blank(struct scanner *s)
{
	while (*s->p) {
		if ('#' == *s->p)
			s->p += strcspn(s->p, "\n");
		else if (isspace((unsigned char)*s->p) || '\\' == *s->p)
			s->p++;
		else
			return;
	}
}

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || '_' == c;
}

static bool is_number_start(const char *p)
{
	p += ('+' == *p || '-' == *p);
	return isdigit((unsigned char)*p) || ('.' == *p && isdigit((unsigned char)p[1]));
}

/** The last part of a dotted name; NULL if there is no name. */
static char *take_name(struct scanner *s)
{
	const char *start = s->p;

	if (!is_name_start(*s->p))
		return NULL;

	for (; isalnum((unsigned char)*s->p) || '_' == *s->p || '.' == *s->p; s->p++)
		if ('.' == *s->p)
			start = s->p + 1;

	return mem_printf("%.*s", (int)(s->p - start), start);
}

static char *take_quoted(struct scanner *s)
{
	const char quote = *s->p, *start = s->p + 1, *end = strchr(start, quote);

	if (!end)
		error("%s: line %ld: unterminated string", s->out->path, line_of(s));

	s->p = end + 1;
	return mem_printf("%.*s", (int)(end - start), start);
}

static void add_number(struct scanner *s, struct setting *v)
{
	char *end;
	double x = strtod(s->p, &end);

	if (!isfinite(x))
		error("%s: line %ld: %s is not finite", s->out->path, line_of(s), v->key);

	if (0 == (v->n & (v->n - 1)))
		v->number = mem_realloc(v->number, (size_t)(v->n ? 2 * v->n : 1) * sizeof *v->number);

	v->number[v->n++] = x;
	s->p = end;
}

/** Whether the value before p is part of an expression, or continues in another way; further numbers and
 * brackets do so only in a list. */
static bool goes_on(struct scanner *s, int depth)
{
	s->p += strspn(s->p, " \t");

	if (!*s->p)
		return false;

	return is_name_start(*s->p) || strchr("*/+-%@^&|<>=!.(", *s->p) ||
	       (0 == depth && ('[' == *s->p || isdigit((unsigned char)*s->p)));
}

static void expect_end(struct scanner *s, const struct setting *v, int depth)
{
	if (goes_on(s, depth))
		error("%s: line %ld: %s is an expression or has a unit, expected plain numbers", s->out->path,
		        line_of(s), v->key);
}

static bool take_value(struct scanner *s, struct setting *v, int depth);

static void take_list(struct scanner *s, struct setting *v, int depth)
{
	const char close = ('[' == *s->p) ? ']' : ')';
	long before = v->n, lists = 0;

	for (s->p++;;) {
		skip_blank(s);

		if (!*s->p)
			error("%s: line %ld: unterminated list of %s", s->out->path, line_of(s), v->key);

		if (close == *s->p)
			break;

		if (',' == *s->p || ';' == *s->p) {
			s->p++;
			continue;
		}

		lists += ('[' == *s->p || '(' == *s->p);

		if (!take_value(s, v, depth + 1))
			error("%s: line %ld: %s contains something other than numbers", s->out->path,
			        line_of(s), v->key);

		expect_end(s, v, depth + 1);
	}

	s->p++;

	if (0 != lists) {
		v->nested = true;
		return;
	}

	if (v->width > 0 && v->width != v->n - before)
		error("%s: line %ld: rows of %s have %ld and %ld numbers, expected equal lengths",
		        s->out->path, line_of(s), v->key, v->width, v->n - before);

	v->width = v->n - before;
}

/** A call like np.array([1, 2], dtype=float): its first argument. */
static void take_wrapped(struct scanner *s, struct setting *v, const char *name, int depth)
{
	static const char *const plain[] = {
	        "array", "asarray", "float", "int", "float32", "float64", "int32"};
	bool known = false;
	int open = 1;

	for (int i = 0; i < 7; i++)
		known |= 0 == strcmp(name, plain[i]);

	if (!known)
		error("%s: line %ld: %s is a call of %s(), expected plain numbers", s->out->path, line_of(s),
		        v->key, name);

	s->p++;
	skip_blank(s);

	if (!take_value(s, v, depth + 1))
		error("%s: line %ld: %s has no value", s->out->path, line_of(s), v->key);

	expect_end(s, v, depth + 1);

	for (; open > 0; s->p++) {
		if (!*s->p)
			error("%s: line %ld: unterminated value of %s", s->out->path, line_of(s), v->key);

		open += ('(' == *s->p) - (')' == *s->p);
	}
}

/** Numbers without brackets, as in KEY = 1, 2, 3. */
static void take_bare_numbers(struct scanner *s, struct setting *v, int depth)
{
	add_number(s, v);

	for (;;) {
		const char *back = s->p;

		s->p += strspn(s->p, " \t");

		if (0 != depth || ',' != *s->p)
			return;

		s->p++;
		skip_blank(s);

		if (!is_number_start(s->p)) {
			s->p = back;
			return;
		}

		add_number(s, v);
		v->width = v->n;
	}
}

static bool take_value(struct scanner *s, struct setting *v, int depth)
{
	if (depth > DEEPEST)
		error("%s: line %ld: %s has brackets nested deeper than %d", s->out->path, line_of(s), v->key,
		        DEEPEST);

	if ('"' == *s->p || '\'' == *s->p) {
		free(v->word);
		v->word = take_quoted(s);
	} else if ('[' == *s->p || '(' == *s->p) {
		take_list(s, v, depth);
	} else if (is_number_start(s->p)) {
		take_bare_numbers(s, v, depth);
	} else if (is_name_start(*s->p)) {
		char *name = take_name(s);

		if ('(' == *s->p) {
			take_wrapped(s, v, name, depth);
			free(name);
		} else {
			free(v->word);
			v->word = name;
		}
	} else {
		return false;
	}

	return true;
}

static struct setting *add(struct settings *s, char *key)
{
	s->v = mem_realloc(s->v, (size_t)(s->n + 1) * sizeof *s->v);
	s->v[s->n] = (struct setting){.key = key};
	return s->v + s->n++;
}

/** Whether np.array(..) comes next. */
static bool is_wrapped(struct scanner *s)
{
	const char *back = s->p;
	char *name = take_name(s);
	bool wrapped = '(' == *s->p && (0 == strcmp(name, "array") || 0 == strcmp(name, "asarray"));

	free(name);
	s->p = back;
	return wrapped;
}

static void open_bracket(struct scanner *s, const char *call)
{
	if (s->depth == DEEPEST)
		error("%s: line %ld: brackets nested deeper than %d", s->out->path, line_of(s), DEEPEST);

	s->open[s->depth++] = call;
	s->p++;
}

static const char *called(const struct scanner *s)
{
	return s->depth > 0 ? s->open[s->depth - 1] : NULL;
}

/** NAME( was read: its arguments up to the first with a key. */
static void take_call(struct scanner *s, const char *name)
{
	char *word = mem_strdup(name);

	add(s->out, mem_strdup(SETTINGS_CALL))->word = word;
	open_bracket(s, word);

	for (int i = 0;; i++) {
		struct setting value = {.key = (char *)name};

		skip_blank(s);

		if ((is_name_start(*s->p) && !is_wrapped(s)) || !take_value(s, &value, 1))
			return;

		expect_end(s, &value, 0);
		value.key = mem_printf("%s.%d", name, i);
		value.call = word;
		*add(s->out, value.key) = value;
		skip_blank(s);

		if (',' == *s->p)
			s->p++;
	}
}

/** A name or a quoted text was read: a key when '=' or ':' follows. */
static void take_entry(struct scanner *s, char *name)
{
	skip_blank(s);

	if ('(' == *s->p) {
		take_call(s, name);
		free(name);
		return;
	}

	if (('=' != *s->p && ':' != *s->p) || '=' == s->p[1]) {
		free(name);
		return;
	}

	s->p++;
	skip_blank(s);

	if ('{' == *s->p) {
		free(name);
		return;
	}

	struct setting value = {.key = name, .call = called(s)};

	/* obj = pkg.call(..): a value that is computed, and the call is an entry of its own. */
	if (is_name_start(*s->p) && !is_wrapped(s)) {
		const char *back = s->p;

		free(take_name(s));

		const bool call = '(' == *s->p;

		s->p = back;

		if (call) {
			*add(s->out, name) = value;
			return;
		}
	}

	if (!take_value(s, &value, 0))
		error("%s: line %ld: %s has no value", s->out->path, line_of(s), name);

	if (!value.word) {
		expect_end(s, &value, 0);
	} else if (goes_on(s, 0)) { // an expression of variables
		free(value.word);
		value.word = NULL;
		value.n = 0;
	}

	*add(s->out, name) = value;
}

struct settings *settings_parse(const char *path, const char *text)
{
	struct settings *out = NEW(struct settings);
	struct scanner s = {.out = out, .text = text, .p = text};

	out->path = path;

	for (skip_blank(&s); *s.p; skip_blank(&s)) {
		if ('"' == *s.p || '\'' == *s.p)
			take_entry(&s, take_quoted(&s));
		else if (is_name_start(*s.p))
			take_entry(&s, take_name(&s));
		else if ('(' == *s.p)
			open_bracket(&s, NULL);
		else if (')' == *s.p++ && s.depth > 0)
			s.depth--;
	}

	return out;
}

void settings_free(struct settings *s)
{
	if (!s)
		return;

	for (long i = 0; i < s->n; i++) {
		free(s->v[i].key);
		free(s->v[i].word);
		free(s->v[i].number);
	}

	free(s->v);
	free(s);
}

const struct setting *settings_find(const struct settings *s, const char *key)
{
	for (long i = s->n - 1; i >= 0; i--)
		if (0 == strcmp(s->v[i].key, key))
			return s->v + i;

	return NULL;
}

const char *settings_word(const struct settings *s, const char *key)
{
	const struct setting *v = settings_find(s, key);

	return v ? v->word : NULL;
}

double settings_number(const struct settings *s, const char *key, double other)
{
	const struct setting *v = settings_find(s, key);

	if (!v && !isnan(other))
		return other;

	if (!v)
		error("%s: %s is missing", s->path, key);

	if (v->word || v->n != 1)
		error("%s: %s must be a number", s->path, key);

	return v->number[0];
}

long settings_count(const struct settings *s, const char *key)
{
	double x = settings_number(s, key, NAN);

	if (!(x >= 1. && x <= 0x7fffffff && x == floor(x)))
		error("%s: %s is %g, expected an integer from 1 to 2147483647", s->path, key, x);

	return (long)x;
}

const double *settings_numbers(const struct settings *s, const char *key, long n)
{
	const struct setting *v = settings_find(s, key);

	if (!v)
		error("%s: %s is missing", s->path, key);

	if (v->word || v->n != n)
		error("%s: %s has %ld numbers, expected %ld", s->path, key, v->n, n);

	return v->number;
}
