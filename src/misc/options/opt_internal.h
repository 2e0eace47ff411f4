#ifndef MISC_OPTIONS_OPT_INTERNAL_H
#define MISC_OPTIONS_OPT_INTERNAL_H

#include <stdio.h>

#include "misc/mem.h"
#include "misc/options/opt.h"

/** Declarations shared by the files opt*.c. */

/** The options that every tool has. The last entry is OPT_END. */
extern const struct opt opt_common[];

/** Values of the common options and of tool_needs(). */
struct opt_given {
	bool version, quiet, verbose, gpu_given, plan, profile, force, sync, no_clobber, interface;
	long threads; // 0 if not given
	long jobs;    // 0 if not given
	const char *help, *gpu, *device, *loop;
	enum tool_device kind;
	int gpu_id;                             // -1 for any
	const char *opencl;                     // PLATFORM[:DEVICE], NULL for any
	long need_bytes, need_files, may_bytes; // may_bytes: GANTRY_MEM, 0 if not set
	double need_seconds;                    // [s]
	bool trial;                             // a trial measures the time
	double start;                           // now() at tool_init() [s]
	long slices_at_once;                    // slices of a loop that run at the same time, or 1
};
extern struct opt_given opt_given;

/** Returns whether ranks may share the work. The option --plan and devices other than the CPU exclude
 * sharing. */
extern bool opt_common_by_parts(void);

/** Returns whether --loop was given. */
extern bool opt_common_loops(void);

/** Applies the common options and the environment (GANTRY_THREADS, GANTRY_MEM, GANTRY_DEVICE) to this
 * process. */
extern void opt_common_apply(void);

/** Resets the common options before a command line is read. */
extern void opt_common_reset(void);

/** Stores the value of a word. A word of the wrong kind or out of range is a usage_error(). */
extern void opt_value_set(const struct opt *o, const char *text);

/** Returns the value as the shortest exact text (malloc'd), or NULL if there is no value. */
extern char *opt_value_text(const struct opt *o);

/** Returns choice number k of "a|b|c" (malloc'd), or NULL if k is too large. */
extern char *opt_choice(const struct opt *o, int k);

/** Returns false only for flags. The value of an option can be optional, as in --gpu[=ID]. */
static inline bool opt_takes_value(const struct opt *o)
{
	return o->kind != OPT_KIND_FLAG;
}

/** Assigns the positional words to the arguments of the table. Lists of arguments point into `words`. */
extern void opt_assign_arguments(const struct tool *t, int n, const char *words[]);

/** Calls usage_error() if '-' is given for several inputs or for several outputs. With several ranks, any '-'
 * is a usage_error(). */
extern void opt_check_streams(void);

/**
 * These functions return an option of the running tool, or NULL:
 *
 * - opt_at(): returns option number k. Options of the tool come before common options.
 * - opt_find_short(): returns the option with the short name c.
 */
extern const struct opt *opt_at(int k);
extern const struct opt *opt_find_short(char c);

/** Stores the tool and the command line, for the history and for messages. */
extern void opt_words_tool(const struct tool *t, int argc, char *argv[]);

/** Returns the short name of an option in the running tool, or 0. Short names of the tool replace equal short
 * names of common options. */
extern char opt_letter(const struct opt *o);

/** Returns the short name that help and manual show for an option, or 0. A shown letter means the same option
 * in all commands. Other letters are accepted for existing scripts. */
extern char opt_shown_letter(const struct opt *o);

/** With --no-clobber, calls error() if an output in the table already exists. */
extern void opt_check_outputs(const struct tool *t);

/** These functions reset and extend the words of the history. */
extern void opt_words_reset(void);
extern void opt_words_option(const struct opt *o, const char *text);
extern void opt_words_argument(const struct opt *o, const char *text);

/**
 * These functions copy the words of the history to another process (misc/looping/looping.h):
 *
 * - opt_words_save(): converts all words to bytes.
 * - opt_words_restore(): replaces all words by saved words.
 */
extern void opt_words_save(struct str *s);
extern void opt_words_restore(const char *data, long n);
/** Returns the first word in `a` that differs from `b`, as "--option=value" (malloc'd). Returns "" if no word
 * differs. The texts a and b are results of opt_words_save(). */
extern char *opt_words_other(const char *a, long n, const char *b, long m);

/**
 * These functions print parts of the plan:
 *
 * - tool_print_output(): prints the name of the output.
 * - tool_print_needs(): prints the values of tool_needs(), and the size of all outputs.
 */
extern void tool_print_output(FILE *to, const char *output);
extern void tool_print_needs(FILE *to, long bytes);

/** Returns whether a trial may measure the time. */
extern bool tool_may_try(void);

/** Returns the start time of the command [s], as measured by now(). */
extern double tool_start(void);

/** Returns the values given to tool_needs(). */
extern void tool_needed(long *private_bytes, double *seconds);

/** These functions append a description of the tool to `s`. A topic is a help topic of the tool, "options" or
 * "all". For an unknown topic, the result is false, and s lists all topics. */
extern void opt_help(struct str *s, const struct tool *t);
extern bool opt_help_topic(struct str *s, const struct tool *t, const char *topic);
extern void opt_man(struct str *s, const struct tool *t);
extern void opt_markdown(struct str *s, const struct tool *t);
extern void opt_json(struct str *s, const struct tool *t);
extern void opt_completion(struct str *s, const struct tool *t);
extern void opt_table(struct str *s, const struct tool *t);

/**
 * These functions provide parts of the help texts:
 *
 * - opt_argument_usage(): appends one argument, such as "IN..".
 * - opt_arguments_usage(): appends all arguments, such as " IN OUT".
 * - opt_placeholder(): returns the placeholder for an option value, such as "NX:NY".
 */
extern void opt_argument_usage(struct str *s, const struct opt *o);
extern void opt_arguments_usage(struct str *s, const struct tool *t);
extern const char *opt_placeholder(const struct opt *o);

/** Returns the help text with the choices and the default (malloc'd). */
extern char *opt_full_help(const struct opt *o);

#endif
