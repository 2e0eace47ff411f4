/* The words of an expression. */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_lex.h"

/* Longer signs first. */
static const struct {
	const char *text;
	enum sign sign;
} signs[] = {
        {"<=", SIGN_LE},
        {">=", SIGN_GE},
        {"==", SIGN_EQ},
        {"!=", SIGN_NE},
        {"&&", SIGN_AND},
        {"||", SIGN_OR},
        {"+", SIGN_ADD},
        {"-", SIGN_SUB},
        {"*", SIGN_MUL},
        {"/", SIGN_DIV},
        {"%", SIGN_MOD},
        {"^", SIGN_POW},
        {"!", SIGN_NOT},
        {"<", SIGN_LT},
        {">", SIGN_GT},
        {"?", SIGN_ASK},
        {":", SIGN_COLON},
        {"(", SIGN_OPEN},
        {")", SIGN_CLOSE},
        {"[", SIGN_LEFT},
        {"]", SIGN_RIGHT},
        {",", SIGN_COMMA},
        {"=", SIGN_ASSIGN},
        {";", SIGN_NEXT},
};

void expr_fail(struct expr_error *err, long column, const char *fmt, ...)
{
	va_list ap;

	if (0 < err->column)
		return;

	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	err->column = column;
}

const char *expr_place(long column)
{
	static _Thread_local char text[64];

	if (column < EXPR_LINE)
		snprintf(text, sizeof text, "column %ld", column);
	else
		snprintf(text, sizeof text, "line %ld, column %ld", column / EXPR_LINE, column % EXPR_LINE);

	return text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || '_' == c;
}

static const char *skip_digits(const char *p)
{
	while (is_digit(*p))
		p++;

	return p;
}

/* The end of "12", ".5", "1.", "1e-3": what strtod() would take were it not for 0x, inf and the locale. */
static const char *number_end(const char *p, bool *whole)
{
	*whole = true;
	p = skip_digits(p);

	if ('.' == *p) {
		*whole = false;
		p = skip_digits(p + 1);
	}

	if ('e' == *p || 'E' == *p) {
		const char *q = p + 1 + ('+' == p[1] || '-' == p[1]);

		if (is_digit(*q)) {
			*whole = false;
			p = skip_digits(q);
		}
	}

	return p;
}

static void lex_number(struct lexer *l)
{
	const char *end = number_end(l->word, &l->whole);
	size_t n = (size_t)(end - l->word);
	char *text = mem_printf("%.*s", (int)n, l->word);

	errno = 0;
	l->value = strtod(text, NULL);

	if (!isfinite(l->value))
		expr_fail(l->err, l->column, "the number is too large, expected at most 1.8e308");

	errno = 0;
	l->integer = l->whole ? strtoull(text, NULL, 10) : 0;
	l->whole = l->whole && 0 == errno;
	free(text);

	l->imaginary = 'i' == *end && !is_letter(end[1]) && !is_digit(end[1]);
	end += l->imaginary;

	if (is_letter(*end) || is_digit(*end) || '.' == *end)
		expr_fail(l->err, l->column, "'%.*s%c' is neither a number nor a name",
		        (int)(n > 40 ? 40 : n), l->word, *end);

	l->sign = l->err->column ? SIGN_BAD : SIGN_NUMBER;
	l->next = end;
}

static void lex_name(struct lexer *l)
{
	while (is_letter(*l->next) || is_digit(*l->next))
		l->next++;

	l->sign = SIGN_NAME;
}

static void lex_sign(struct lexer *l)
{
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		size_t n = strlen(signs[i].text);

		if (0 != strncmp(l->word, signs[i].text, n))
			continue;

		l->sign = signs[i].sign;
		l->next += n;
		l->depth += (SIGN_OPEN == l->sign || SIGN_LEFT == l->sign);
		l->depth -= (0 < l->depth && (SIGN_CLOSE == l->sign || SIGN_RIGHT == l->sign));
		return;
	}

	unsigned char c = (unsigned char)*l->word;

	if (isprint(c))
		expr_fail(l->err, l->column, "unexpected character '%c'", c);
	else
		expr_fail(l->err, l->column, "unexpected byte 0x%02x", c);

	l->sign = SIGN_BAD;
}

/** Skips blanks and comments; true where a line ended. */
static bool skip_space(struct lexer *l)
{
	bool line_ends = false;

	for (;; l->next++) {
		if (l->lines && '#' == *l->next)
			while ('\0' != l->next[1] && '\n' != l->next[1])
				l->next++;
		else if ('\n' == *l->next) {
			line_ends = true;
			l->line++;
			l->line_start = l->next + 1;
		} else if (' ' != *l->next && '\t' != *l->next && '\r' != *l->next)
			return line_ends;
	}
}

/** Whether a statement may end with that word. */
static bool ends_statement(enum sign sign)
{
	return SIGN_NUMBER == sign || SIGN_NAME == sign || SIGN_CLOSE == sign || SIGN_RIGHT == sign;
}

void lex_next(struct lexer *l)
{
	if (SIGN_BAD == l->sign || 0 < l->err->column) {
		l->sign = SIGN_BAD;
		return;
	}

	const bool ends = l->lines && 0 == l->depth && ends_statement(l->sign), line_ends = skip_space(l);

	l->word = l->next;
	l->column = l->lines ? l->line * EXPR_LINE + (l->word - l->line_start) + 1 : l->word - l->text + 1;

	if ('\0' != *l->word && line_ends && ends) {
		l->sign = SIGN_NEXT;
		l->length = 0;
		return;
	}

	if ('\0' == *l->word)
		l->sign = SIGN_END;
	else if (is_digit(*l->word) || ('.' == *l->word && is_digit(l->word[1])))
		lex_number(l);
	else if (is_letter(*l->word))
		lex_name(l);
	else
		lex_sign(l);

	long n = l->next - l->word;

	l->length = (n > INT_MAX) ? INT_MAX : (int)n;
}

void lex_start(struct lexer *l, const char *text, bool lines, struct expr_error *err)
{
	*l = (struct lexer){.text = text,
	        .next = text,
	        .err = err,
	        .sign = SIGN_END,
	        .lines = lines,
	        .line = 1,
	        .line_start = text};
	*err = (struct expr_error){0};
	lex_next(l);
}

const char *lex_describe(const struct lexer *l)
{
	static _Thread_local char text[64];

	if (SIGN_END == l->sign)
		return "the end";

	snprintf(text, sizeof text, "'%.*s'", (l->length > 40) ? 40 : l->length, l->word);

	return text;
}
