/** Trials: a part of the work is measured, to predict the time of all of it. */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/memory.h"
#include "misc/options/opt_internal.h"
#include "misc/options/plan_ranks.h"
#include "misc/options/trial.h"
#include "misc/progress.h"
#include "misc/signals.h"

/* [s] of work: enough if the part is large, enough for some iterations or pieces, enough for any part, and
 * the most. */
#define LEAST  0.3
#define ENOUGH 1.
#define LONG   5.
#define MOST   20.

/* Private memory of every command, and differences that a plan may have [bytes]. */
enum { BASE = 1 << 20, SMALL = 4 << 20 };

/* Between two measurements of memory [ns]. */
enum { PAUSE = 500000 };

static struct {
	bool on, of_file, failed, ignores_memory;
	FILE *to;                // for the plan
	atomic_long most;        // private memory [bytes]
	double begin;            // of the measurements of memory and processor time [s]
	_Atomic double measured; // when, last [s]
	_Atomic double gap;      // longest time without a measurement [s]
	long bytes;              // of the outputs
	double start;            // of the command
	struct cpu_times {
		double all, idle, own; // [s], summed over processors
	} cpu;
	struct {
		double start, seconds, part;
	} first; // part of the current work that was reported
} trial;

static atomic_flag ended = ATOMIC_FLAG_INIT;

/* Times of all processors and of this process. */
static struct cpu_times cpu_times(void)
{
	const double ticks = (double)sysconf(_SC_CLK_TCK);
	struct cpu_times c = {0};
	double t[8] = {0};
	struct timespec own;
	FILE *f = fopen("/proc/stat", "r");

	if (f && 8 == fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4, t + 5,
	                      t + 6, t + 7))
		for (int i = 0; i < 8; i++)
			c.all += t[i] / ticks;

	if (f)
		fclose(f);

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
	c.idle = (t[3] + t[4]) / ticks;
	c.own = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec;
	return c;
}

/* Processors that other processes used since the trial began. */
static double used_by_others(double seconds)
{
	const struct cpu_times a = trial.cpu, b = cpu_times();

	return ((b.all - a.all) - (b.idle - a.idle) - (b.own - a.own)) / seconds;
}

static void measure_memory(void)
{
	const long bytes = memory_private() - BASE;
	const double t = now();

	trial.gap = fmax(trial.gap, t - trial.measured);
	trial.measured = t;

	if (!trial.ignores_memory && bytes > trial.most)
		trial.most = bytes;
}

/* A part of the work shows a part of the memory at least. All of it shows the whole if no short use of memory
 * was missed, as on a busy machine. */
static bool needs_other_memory(long planned, double part)
{
	const bool whole = 1. == part && 10. * trial.gap < now() - trial.begin;

	if (trial.ignores_memory)
		return false;

	return trial.most > planned + SMALL || (whole && trial.most < planned - SMALL);
}

/* Called by one thread while others work: no function is called that another thread could be in. */
static _Noreturn void end(double predicted, double part)
{
	while (atomic_flag_test_and_set(&ended)) // another thread ends the process
		pause();

	const double spent = now() - trial.start, others = used_by_others(now() - trial.begin);
	double seconds;
	long memory;

	tool_needed(&memory, &seconds);

	if (predicted > 0.)
		seconds = predicted;

	if (needs_other_memory(memory, part))
		tool_needs(trial.most, seconds);

	tool_print_needs(trial.to, trial.bytes);

	if (seconds > 0.)
		fprintf(trial.to, "time: about %.3g s", seconds);
	else if (trial.of_file)
		fprintf(trial.to, "time: more than %.0f s", LONG);
	else
		fprintf(trial.to, "time: unknown");

	if (predicted > 0. && part < 1.)
		fprintf(trial.to, " (%.2g %% of the work measured in %.2f s)", 100. * part, spent);

	fprintf(trial.to, "\n");
	plan_ranks_print(seconds);

	if (others > 0.15)
		fprintf(trial.to,
		        "load: other processes used %.1f of %ld processors meanwhile; on an idle machine the "
		        "command takes less time\n",
		        others, sysconf(_SC_NPROCESSORS_ONLN));

	fflush(trial.to);
	signals_end(EXIT_DONE);
}

static void *limit(void *unused)
{
	const struct timespec t = {.tv_nsec = PAUSE};

	while (now() - trial.start < (trial.of_file ? LONG : MOST)) {
		nanosleep(&t, NULL);
		measure_memory();
	}

	end(0., 0.);
	return unused;
}

/* Ends the command when enough is measured. */
static void watch(double start, double part, bool whole)
{
	const double t = now() - start;

	if (trial.first.start != start)
		trial.first.part = trial.first.seconds = 0.;

	if (part >= 1. || part <= trial.first.part || (!whole && t < LONG))
		return;

	if (0. == trial.first.part && t < LONG) { // it may contain work that is done once
		trial.first.start = start;
		trial.first.seconds = t;
		trial.first.part = part;
	} else if (t >= (part > 0.2 ? LEAST : ENOUGH)) {
		const double rate = (t - trial.first.seconds) / (part - trial.first.part);

		end(start - trial.start + t + rate * (1. - part), part);
	}
}

void trial_start(const char *output, long bytes)
{
	pthread_t thread;

	plan_ranks_expect();
	trial.bytes += bytes;

	if (!trial.to)
		trial.to = stdout;

	tool_print_output(trial.to, output);

	if (trial.on)
		return;

	malloc_trim(0);
	trial.on = true;
	progress_watch = watch;
	trial.start = tool_start();
	trial.measured = trial.begin = now();
	trial.cpu = cpu_times();
	trial.cpu.own = 0.;

	if (0 == pthread_create(&thread, NULL, limit, NULL))
		pthread_detach(thread);
}

void trial_ignore_memory(void)
{
	trial.ignores_memory = true;
}

/* Such a command may show the progress of a part of the work. */
static void ignore_progress(double start, double part, bool whole)
{
	(void)start;
	(void)part;
	(void)whole;
}

static void note_error(void)
{
	trial.failed = true;
}

static void complete_unless_failed(void)
{
	if (!trial.failed)
		trial_complete();
}

/* Writes the plan to a copy of standard output, which then discards what the command prints. */
static void discard_output(void)
{
	fflush(stdout);

	const int copy = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	trial.to = (copy >= 0) ? fdopen(copy, "w") : NULL;

	if (!trial.to || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		error("standard output: cannot be redirected: %s", strerror(errno));

	close(nowhere);
}

void trial_start_file(const char *output, long bytes)
{
	trial.of_file = true; // before the thread of trial_start() reads it
	discard_output();
	trial_start(output, bytes);

	if (0 == log_level)
		log_level = -1; // messages about the result

	progress_watch = ignore_progress;
	before_error = note_error;
	on_exit_call(complete_unless_failed);
}

bool trial_is_on(void)
{
	return trial.on;
}

bool trial_discards_output(void)
{
	return trial.of_file;
}

void trial_complete(void)
{
	measure_memory();
	end(now() - trial.start, 1.);
}
