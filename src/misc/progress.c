/** A progress bar on standard error. */

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/progress.h"

#define FIRST_SHOWN 1.0 // [s] shorter work shows nothing
#define INTERVAL    0.1 // [s] between redraws

static struct {
	const char *what;
	long total;
	double start, drawn; // [s]
	int nested;
	bool enabled, visible;
	long projections, before; // counted; those before the current iteration
	double each;              // projections of an iteration; 0: the bar counts none
} bar;

void (*progress_watch)(double start, double part, bool whole) = NULL;

static atomic_long bar_done;
static atomic_flag bar_busy = ATOMIC_FLAG_INIT;

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(const char *what, long total)
{
	if (bar.nested++ > 0)
		return;

	before_message = progress_wipe;
	bar.what = what;
	bar.total = total;
	bar.start = bar.drawn = now();
	bar.visible = false;
	bar.projections = bar.before = 0;
	bar.each = 0.;
	atomic_store(&bar_done, 0);
	bar.enabled = total > 0 && (progress_watch || (log_level >= 0 && isatty(STDERR_FILENO)));
}

void progress_start_iterations(const char *what, long total, long guess)
{
	progress_start(what, total);
	if (bar.nested == 1)
		bar.each = (double)guess;
}

static int terminal_columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
		return w.ws_col;
	return 80;
}

/** Iterations, the current one by the share of its projections. */
static double iterations_done(long done)
{
	if (bar.each <= 0.)
		return (double)done;
	return (double)done + fmin(1., (double)(bar.projections - bar.before) / bar.each);
}

static void draw(long done, double t)
{
	const double part = fmin(1., fmax(0., iterations_done(done) / (double)bar.total));
	const double spent = t - bar.start;
	char left[32] = "";

	if (part > 0.) {
		const double rest = spent * (1. - part) / part;
		const long s = rest < 3.6e8 ? (long)ceil(rest) : 0;
		if (s >= 3600)
			snprintf(left, sizeof left, "%ldh%02ldm left", s / 3600, s / 60 % 60);
		else
			snprintf(left, sizeof left, "%ld:%02ld left", s / 60, s % 60);
	}

	char line[256], fill[64], what[128];
	const int width = terminal_columns();

	if (bar.projections > 0)
		snprintf(what, sizeof what, "%s, %ld projections", bar.what, bar.projections);
	else
		snprintf(what, sizeof what, "%s", bar.what);

	const int room = width - (int)strlen(what) - 28;
	const int cells = room > 40 ? 40 : room < 0 ? 0 : room;
	const int full = (int)(part * cells);

	memset(fill, '.', sizeof fill);
	memset(fill, '#', (size_t)full);
	snprintf(line, sizeof line, "\r%s [%.*s] %3.0f%% %s\033[K", what, cells, fill, 100. * part, left);
	if (write(STDERR_FILENO, line, strlen(line)) > 0)
		bar.visible = true;
	bar.drawn = t;
}

static void redraw(long done)
{
	if (atomic_flag_test_and_set(&bar_busy))
		return;

	const double t = now();
	if (progress_watch)
		progress_watch(bar.start, iterations_done(done) / (double)bar.total,
		        bar.each <= 0. || bar.projections == bar.before);
	else if (t - bar.start >= FIRST_SHOWN && t - bar.drawn >= INTERVAL)
		draw(done, t);
	atomic_flag_clear(&bar_busy);
}

/** The projections since the last iteration are what the next one takes. */
static void end_iterations(long n)
{
	if (bar.each > 0. && n > 0 && bar.projections > bar.before)
		bar.each = (double)(bar.projections - bar.before) / (double)n;
	bar.before = bar.projections;
}

void progress_update(long done)
{
	if (!bar.enabled || bar.nested != 1)
		return;
	if (bar.each > 0.)
		end_iterations(done - atomic_load(&bar_done));
	atomic_store_explicit(&bar_done, done, memory_order_relaxed);
	redraw(done);
}

void progress_projection(void)
{
	if (!bar.enabled || bar.nested != 1 || bar.each <= 0.)
		return;
	bar.projections++;
	redraw(atomic_load(&bar_done));
}

void progress_add(long n)
{
	if (!bar.enabled || bar.nested != 1)
		return;
	progress_update(atomic_fetch_add_explicit(&bar_done, n, memory_order_relaxed) + n);
}

void progress_wipe(void)
{
	if (bar.visible && write(STDERR_FILENO, "\r\033[K", 4) > 0)
		bar.visible = false;
}

void progress_forget(void)
{
	memset(&bar, 0, sizeof bar);
	atomic_flag_clear(&bar_busy);
}

void progress_end(void)
{
	if (bar.nested > 0 && --bar.nested > 0)
		return;
	progress_wipe();
	bar.enabled = false;
}
