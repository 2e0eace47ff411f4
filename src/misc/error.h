#ifndef MISC_ERROR_H
#define MISC_ERROR_H

#include <stdbool.h>

/**
 * Prints messages and ends commands.
 *
 * Every message goes to standard error and begins with "gantry COMMAND: ". An error message says what was
 * found and what was expected. Use error() or usage_error() for mistakes of the user. Use assert() for
 * programming errors only.
 */

enum exit_status { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_PIPE = 141 };

/** Name of the command in messages, such as "saxpy". The function tool_init() sets the name. */
extern const char *tool_name;

/** The log level is -1 with -q (quiet), 1 with -v (verbose), and otherwise 0. */
extern int log_level;

/** In every message, the text `log_place` follows the name of the command. In a loop, `log_place` names the
 * slice, such as "at z=3: ". On several ranks, `log_place` names the rank. In a recipe of `gantry run`,
 * `log_place` names the line. Otherwise `log_place` is empty. */
extern const char *log_place;

/** Each line of an error message starts with `error_mark`, for the launcher of `gantry --ranks`. Otherwise
 * `error_mark` is empty. */
extern const char *error_mark;

#define PRINTF_LIKE __attribute__((format(printf, 1, 2)))
#define NO_RETURN   __attribute__((noreturn)) // C++ and CUDA C do not have _Noreturn

/** Reports that the work failed. Prints one line, removes temporary files and exits with status 1. */
extern void error(const char *fmt, ...) PRINTF_LIKE NO_RETURN;

/** Reports a wrong command line. Prints one line and a reference to --help, and exits with status 2. */
extern void usage_error(const char *fmt, ...) PRINTF_LIKE NO_RETURN;

/** Prints a warning, and the work continues. Prints nothing with -q. */
extern void warn(const char *fmt, ...) PRINTF_LIKE;

/** Prints a result or a count. Prints nothing with -q. */
extern void info(const char *fmt, ...) PRINTF_LIKE;

/** Prints a message only with -v. */
extern void verbose(const char *fmt, ...) PRINTF_LIKE;

/** Registers a function that is called at the end of the command, even after an error. The function
 * registered last is called first. */
extern void on_exit_call(void (*fn)(void));

/** Registers a function that is called when the command ends successfully. The function is called before the
 * functions of on_exit_call(). Only the function registered last is called. */
extern void on_done_call(void (*fn)(void));

/** Ends the command with this exit status. Before the end, leave() flushes standard output and calls the
 * registered functions. Calls error() if standard output cannot be written. */
extern void leave(int status) NO_RETURN;

/** Returns whether standard output is a pipe that the reader has closed. */
extern bool reader_has_ended(void);

/** Ends the command after the reader of standard output has closed the pipe. Prints no message, removes
 * temporary files and exits with status 141. */
extern void end_without_reader(void) NO_RETURN;

/** If leave_instead is not NULL, leave() calls leave_instead() instead of ending the process. Before this
 * call, leave() flushes standard output. The function leave_instead() must not return. Only `gantry run` sets
 * leave_instead, because a recipe runs several commands in one process. The functions error() and
 * usage_error() end the process even if leave_instead is set. */
extern void (*leave_instead)(int status);

/**
 * Other parts of Gantry set these functions; the default is NULL:
 *
 * - before_message(): clears the line of the progress bar.
 * - before_error(): delays the error message of every rank except rank 0. In most cases, rank 0 reports the
 *   same error first.
 * - before_end(): is called just before the process ends. After an error, the function also ends the other
 *   ranks. Otherwise the function waits for the other ranks.
 */
extern void (*before_message)(void);
extern void (*before_error)(void);
extern void (*before_end)(int status);

/** Opens /dev/null in place of every closed standard stream. Files opened later therefore never get the
 * descriptor of a standard stream. Reading from or writing to the closed stream still fails. Call this
 * function when the program starts. */
extern void guard_standard_streams(void);

#endif
