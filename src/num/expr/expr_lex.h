#ifndef NUM_EXPR_EXPR_LEX_H
#define NUM_EXPR_EXPR_LEX_H

#include <stdint.h>

#include "num/expr/expr.h"

/** These functions read an expression word by word. */

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
	SIGN_BAD   // an error, described in *err
};

struct lexer {
	const char *text;
	const char *next; // text after the word
	enum sign sign;   // kind of the word
	long column;      // position of the first byte, from 1
	const char *word;
	int length; // [bytes]
	/* for a number */
	bool whole;     // without point and exponent, below 2^64
	bool imaginary; // 2i
	uint64_t integer;
	double value;
	struct expr_error *err;
	/* for a program of several lines */
	bool lines; // whether a line end ends a statement, outside parentheses
	int depth;  // number of open parentheses and brackets
	long line;  // number of the current line
	const char *line_start;
};

/** Reads the first word of text. If `lines` is true, the text is a program, and columns include the line
 * (expr_place()). */
extern void lex_start(struct lexer *l, const char *text, bool lines, struct expr_error *err);
extern void lex_next(struct lexer *l);

/** Returns the current word for messages, e.g. "')'", "'sin'" or "the end", in a static buffer. */
extern const char *lex_describe(const struct lexer *l);

/** Sets *err to the first error. Later calls have no effect. */
extern void expr_fail(struct expr_error *err, long column, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

#endif
