#ifndef MISC_ERROR_H
#define MISC_ERROR_H

#include <stdbool.h>

/**
 * Messages, and the end of a command.
 *
 * Every message goes to standard error, begins with "gantry COMMAND: ", and says what was found and what
 * was expected. Checks of the user's data use error() or usage_error(); assert() is for programming errors
 * only.
 */

enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_PIPE = 141 };

/** Name after "gantry " in messages, e.g. "saxpy"; set by tool_init(). */
extern const char *tool_name;

/** -1 quiet (-q), 0 normal, 1 verbose (-v). */
extern int log_level;

/** Printed after the name in every message: the slice of a loop, such as "at z=3: ", the rank, or the line of
 * a recipe of `gantry run`. Empty outside loops, ranks and recipes. */
extern const char *log_place;

#define PRINTF_LIKE __attribute__((format(printf, 1, 2)))
#define NO_RETURN   __attribute__((noreturn)) // C++ and CUDA C know no _Noreturn

/** For failed work: prints one line, removes temporary files and exits with status 1. */
extern void error(const char *fmt, ...) PRINTF_LIKE NO_RETURN;

/** For a wrong command line: prints one line and a reference to --help, and exits with status 2. */
extern void usage_error(const char *fmt, ...) PRINTF_LIKE NO_RETURN;

/** Prints a warning ("... : warning: ..."); the work continues. Silent under -q. */
extern void warn(const char *fmt, ...) PRINTF_LIKE;

/** Prints a result or count; silent under -q. */
extern void info(const char *fmt, ...) PRINTF_LIKE;

/** Shown under -v only. */
extern void verbose(const char *fmt, ...) PRINTF_LIKE;

/** Calls fn() before error(), usage_error() or leave() end the process. The function registered last is
 * called first. */
extern void on_exit_call(void (*fn)(void));

/** Calls fn() when the command ends successfully, before the functions of on_exit_call(). One at most. */
extern void on_done_call(void (*fn)(void));

/** Ends the command: flushes standard output, runs the registered functions and exits. A full or broken
 * standard output is an error. */
extern void leave(int status) NO_RETURN;

/** Whether standard output is a pipe whose reader has closed it. */
extern bool reader_has_ended(void);

/** Ends the command when reader_has_ended(), as SIGPIPE does: no message, temporary files removed, exit
 * status 141.
 */
extern void end_without_reader(void) NO_RETURN;

/** A function that leave() calls, after flushing standard output, instead of ending the process; the function
 * does not return. Set by `gantry run`, which runs several commands in a process; NULL in all other commands.
 * error() and usage_error() still end the process. */
extern void (*leave_instead)(int status);

/** Hooks that higher layers set; NULL: not set. before_message: clears the line of a progress bar.
 * before_error: all ranks but the first wait, so that the first rank can report a common error. before_end:
 * ends the common work of the ranks before this process ends. */
extern void (*before_message)(void);
extern void (*before_error)(void);
extern void (*before_end)(int status);

/** At program start: if a standard stream is closed, opens /dev/null in its place, so that no other file gets
 * its descriptor. Reading from or writing to the closed stream still fails. */
extern void guard_standard_streams(void);

#endif
