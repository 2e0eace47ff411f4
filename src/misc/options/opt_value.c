/** Converts values of options and arguments from and to text. */

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"

/** "--size" or "OUT", for messages. Static buffers in rotation (4). */
static const char *label(const struct opt *o)
{
	static char text[4][64];
	static int turn;
	char *s = text[turn++ % 4];

	snprintf(s, sizeof text[0], "%s%s", o->flags & OPT_IS_ARG ? "" : "--", o->name);
	return s;
}

char *opt_choice(const struct opt *o, int k)
{
	const char *p = o->arg;

	for (; k > 0 && *p; k--) {
		p = strchrnul(p, '|');
		p += *p != 0;
	}
	return *p ? strndup(p, (size_t)(strchrnul(p, '|') - p)) : NULL;
}

/** The shortest decimal that reads back as exactly v; exponents as in 1e6, 1e-12. */
static void add_double(struct str *s, double v)
{
	size_t first = s->len;

	if (fabs(v) < 1e6 && v == rint(v)) {
		str_printf(s, "%.0f", v);
		return;
	}
	str_add_double(s, v, 1);

	const char *e = strchr(s->data + first, 'e');
	if (e) {
		long exponent = strtol(e + 1, NULL, 10);

		s->len = (size_t)(e + 1 - s->data);
		str_printf(s, "%ld", exponent);
	}
}

static bool bounded(const struct opt *o)
{
	return o->min != 0 || o->max != 0;
}

/** Whether bound b says something beyond "any number of this kind". */
static bool telling(const struct opt *o, double b)
{
	const bool whole = o->kind == OPT_KIND_LONG || o->kind == OPT_KIND_LONGS;
	return fabs(b) < (whole ? 1e15 : 1e100);
}

static void check_range(const struct opt *o, double v, const char *text)
{
	struct str range = {0};

	if (!bounded(o) || (v >= o->min && v <= o->max))
		return;

	// a technical limit is only shown to those who exceed it
	const bool least = telling(o, o->min) || v < o->min, most = telling(o, o->max) || v > o->max;

	if (least)
		add_double(&range, o->min);
	str_add(&range, !most ? " or more" : least ? ".." : "");
	if (most)
		add_double(&range, o->max);
	str_add(&range, least ? "" : " or less");
	usage_error("%s: %s, expected %s", label(o), text, range.data);
}

/** A name as people type it: capitals, '-' and '_' make no difference. Static buffers in rotation (2). */
static const char *plain_name(const char *text)
{
	static char names[2][64];
	static int turn;
	char *name = names[turn++ % 2];
	size_t n = 0;

	for (; *text && n + 1 < sizeof names[0]; text++)
		if (*text != '-' && *text != '_')
			name[n++] = (char)tolower((unsigned char)*text);
	name[n] = 0;
	return *text ? "" : name;
}

/** What other packages call a choice of ours. */
static const char *choice_synonym(const char *text)
{
	static const char *const pairs[][2] = {{"ramlak", "ramp"}, {"hanning", "hann"}, {"grey", "gray"}};

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (!strcmp(plain_name(text), pairs[i][0]))
			return pairs[i][1];
	return text;
}

