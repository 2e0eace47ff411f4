#ifndef NUM_EXPR_EXPR_LEX_H
#define NUM_EXPR_EXPR_LEX_H

#include <stdint.h>

#include "num/expr/expr.h"

/** The words of an expression, one at a time. */

enum sign {
	SIGN_END, // of the text
	SIGN_NUMBER,
	SIGN_NAME,
	SIGN_ADD,
	SIGN_SUB,
	SIGN_MUL,
	SIGN_DIV,
	SIGN_MOD,
	SIGN_POW,
	SIGN_NOT,
	SIGN_LT,
	SIGN_LE,
	SIGN_GT,
	SIGN_GE,
	SIGN_EQ,
	SIGN_NE,
	SIGN_AND,
	SIGN_OR,
	SIGN_ASK,
	SIGN_COLON,
	SIGN_OPEN,
	SIGN_CLOSE,
	SIGN_LEFT, // [
	SIGN_RIGHT,
	SIGN_COMMA,
	SIGN_ASSIGN,
	SIGN_NEXT, // ;
	SIGN_BAD   // *err says what
};

struct lexer {
	const char *text;
	const char *next; // what follows the word
	enum sign sign;   // the word
	long column;      // of its first byte, from 1
	const char *word;
	int length; // [bytes]
	/* of a number */
	bool whole;     // written without point and exponent, and below 2^64
	bool imaginary; // 2i
	uint64_t integer;
	double value;
	struct expr_error *err;
	/* of a program of several lines */
	bool lines; // the end of a line ends a statement, outside of parentheses
	int depth;  // of parentheses and brackets
	long line;  // number of the current one
	const char *line_start;
};

/** Begins with the first word of text; `lines`: the text is a program, and positions contain the line
 * (expr_place()). */
extern void lex_start(struct lexer *l, const char *text, bool lines, struct expr_error *err);
extern void lex_next(struct lexer *l);

/** Describes the current word for messages: "')'", "'sin'" or "the end". Static buffer. */
extern const char *lex_describe(const struct lexer *l);

/** Fills *err with the first error; later calls have no effect. */
extern void expr_fail(struct expr_error *err, long column, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

#endif
