#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "iter/monitor/monitor.h"

#include "ct/projector/mask.h"
#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "num/array/place.h"
#include "num/kern/convert.h"
#include "num/md/distributed.h"

struct monitor {
	long iterations, problems;
	long begun; // problems
	long channel, time;
	double start; // [s]
	struct file_out *log;
	bool json;
	long every; // 0: iterates are not saved
	const char *pattern;
	const struct hdr *saved;
	const struct mask *mask;
	bool has_reference; // column nrmse
	enum dtype rtype;
	long n;
	const void *reference;
	char text[64]; // of the bar, changes as it goes
};

static bool is_json(const char *path)
{
	const char *end = strrchr(path, '.');

	return end != NULL && (strcasecmp(end, ".jsonl") == 0 || strcasecmp(end, ".ndjson") == 0 ||
	                              strcasecmp(end, ".json") == 0);
}

struct monitor *monitor_create(long iterations, long problems, const char *log)
{
	struct monitor *m = NEW(struct monitor);

	m->iterations = iterations;
	m->problems = problems;
	m->start = now();

	if (log != NULL) {
		m->log = file_create(log);
		m->json = is_json(log);
	}

	snprintf(m->text, sizeof m->text, "%s", tool_name != NULL ? tool_name : "iterations");
	progress_start_iterations(m->text, iterations * problems, 2); // forward and back

	return m;
}

/* Length of the placeholder "{name}" at p; 0 if there is no such placeholder. */
static size_t placeholder(const char *p, const char *name)
{
	const size_t n = strlen(name);

	return p[0] == '{' && strncmp(p + 1, name, n) == 0 && p[1 + n] == '}' ? n + 2 : 0;
}

static const char *const placeholders[] = {"iteration", "channel", "time"};

void monitor_check_pattern(const char *pattern, const char *option)
{
	if (strcmp(pattern, "-") == 0)
		usage_error("%s: iterates cannot be written to standard output (-), expected a name with "
		            "{iteration}",
		        option);

	for (const char *p = strchr(pattern, '{'); p != NULL; p = strchr(p + 1, '{')) {
		bool known = false;

		for (int i = 0; i < 3; i++)
			known = known || placeholder(p, placeholders[i]) > 0;

		if (!known)
			usage_error("%s %s: unknown word in braces (valid: {iteration}, {channel}, {time})",
			        option, pattern);
	}
}

void monitor_save(
        struct monitor *m, long every, const char *pattern, const struct hdr *h, const struct mask *mask)
{
	m->every = every;
	m->pattern = pattern;
	m->saved = h;
	m->mask = mask;
}

static char *saved_name(const struct monitor *m, long iteration)
{
	const long value[] = {iteration, m->channel, m->time};
	struct str s = {0};

	for (const char *p = m->pattern; *p;) {
		size_t n = 0;

		for (int i = 0; i < 3 && n == 0; i++)
			if ((n = placeholder(p, placeholders[i])) > 0)
				str_printf(&s, i == 0 ? "%04ld" : "%ld", value[i]);

		if (n == 0)
			str_addn(&s, p, n = 1);

		p += n;
	}

	return s.data;
}

/* Its history is that of a run that ends here. */
static void save(const struct monitor *m, const struct monitor_state *s, long n, const void *x)
{
	char *name = saved_name(m, s->iteration);

	tool_record("iterations", "%ld", s->iteration);

	struct cfl *f = cfl_create(name, m->saved);
	void *out = cfl_map_out(f);

	memcpy(out, x, (size_t)n * dtype_size(m->saved->type));
	mask_volumes(m->mask, m->saved->type, n, out);
	cfl_close_alone(f);
	free(name);
}

void monitor_begin(
        struct monitor *m, long channel, long time, enum dtype rtype, long n, const void *reference)
{
	if (m->begun == 0 && m->log != NULL && !m->json)
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

/* One number of a line, with the comma before it; name: of JSON. */
static void log_number(const struct monitor *m, const char *name, const char *format, double v)
{
	FILE *f = file_stream(m->log);

	if (m->json)
		fprintf(f, ",\"%s\":", name);
	else
		fputc(',', f);

	if (isfinite(v))
		fprintf(f, format, v);
	else if (m->json)
		fputs("null", f);
}

static void log_step(
        const struct monitor *m, const struct monitor_state *s, double error_to_reference, double seconds)
{
	FILE *f = file_stream(m->log);

	fprintf(f, m->json ? "{\"channel\":%ld,\"time\":%ld,\"iteration\":%ld" : "%ld,%ld,%ld", m->channel,
	        m->time, s->iteration);
	log_number(m, "residual", "%.9g", s->residual);
	log_number(m, "objective", "%.9g", s->objective);
	log_number(m, "gradient", "%.9g", s->gradient);
	log_number(m, "step", "%.9g", s->step);
	log_number(m, "seconds", "%.6f", seconds);

	if (m->has_reference)
		log_number(m, "nrmse", "%.9g", error_to_reference);

	fprintf(f, m->json ? "}\n" : "\n");

	if (fflush(f) != 0)
		file_failed(m->log, NULL);
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
	bool saves = m->every > 0 && s->iteration > 0 && s->iteration % m->every == 0 && !isinf(s->objective);
	void *here = (compare || saves) ? place_take(x, (size_t)n * dtype_size(type)) : NULL;
	double e = compare ? nrmse(m, type, here) : NAN;
	double seconds = now() - m->start;
	const bool estimated = isfinite(s->excess);

	if (m->log != NULL)
		log_step(m, s, e, seconds);

	if (saves) {
		distributed_gather(n, dtype_size(type), here);
		save(m, s, n, here);
		distributed_release(n, dtype_size(type), here, 0, n);
	}

	if (here != NULL)
		place_done(here, x);

	tell_step(m, s, e, seconds);
	snprintf(m->text, sizeof m->text, "%s %ld/%ld %s %.4g%s", tool_name != NULL ? tool_name : "iteration",
	        s->iteration, m->iterations, estimated ? "above minimum" : "residual",
	        estimated ? 100. * s->excess : s->residual, estimated ? " %" : "");
	progress_update((m->begun - 1) * m->iterations + s->iteration);
}

void monitor_close(struct monitor *m)
{
	progress_end();

	if (m->log != NULL)
		file_commit(m->log);

	free(m);
}
