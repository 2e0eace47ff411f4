/** Messages on standard error, and the end of a command. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/printable.h"

const char *tool_name = NULL;
int log_level = 0;
const char *log_place = "";
const char *error_mark = "";
void (*leave_instead)(int status) = NULL;
void (*before_message)(void) = NULL;
void (*before_error)(void) = NULL;
void (*before_end)(int status) = NULL;

enum { EXIT_CALLS = 32, LINE_MAX_BYTES = 8192 };

static void (*exit_calls[EXIT_CALLS])(void);
static int exit_calls_n = 0;
static void (*done_call)(void) = NULL;
static atomic_bool ending = false;

void on_exit_call(void (*fn)(void))
{
	if (exit_calls_n == EXIT_CALLS)
		error("more than %d functions are registered to be called at exit", EXIT_CALLS);
	exit_calls[exit_calls_n++] = fn;
}

void on_done_call(void (*fn)(void))
{
	done_call = fn;
}

static void run_exit_calls(void)
{
	while (exit_calls_n > 0)
		exit_calls[--exit_calls_n]();
}

/** Only one thread may end the process; the others wait for the end. */
static void begin_end(void)
{
	if (atomic_exchange(&ending, true))
		for (;;)
			pause();
}

static void write_all(const char *text, size_t n)
{
	while (n > 0) {
		ssize_t k = write(STDERR_FILENO, text, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return; // nowhere left to complain
		text += k;
		n -= (size_t)k;
	}
}

static void clear_line(void)
{
	if (before_message)
		before_message();
}

/** The message as one write, so that lines of commands in a pipe do not mix. `mark` is in front of it. `tail`
 * follows on lines of its own. */
static void __attribute__((format(printf, 3, 0)))
say(const char *mark, const char *label, const char *fmt, va_list ap, const char *tail)
{
	char text[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
	const size_t room = sizeof line - 256; // for the tail

	clear_line();
	int n = snprintf(text, room, "gantry%s%s: %s%s", tool_name ? " " : "", tool_name ? tool_name : "",
	        log_place, label);
	size_t at = strlen(text);
	if (n >= 0 && at < room)
		vsnprintf(text + at, room - at, fmt, ap);
	snprintf(line, sizeof line, "%s", mark);
	at = strlen(line);
	printable_copy(line + at, room, text); // names and headers may hold anything
	at += strlen(line + at);
	snprintf(line + at, sizeof line - at, "\n%s", tail);
	write_all(line, strlen(line));
}

static _Noreturn void end_failed(int status)
{
	run_exit_calls();
	fflush(stdout);
	if (before_end)
		before_end(status);
	_exit(status); // other threads may still run: no destructors under their feet
}

void error(const char *fmt, ...)
{
	va_list ap;

	begin_end();
	if (before_error)
		before_error();
	va_start(ap, fmt);
	say(error_mark, "", fmt, ap, "");
	va_end(ap);
	end_failed(EXIT_FAILED);
}

void usage_error(const char *fmt, ...)
{
	char tail[128];
	va_list ap;

	begin_end();
	if (before_error)
		before_error();
	snprintf(tail, sizeof tail,
	        "%s"
	        "See 'gantry%s%s --help'.\n",
	        error_mark, tool_name ? " " : "", tool_name ? tool_name : "");
	va_start(ap, fmt);
	say(error_mark, "", fmt, ap, tail);
	va_end(ap);
	end_failed(EXIT_USAGE);
}

void warn(const char *fmt, ...)
{
	va_list ap;

	if (log_level < 0)
		return;
	va_start(ap, fmt);
	say("", "warning: ", fmt, ap, "");
	va_end(ap);
}

void info(const char *fmt, ...)
{
	va_list ap;

	if (log_level < 0)
		return;
	va_start(ap, fmt);
	say("", "", fmt, ap, "");
	va_end(ap);
}

void verbose(const char *fmt, ...)
{
	va_list ap;

	if (log_level < 1)
		return;
	va_start(ap, fmt);
	say("", "", fmt, ap, "");
	va_end(ap);
}

bool reader_has_ended(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return 1 == poll(&p, 1, 0) && (p.revents & POLLERR);
}

void end_without_reader(void)
{
	begin_end();
	clear_line();
	end_failed(EXIT_PIPE);
}

void leave(int status)
{
	errno = 0;
	const bool failed = fflush(stdout) != 0 || ferror(stdout);

	if (failed && (EPIPE == errno || reader_has_ended()))
		end_without_reader();
	if (failed)
		error("standard output: %s", errno ? strerror(errno) : "not everything could be written");

	if (leave_instead)
		leave_instead(status);

	if (EXIT_DONE == status && done_call)
		done_call();

	begin_end();
	clear_line();
	run_exit_calls();
	if (before_end)
		before_end(status);
	exit(status);
}

void guard_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			_exit(EXIT_FAILED);
}
