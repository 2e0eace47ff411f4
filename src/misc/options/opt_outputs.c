/** Checks before the work that at most one output is standard output, and under --no-clobber that outputs do
 * not exist. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/options/opt_internal.h"
#include "misc/options/report.h"
#include "misc/options/trial.h"

static bool to_stdout;

static bool writes(const struct opt *o)
{
	return (o->flags & OPT_OUTPUT) || OPT_KIND_OUTFILE == o->kind;
}

static void check(const struct opt *o)
{
	const char *name = *(const char **)o->ptr;

	if (!name || (o->flags & OPT_STATE))
		return;

	if (o->flags & OPT_OUTPUT)
		cfl_refuse_existing(name);
	else
		file_refuse_existing(name);
}

static const char *dashes(const struct opt *o)
{
	return o->flags & OPT_IS_ARG ? "" : "--";
}

static void check_stdout(const struct tool *t)
{
	const struct opt *one = NULL;

	for (const struct opt *o = t->opts; OPT_KIND_END != o->kind; o++) {
		const char *name = writes(o) && !(o->flags & OPT_MANY) ? *(const char **)o->ptr : NULL;

		if (!name || (o->flags & OPT_STATE) || 0 != strcmp(name, "-"))
			continue;

		if (one)
			usage_error("%s%s and %s%s cannot both be written to standard output (-)",
			        dashes(one), one->name, dashes(o), o->name);

		one = o;
	}

	to_stdout = one != NULL;
}

void tool_print(const char *fmt, ...)
{
	const struct tool_word *w;
	const int n = tool_words(&w);
	bool taken = to_stdout;

	for (int i = 0; i < n; i++)
		taken = taken || (WORD_OUTPUT == w[i].kind && w[i].text && 0 == strcmp(w[i].text, "-"));

	if (trial_is_on()) // standard output is for the plan
		return;

	va_list ap;

	va_start(ap, fmt);
	vfprintf(taken ? stderr : stdout, fmt, ap);
	va_end(ap);
}

void opt_check_outputs(const struct tool *t)
{
	bool any = false;

	check_stdout(t);

	if (!tool_no_clobber())
		return;

	for (const struct opt *o = t->opts; OPT_KIND_END != o->kind; o++) {
		if (writes(o) && !(o->flags & OPT_MANY))
			check(o);

		// the lines of a recipe write, too
		any = any || writes(o) || (OPT_KIND_FILE == o->kind && (o->flags & OPT_IS_ARG));
	}

	if (!any)
		usage_error("--no-clobber: %s writes no files", t->name);
}
