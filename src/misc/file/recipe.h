#ifndef MISC_FILE_RECIPE_H
#define MISC_FILE_RECIPE_H

#include <stdbool.h>

/**
 * A recipe is a text of command lines. A line has the form "gantry COMMAND words" or "COMMAND words".
 *
 * The words follow the rules of a shell:
 *
 * - Blanks separate words. Quotes '...' and "..." enclose text with blanks.
 * - A backslash quotes the next character. In "...", a backslash quotes only \ " $ and `.
 * - A backslash at the end of a line continues the line.
 * - The character # at the start of a word begins a comment.
 *
 * Unquoted variables, pipes, redirections and patterns of file names are errors. Inside "...", the characters
 * $ and ` need a backslash.
 */
struct recipe_line {
	long number; // number of the first line in the text, from 1
	int argc;
	char **argv; // argv[0] is the command without "gantry"; argv[argc] is NULL
};

struct recipe {
	const char *name; // name of the recipe in messages
	long n;           // number of lines with a command
	struct recipe_line *lines;
};

/** Parses the text of a recipe. Calls usage_error() with the line number if a line is wrong. `name` is the
 * name of the recipe in messages. */
extern void recipe_parse(struct recipe *r, const char *name, const char *text);

extern void recipe_free(struct recipe *r);

/** Returns "NAME line N: " for messages (log_place). The caller frees the text. */
extern char *recipe_place(const struct recipe *r, long number);

/** Returns the next name of an array in memory ("@x") in a word. The search begins at *at. Sets *at to the
 * end of the name. The @ is at the start of the word or follows a sign such as =. The caller frees the name.
 * Returns NULL if no name is found. */
extern char *recipe_next_name(const char **at);

/** Returns whether line i or a later line contains the name of an array in memory. */
extern bool recipe_has_name(const struct recipe *r, long i, const char *name);

#endif
