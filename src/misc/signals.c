/** The end of a command by a signal: temporaries are removed, and a fault in a mapped file is reported. */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/mapping.h"
#include "misc/signals.h"

/* The process mask alone is not enough: a signal may be delivered to any other thread. */
enum state { IDLE, HELD, DYING };

static _Atomic(int) state = IDLE;
static _Atomic(int) waiting; // a signal that came while held
static int depth;
static sigset_t mask_before;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { ENDING = sizeof ending / sizeof ending[0] };

static void (*end_call)(void);

void signals_on_end(void (*fn)(void))
{
	end_call = fn;
}

static void clean_up(void)
{
	if (end_call)
		end_call();
}

static _Noreturn void die_of(int signal_number)
{
	sigset_t set;

	clean_up();
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), signal_number);
	_exit(128 + signal_number);
}

void signals_end(int status)
{
	clean_up();
	_exit(status);
}

static void on_ending(int signal_number)
{
	int expected = IDLE;

	if (atomic_compare_exchange_strong(&state, &expected, DYING))
		die_of(signal_number);

	if (HELD == expected)
		waiting = signal_number;
}

void signals_hold(void)
{
	if (depth++ > 0)
		return;

	sigset_t set;
	int expected = IDLE;

	sigemptyset(&set);

	for (int i = 0; i < ENDING; i++)
		sigaddset(&set, ending[i]);

	pthread_sigmask(SIG_BLOCK, &set, &mask_before);

	// DYING: another thread is ending the process
	while (!atomic_compare_exchange_strong(&state, &expected, HELD))
		pause();
}

void signals_release(void)
{
	if (--depth > 0)
		return;

	state = IDLE;

	int signal_number = atomic_exchange(&waiting, 0);

	pthread_sigmask(SIG_SETMASK, &mask_before, NULL);

	if (signal_number)
		raise(signal_number);
}

static void write_text(const char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		ssize_t n = write(STDERR_FILENO, text, left);

		if (n <= 0 && EINTR != errno)
			return;

		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
}

static void on_bus_error(int signal_number, siginfo_t *about, void *context)
{
	static atomic_flag first = ATOMIC_FLAG_INIT;
	bool writable = false;
	const char *path = mapping_find(about->si_addr, &writable);

	(void)context;

	if (!path) { // not a file of ours: an ordinary crash
		signal(signal_number, SIG_DFL);
		return;
	}

	while (atomic_flag_test_and_set(&first)) // other threads wait for the end
		pause();

	write_text(error_mark);
	write_text("gantry ");
	write_text(tool_name ? tool_name : "");
	write_text(": ");
	write_text(path);
	write_text(writable ? ": cannot be written any further: the disk is full, has failed, or the file "
	                      "was truncated\n"
	                    : ": truncated while it was read, or the disk has failed\n");
	clean_up();
	_exit(EXIT_FAILED);
}

static void handle(int signal_number, void (*handler)(int))
{
	struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};

	// what the parent ignores stays ignored (nohup, background jobs)
	if (0 == sigaction(signal_number, NULL, &old) && SIG_IGN == old.sa_handler)
		return;

	sigfillset(&new.sa_mask);
	sigaction(signal_number, &new, NULL);
}

void cfl_install_signals(void)
{
	enum { STACK = 64 << 10 };
	static _Alignas(16) unsigned char room[STACK];
	static bool installed;

	if (installed)
		return;

	installed = true;

	stack_t stack = {.ss_sp = room, .ss_size = STACK};
	struct sigaction bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigfillset(&bus.sa_mask);
	sigaction(SIGBUS, &bus, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);

	for (int i = 0; i < ENDING; i++)
		handle(ending[i], on_ending);
}
