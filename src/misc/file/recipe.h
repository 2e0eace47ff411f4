#ifndef MISC_FILE_RECIPE_H
#define MISC_FILE_RECIPE_H

#include <stdbool.h>

/**
 * A recipe: a text of command lines, each "gantry COMMAND words" or "COMMAND words".
 *
 * Words follow the rules of a shell: they are separated by blanks, and '...' or "..." quotes text. A
 * backslash quotes the next character (in "..." only \ " $ and `); at the end of a line it joins the line
 * with the next one. # at the start of a word begins a comment. Other syntax of a shell (variables, pipes,
 * redirection, several commands in a line, patterns of file names) is refused unless quoted; $ and ` are also
 * refused in "...".
 */
struct recipe_line {
	long number; // of its first line in the text, from 1
	int argc;
	char **argv; // argv[0] is the command, without "gantry"; NULL ends them
};

struct recipe {
	const char *name; // for messages
	long n;           // lines that hold a command
	struct recipe_line *lines;
};

/** Parses a text; usage_error() naming the line that is wrong. */
extern void recipe_parse(struct recipe *r, const char *name, const char *text);

extern void recipe_free(struct recipe *r);

/** "NAME line N: ", for messages (log_place); malloc'd. */
extern char *recipe_place(const struct recipe *r, long number);

/** The next name of an array in memory ("@x") in a word, searched from *at on. Such a name begins at the
 * start of the word or after a sign such as =, as in NAME=@x. malloc'd; NULL if there is none. Sets *at to
 * the end of the name. */
extern char *recipe_next_name(const char **at);

/** Whether line i or a later one uses this name. */
extern bool recipe_has_name(const struct recipe *r, long i, const char *name);

#endif
