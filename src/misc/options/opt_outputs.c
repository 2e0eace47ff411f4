/** Checks under --no-clobber that outputs do not exist. */

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/options/opt_internal.h"

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

void opt_check_outputs(const struct tool *t)
{
	bool any = false;

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
