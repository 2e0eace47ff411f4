#ifndef MISC_OPTIONS_COMMANDS_H
#define MISC_OPTIONS_COMMANDS_H

#include <stdbool.h>

/**
 * The file commands.tsv in the folder of the commands lists all commands, arguments and options. The build
 * collects the --table output of every command in commands.tsv. Tabs separate the fields of a line:
 *
 *     command   NAME  ABOUT  SYNONYMS
 *     group     NUMBER
 *     argument  NAME  FLAGS  HELP
 *     option    NAME  FLAGS  HELP
 *
 * SYNONYMS are words separated by blanks. FLAGS are letters:
 *
 *     n  not in histories      m  takes many words
 *     ?  optional              o  output array
 *     p  words in pairs        r  the value names a program to run
 *     v  takes a value         w  the value names files to write
 */
struct command_word {
	const char *name, *flags, *help;
};

struct command {
	const char *name, *about, *synonyms;
	int group; // enum tool_group
	int arguments_n, options_n;
	struct command_word *arguments, *options;
};

struct commands {
	char *text; // contains all strings
	int n;
	struct command *v;
};

/** Reads FOLDER/commands.tsv. A missing file is an error(). */
extern void commands_read(struct commands *c, const char *folder);

/** Parses the table in `text` (malloc'd). The function commands_free() frees `text`. */
extern void commands_parse(struct commands *c, char *text, const char *name);

extern void commands_free(struct commands *c);

/** Returns the command with this name, or NULL. */
extern const struct command *commands_find(const struct commands *c, const char *name);

/** Returns the text that follows "unknown command 'NAME'" (malloc'd). The text suggests commands with this
 * synonym, or a command with a similar name. Otherwise, the text refers to gantry help. */
extern char *commands_hint(const struct commands *c, const char *name);

/** Returns whether a word occurs in the name, synonyms or help of a command. Names and help of arguments and
 * options also count. */
extern bool command_mentions(const struct command *c, const char *word);

extern bool command_word_has(const struct command_word *w, char flag);

/** Assigns n words to the arguments of a command: argument which[i] takes word i. Returns false if n is too
 * small or too large. */
extern bool command_share(const struct command *c, int n, int which[]);

/** Returns whether `old` is an earlier name or another spelling of option `name`. */
extern bool opt_is_renamed(const char *name, const char *old);

#endif
