#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "iter/monitor.h"

#include "iter/fold.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "num/convert.h"

struct monitor {
	long iterations, problems;
	long begun; // problems
	long channel, time;
	double start; // [s]
	struct file_out *log;
	bool has_reference; // column nrmse
	enum dtype rtype;
	long n;
	const void *reference;
	char text[64]; // of the bar, changes as it goes
};

struct monitor *monitor_create(long iterations, long problems, const char *log)
{
	struct monitor *m = NEW(struct monitor);

	m->iterations = iterations;
	m->problems = problems;
	m->start = now();

	if (log != NULL)
		m->log = file_create(log);

	snprintf(m->text, sizeof m->text, "%s", tool_name != NULL ? tool_name : "iterations");
	progress_start(m->text, iterations * problems);

	return m;
}

void monitor_begin(
        struct monitor *m, long channel, long time, enum dtype rtype, long n, const void *reference)
{
	if (m->begun == 0 && m->log != NULL)
		fprintf(file_stream(m->log),
		        "channel,time,iteration,residual,objective,gradient,step,seconds%s\n",
		        reference != NULL ? ",nrmse" : "");

	m->has_reference |= reference != NULL;
	m->begun++;
	m->channel = channel;
	m->time = time;
	m->rtype = rtype;
	m->n = n;
	m->reference = reference;
}

struct difference {
	enum dtype type, rtype;
	const char *x, *ref;
};

static void difference_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct difference *d = ctx;
	complex double x[FOLD_BLOCK], ref[FOLD_BLOCK];

	convert(DT_COMPLEX128, x, d->type, d->x + first * (long)dtype_size(d->type), n, NARROW_SATURATE);
	convert(DT_COMPLEX128, ref, d->rtype, d->ref + first * (long)dtype_size(d->rtype), n,
	        NARROW_SATURATE);

	for (long i = 0; i < n; i++) {
		complex double e = x[i] - ref[i];

		sum[0] += creal(e) * creal(e) + cimag(e) * cimag(e);
		sum[1] += creal(ref[i]) * creal(ref[i]) + cimag(ref[i]) * cimag(ref[i]);
	}
}

static double nrmse(const struct monitor *m, enum dtype type, const void *x)
{
	struct difference d = {.type = type, .rtype = m->rtype, .x = x, .ref = m->reference};
	double sum[FOLD_SUMS];

	fold(m->n, difference_block, &d, sum);

	return sqrt(sum[0] / sum[1]);
}

static void log_number(FILE *f, double v)
{
	if (isfinite(v))
		fprintf(f, ",%.9g", v);
	else
		fprintf(f, ",");
}

static void log_step(
        const struct monitor *m, const struct monitor_state *s, double error_to_reference, double seconds)
{
	FILE *f = file_stream(m->log);

	fprintf(f, "%ld,%ld,%ld", m->channel, m->time, s->iteration);
	log_number(f, s->residual);
	log_number(f, s->objective);
	log_number(f, s->gradient);
	log_number(f, s->step);
	fprintf(f, ",%.3f", seconds);

	if (m->has_reference)
		log_number(f, error_to_reference);

	fprintf(f, "\n");

	if (fflush(f) != 0)
		error("the log cannot be written: is the disk full?");
}

/* The line of -v. */
static void tell_step(
        const struct monitor *m, const struct monitor_state *s, double error_to_reference, double seconds)
{
	char where[64] = "", step[32] = "", compared[32] = "";

	if (m->problems > 1)
		snprintf(where, sizeof where, "channel %ld, time %ld, ", m->channel, m->time);

	if (isfinite(s->step))
		snprintf(step, sizeof step, ", step %.4g", s->step);

	if (isfinite(error_to_reference))
		snprintf(compared, sizeof compared, ", nrmse %.5f", error_to_reference);

	verbose("%siteration %ld: residual %.6g, objective %.6g%s%s, %.1f s", where, s->iteration,
	        s->residual, s->objective, step, compared, seconds);
}

void monitor_step(struct monitor *m, const struct monitor_state *s, enum dtype type, long n, const void *x)
{
	if (m == NULL)
		return;

	bool compare = m->reference != NULL && n == m->n;
	double e = compare ? nrmse(m, type, x) : NAN;
	double seconds = now() - m->start;

	if (m->log != NULL)
		log_step(m, s, e, seconds);

	tell_step(m, s, e, seconds);
	snprintf(m->text, sizeof m->text, "%s %ld/%ld residual %.4g",
	        tool_name != NULL ? tool_name : "iteration", s->iteration, m->iterations, s->residual);
	progress_update((m->begun - 1) * m->iterations + s->iteration);
}

void monitor_close(struct monitor *m)
{
	progress_end();

	if (m->log != NULL)
		file_commit(m->log);

	free(m);
}
