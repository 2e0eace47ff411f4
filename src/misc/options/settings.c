/** The values of the common options, for all layers below the commands. */

#include <omp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file/memory.h"
#include "misc/mem.h"
#include "misc/options/opt_internal.h"
#include "misc/options/parse.h"
#include "misc/ranks/ranks.h"

struct opt_given opt_given;

bool tool_force(void)
{
	return opt_given.force;
}

bool tool_plan(void)
{
	return opt_given.plan;
}

bool tool_profile(void)
{
	return opt_given.profile;
}

bool tool_sync(void)
{
	return opt_given.sync;
}

bool tool_no_clobber(void)
{
	return opt_given.no_clobber;
}

void tool_refuse(const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);

	if (!tool_force())
		error("%s", s.data);

	warn("%s", s.data);
	free(s.data);
}

int tool_threads(void)
{
	return omp_get_max_threads();
}

void tool_needs(long private_bytes, double seconds)
{
	if (opt_given.may_bytes && private_bytes > tool_memory() && !opt_given.plan)
		error("%s of memory are needed, but GANTRY_MEM allows %s", human_bytes((double)private_bytes),
		        human_bytes((double)tool_memory()));
	opt_given.need_bytes = private_bytes;
	opt_given.need_seconds = seconds;
}

void tool_needs_trial(void)
{
	opt_given.trial = true;
}

bool tool_may_try(void)
{
	return (opt_given.trial || !(opt_given.need_seconds > 0.)) && opt_given.need_bytes <= tool_memory();
}

void tool_exclude(double seconds)
{
	opt_given.start += seconds;
}

double tool_start(void)
{
	return opt_given.start;
}

void tool_needs_files(long bytes)
{
	opt_given.need_files = bytes;
}

/** [bytes] of arrays that stay in memory between commands. */
static long held_bytes;

void tool_hold(long bytes)
{
	held_bytes += bytes;
}

long tool_memory(void)
{
	const long may = opt_given.may_bytes, jobs = opt_given.slices_at_once;

	if (may)
		return may > held_bytes ? may - held_bytes : 0;

	return memory_available() / 4 * 3 / (jobs > 0 ? jobs : 1) / ranks_here();
}

void tool_needed(long *private_bytes, double *seconds)
{
	*private_bytes = opt_given.need_bytes;
	*seconds = opt_given.need_seconds;
}
