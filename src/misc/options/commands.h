#ifndef MISC_OPTIONS_COMMANDS_H
#define MISC_OPTIONS_COMMANDS_H

#include <stdbool.h>

/**
 * All commands with their arguments and options, read from the file commands.tsv in the folder of the
 * commands. The build writes this file from the output of every command under --table. Lines contain fields
 * separated by tabs:
 *
 *     command   NAME  ABOUT  SYNONYMS
 *     argument  NAME  FLAGS  HELP
 *     option    NAME  FLAGS  HELP
 *
 * SYNONYMS are words separated by blanks. FLAGS are letters: n (not in histories), m (takes many words), ?
 * (optional), o (output array), p (words in pairs), r (the value names a program to run), w (the value names
 * files to write), v (takes a value).
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
	char *text; // that the strings point into
	int n;
	struct command *v;
};

/** Reads FOLDER/commands.tsv; error() when it is missing. */
extern void commands_read(struct commands *c, const char *folder);

/** Like commands_read() from a text (malloc'd; freed by commands_free()). */
extern void commands_parse(struct commands *c, char *text, const char *name);

extern void commands_free(struct commands *c);

/** The command of that name, or NULL. */
extern const struct command *commands_find(const struct commands *c, const char *name);

/** The text that follows "unknown command 'NAME'": "; use 'extract' or 'resize'" if NAME is a synonym, "; did
 * you mean 'fbp'?" if a command has a similar name, else a reference to gantry help. malloc'd. */
extern char *commands_hint(const struct commands *c, const char *name);

/** Whether the word is in the name, the synonyms, the help line, or the name or help of an argument or
 * option of the command. */
extern bool command_mentions(const struct command *c, const char *word);

extern bool command_word_has(const struct command_word *w, char flag);

/** Assigns n words to the arguments of the command: argument number which[i] takes word i. false if n is too
 * small or too large. */
extern bool command_share(const struct command *c, int n, int which[]);

/** Whether `old` is an earlier name or other spelling of option `name`; both are accepted. */
extern bool opt_is_renamed(const char *name, const char *old);

#endif