static _Noreturn void unknown_choice(const struct opt *o, const char *text, const char *const names[])
{
	const char *near = nearest_name(text, names);
	struct str valid = {0};

	for (int i = 0; names[i]; i++)
		str_printf(&valid, "%s%s", i ? ", " : "", names[i]);
	usage_error("%s: unknown value '%s' (valid: %s)%s%s%s", label(o), text, valid.data,
	        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void set_choice(const struct opt *o, const char *text)
{
	const char *names[64], *wanted = choice_synonym(text);
	int n = 0, found = -1;

	for (char *c; n < 63 && (c = opt_choice(o, n)); n++)
		names[n] = c;
	names[n] = NULL;

	for (int i = 0; i < n && found < 0; i++)
		if (!strcmp(names[i], text))
			found = i;
	for (int i = 0; i < n && found < 0; i++)
		if (!strcmp(plain_name(names[i]), plain_name(wanted)))
			found = i;
	if (found < 0)
		unknown_choice(o, text, names);
	*(int *)o->ptr = found;
	for (int i = 0; i < n; i++)
		free((char *)names[i]);
}

static void set_type(const struct opt *o, const char *text)
{
	const char *names[DT_COUNT + 1] = {0};
	const int t = dtype_parse_any(plain_name(text));

	if (t >= 0) {
		*(int *)o->ptr = t;
		return;
	}
	for (int i = 0; i < DT_COUNT; i++)
		names[i] = dtype_name(i);
	unknown_choice(o, text, names);
}

static void set_longs(const struct opt *o, const char *text)
{
	struct opt_longs *l = o->ptr;

	l->n = parse_longs(text, DIMS, l->v, label(o));
	for (int i = 0; i < l->n; i++)
		check_range(o, (double)l->v[i], text);
}

static void set_doubles(const struct opt *o, const char *text)
{
	struct opt_doubles *l = o->ptr;

	l->n = parse_doubles(text, DIMS, l->v, label(o));
	for (int i = 0; i < l->n; i++)
		check_range(o, l->v[i], text);
}

static double number_in_range(const struct opt *o, const char *text)
{
	// a table that allows infinity says so by its bounds
	const bool infinite = bounded(o) && (isinf(o->min) || isinf(o->max)) && strstr(text, "inf");
	const double v = (infinite ? parse_double_inf : parse_double)(text, label(o));

	check_range(o, v, text);
	return v;
}

static void add_word(struct opt_list *l, const char *text)
{
	l->v = mem_realloc(l->v, ((size_t)l->n + 1) * sizeof *l->v);
	l->v[l->n++] = text;
}

void opt_value_set(const struct opt *o, const char *text)
{
	const char *what = label(o);

	switch (o->kind) {
	case OPT_KIND_FLAG:
		*(bool *)o->ptr = true;
		return;
	case OPT_KIND_LONG:
		*(long *)o->ptr = parse_long(text, what);
		check_range(o, (double)*(long *)o->ptr, text);
		return;
	case OPT_KIND_DOUBLE:
		*(double *)o->ptr = number_in_range(o, text);
		return;
	case OPT_KIND_COMPLEX:
		*(complex double *)o->ptr = parse_complex(text, what);
		return;
	case OPT_KIND_CHOICE:
		set_choice(o, text);
		return;
	case OPT_KIND_TYPE:
		set_type(o, text);
		return;
	case OPT_KIND_LONGS:
		set_longs(o, text);
		return;
	case OPT_KIND_DOUBLES:
		set_doubles(o, text);
		return;
	case OPT_KIND_DIM:
		*(int *)o->ptr = parse_dim(text, what);
		return;
	case OPT_KIND_DIMS:
		*(unsigned long *)o->ptr = parse_dims(text, what);
		return;
	case OPT_KIND_ARRAY:
	case OPT_KIND_FILE:
	case OPT_KIND_OUTFILE:
		if (!*text)
			usage_error("%s: the file name is empty", what);
		*(const char **)o->ptr = text;
		return;
	case OPT_KIND_STRING:
		if ((o->flags & OPT_MANY) && !(o->flags & OPT_IS_ARG)) {
			add_word(o->ptr, text);
			return;
		}
		if (!*text && (o->flags & OPT_OUTPUT))
			usage_error("%s: the file name is empty", what);
		if ((o->flags & OPT_ONCE) && NULL != *(const char **)o->ptr)
			usage_error("%s: given twice (%s, %s), expected once", what, *(const char **)o->ptr,
			        text);
		*(const char **)o->ptr = text;
		return;
	case OPT_KIND_END:
		return;
	}
}

static void add_complex(struct str *s, complex double v)
{
	if (creal(v) != 0. || cimag(v) == 0.)
		add_double(s, creal(v));
	if (cimag(v) == 0.)
		return;
	if (creal(v) != 0. && cimag(v) > 0.)
		str_add(s, "+");
	add_double(s, cimag(v));
	str_add(s, "i");
}

static void add_list(struct str *s, const struct opt *o)
{
	const struct opt_longs *l = o->ptr;
	const struct opt_doubles *d = o->ptr;
	const bool whole = o->kind == OPT_KIND_LONGS;

	for (int i = 0; i < (whole ? l->n : d->n); i++) {
		str_add(s, i ? ":" : "");
		if (whole)
			str_printf(s, "%ld", l->v[i]);
		else
			add_double(s, d->v[i]);
	}
}

char *opt_value_text(const struct opt *o)
{
	struct str s = {0};

	if (o->flags & OPT_MANY)
		return NULL;

	switch (o->kind) {
	case OPT_KIND_LONG:
		str_printf(&s, "%ld", *(const long *)o->ptr);
		break;
	case OPT_KIND_DOUBLE:
		if (!isnan(*(const double *)o->ptr))
			add_double(&s, *(const double *)o->ptr);
		break;
	case OPT_KIND_COMPLEX:
		add_complex(&s, *(const complex double *)o->ptr);
		break;
	case OPT_KIND_CHOICE:
		return *(const int *)o->ptr < 0 ? NULL : opt_choice(o, *(const int *)o->ptr);
	case OPT_KIND_TYPE:
		if (*(const int *)o->ptr >= 0)
			str_add(&s, dtype_name(*(const int *)o->ptr));
		break;
	case OPT_KIND_LONGS:
	case OPT_KIND_DOUBLES:
		add_list(&s, o);
		break;
	case OPT_KIND_STRING:
	case OPT_KIND_ARRAY:
	case OPT_KIND_FILE:
	case OPT_KIND_OUTFILE:
		if (*(const char *const *)o->ptr)
			str_add(&s, *(const char *const *)o->ptr);
		break;
	case OPT_KIND_DIM:
		if (*(const int *)o->ptr >= 0)
			str_printf(&s, "%d", *(const int *)o->ptr);
		break;
	case OPT_KIND_DIMS:
	case OPT_KIND_FLAG:
	case OPT_KIND_END:
		break;
	}
	return s.data;
}
