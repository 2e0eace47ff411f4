#ifndef MISC_FILE_HISTORY_LINE_H
#define MISC_FILE_HISTORY_LINE_H

#include <stdbool.h>

#include "misc/mem.h"

/** A word in a line of a history. The file misc/file/history.h describes the format of a line. */
struct history_word {
	enum { HISTORY_TEXT, HISTORY_ARRAY, HISTORY_ORIGINAL, HISTORY_OUTPUT } kind;
	char *option; // "--weights" of an option, "x" of the argument x=@ID, or NULL
	char *text;   // value, "ID" or "ID.N" of an array, or name of an original; NULL for a flag
	long bytes;   // size of an original
	char *hash;   // hash of an original
	int output;   // number of an output, from 1
};

struct history_line {
	char id[17];
	int n;
	struct history_word *words; // words[0].text is the name of the command
	int outputs;                // number of words of kind HISTORY_OUTPUT
};

/** Parses a line "ID: COMMAND WORD WORD ...". Returns false if the line is malformed or the ID is wrong. Call
 * history_line_free() even if the result is false. */
extern bool history_line_parse(struct history_line *l, const char *text);
extern void history_line_free(struct history_line *l);

/**
 * These functions parse and format an original:
 *
 * - history_original_parse(): parses a word "<NAME:BYTES:HASH>". Returns false if the word is malformed.
 * - history_original_format(): appends the word "<NAME:BYTES:HASH>" to s.
 */
extern bool history_original_parse(struct history_word *w, const char *text);
extern void history_original_format(struct str *s, const char *name, long bytes, const char *hash);

/** Appends text to s, with quotes if necessary. The function history_line_parse() reads the appended word as
 * HISTORY_TEXT. */
extern void history_quote(struct str *s, const char *text);

/** Sets `id` to the first 16 hex digits of the XXH3-128 hash of n bytes. */
extern void history_id(char id[17], const char *text, size_t n);

/** Returns whether a line begins with 16 hex digits and ": ". */
extern bool history_is_step(const char *line);

#endif
