#ifndef MISC_FILE_HISTORY_LINE_H
#define MISC_FILE_HISTORY_LINE_H

#include <stdbool.h>

#include "misc/mem.h"

/** A parsed line of a history; the grammar is in misc/file/history.h. */
struct history_word {
	enum { HISTORY_TEXT, HISTORY_ARRAY, HISTORY_ORIGINAL, HISTORY_OUTPUT } kind;
	char *option; // "--weights", "x" of the argument x=@ID, or NULL
	char *text;   // value; ID or ID.N of an array; name of an original; NULL for a flag
	long bytes;   // of an original
	char *hash;   // of an original
	int output;   // number of an output, 1 when it is the only one
};

struct history_line {
	char id[17];
	int n;
	struct history_word *words; // words[0].text is the name of the tool
	int outputs;
};

/** Parses "ID: words" (up to a line feed or the end); false if it is malformed or its ID is wrong. */
extern bool history_line_parse(struct history_line *l, const char *text);
extern void history_line_free(struct history_line *l);

/** Parses a single "<NAME:BYTES:HASH>" word; false if it is malformed. */
extern bool history_original_parse(struct history_word *w, const char *text);
extern void history_original_format(struct str *s, const char *name, long bytes, const char *hash);

/** Appends a text to s, quoted if necessary, so that history_line_parse() reads it as HISTORY_TEXT. */
extern void history_quote(struct str *s, const char *text);

/** The first 16 hex digits of the XXH3-128 of a text of n bytes. */
extern void history_id(char id[17], const char *text, size_t n);

/** Does a line begin with 16 hex digits and ": "? */
extern bool history_is_step(const char *line);

#endif
