#ifndef MISC_OPTIONS_OPT_INTERNAL_H
#define MISC_OPTIONS_OPT_INTERNAL_H

#include "misc/mem.h"
#include "misc/options/opt.h"

/** Declarations shared by the files opt*.c. */

/** The options that every tool has; ends with OPT_END. */
extern const struct opt opt_common[];

/** The values of the common options; options/settings.c reads them. */
struct opt_given {
	bool version, quiet, verbose, gpu_given, plan, profile, force, sync, no_clobber, interface;
	long threads; // 0 = not given
	long jobs;    // 0 = not given
	const char *help, *gpu, *device, *loop;
	enum tool_device kind;
	int gpu_id;                             // -1 = any
	const char *opencl;                     // PLATFORM[:DEVICE]; NULL = any
	long need_bytes, need_files, may_bytes; // may: GANTRY_MEM, 0 = as much as there is
	double need_seconds;                    // [s]
	bool trial;                             // is to measure the time
	double start;                           // now() at tool_init() [s]
	long slices_at_once;                    // of a loop, in the process of a slice; 0 = none
};
extern struct opt_given opt_given;

/** Whether the common options allow ranks to share the work: neither --plan nor a GPU. */
extern bool opt_common_by_parts(void);

/** Whether --loop was given. */
extern bool opt_common_loops(void);

/** Applies the common options, after the command line and the environment (GANTRY_THREADS, GANTRY_DEVICE) are
 * read. */
extern void opt_common_apply(void);

/** Restores the state that the common options have before the command line is read. */
extern void opt_common_reset(void);

/** Stores the value of a word; usage_error() if it does not fit the kind or range. */
extern void opt_value_set(const struct opt *o, const char *text);

/** The value in its shortest exact spelling (malloc'd), or NULL if it was not given. */
extern char *opt_value_text(const struct opt *o);

/** Choice number k of "a|b|c" (malloc'd), or NULL past the end. */
extern char *opt_choice(const struct opt *o, int k);

/** Flags take no value; the value of --gpu[=ID] is optional. */
static inline bool opt_takes_value(const struct opt *o)
{
	return o->kind != OPT_KIND_FLAG;
}

/** Assigns the positional words to the arguments of the table; lists point into `words`. */
extern void opt_assign_arguments(const struct tool *t, int n, const char *words[]);

/** usage_error() if '-' is given for several inputs or several outputs, or for any array if ranks share the
 * work (mpirun forwards streams as text). */
extern void opt_check_streams(void);

/** opt_at() returns option number k of the running tool (own options first, then common ones).
 * opt_find_short() returns the option with this short name. Both return NULL if there is none. */
extern const struct opt *opt_at(int k);
extern const struct opt *opt_find_short(char c);

/** Stores the tool and its command line, for the history and for messages. */
extern void opt_words_tool(const struct tool *t, int argc, char *argv[]);

/** The short name that the running tool accepts for an option. 0 if the option has none, or if it is a common
 * option whose letter an option of the tool uses. */
extern char opt_letter(const struct opt *o);

/** Like opt_letter(), but 0 for letters that help and manual do not show. A shown letter means the same
 * option in all commands; other letters are accepted for existing scripts. */
extern char opt_shown_letter(const struct opt *o);

/** Under --no-clobber: error() if an output that the table names exists. */
extern void opt_check_outputs(const struct tool *t);

/** Functions for the words of the history. */
extern void opt_words_reset(void);
extern void opt_words_option(const struct opt *o, const char *text);
extern void opt_words_argument(const struct opt *o, const char *text);

/** opt_words_save() converts all words of the history to bytes that can be sent to another process
 * (misc/looping/looping.h). opt_words_restore() is the inverse. */
extern void opt_words_save(struct str *s);
extern void opt_words_restore(const char *data, long n);
/** The first word of a that differs from b, as "--option=value" (malloc'd); "" if no word differs. a and b
 * are data of opt_words_save(). */
extern char *opt_words_other(const char *a, long n, const char *b, long m);

/** Print parts of the plan: the output, and the values of tool_needs() with the bytes of all outputs. */
extern void tool_print_output(const char *output);
extern void tool_print_needs(long bytes);

/** Whether a trial may measure the time. */
extern bool tool_may_try(void);

/** When the command started [s], on the clock now(). */
extern double tool_start(void);

/** The values given to tool_needs(). */
extern void tool_needed(long *private_bytes, double *seconds);

/** Texts for users and programs; all functions append to s. Topics are the help topics of the tool, "options"
 * and "all"; for other names the result is false, and s lists all names. */
extern void opt_help(struct str *s, const struct tool *t);
extern bool opt_help_topic(struct str *s, const struct tool *t, const char *topic);
extern void opt_man(struct str *s, const struct tool *t);
extern void opt_markdown(struct str *s, const struct tool *t);
extern void opt_json(struct str *s, const struct tool *t);
extern void opt_completion(struct str *s, const struct tool *t);
extern void opt_table(struct str *s, const struct tool *t);

/** Parts of the help texts: an argument ("IN.."), all arguments (" IN OUT"), and the placeholder of an
 * option's value ("NX:NY"). */
extern void opt_argument_usage(struct str *s, const struct opt *o);
extern void opt_arguments_usage(struct str *s, const struct tool *t);
extern const char *opt_placeholder(const struct opt *o);

/** Help text with the choices and the default (malloc'd). */
extern char *opt_full_help(const struct opt *o);

#endif
