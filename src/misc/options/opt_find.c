/** The options that a tool knows: its own and the common ones. */

#include <string.h>

#include "misc/options/opt_internal.h"

const struct opt *opt_at(int k)
{
	for (const struct opt *o = tool_current()->opts; o->kind != OPT_KIND_END; o++)
		if (!(o->flags & OPT_IS_ARG) && k-- == 0)
			return o;
	for (const struct opt *o = opt_common; o->kind != OPT_KIND_END; o++)
		if (k-- == 0)
			return o;
	return NULL;
}

const struct opt *opt_find_short(char c)
{
	const struct opt *o;

	for (int k = 0; (o = opt_at(k)); k++)
		if (o->c == c)
			return o;
	return NULL;
}

char opt_letter(const struct opt *o)
{
	return (o->c && o == opt_find_short(o->c)) ? o->c : 0;
}

char opt_shown_letter(const struct opt *o)
{
	static const char *const names[] = {"Cconj", "Rregularise", "aalgorithm", "ccolormap", "eenergy",
	        "ffilter", "ggpu", "hhelp", "iiterations", "jthreads", "kkind", "mmethod", "nno-clobber",
	        "qquiet", "rregion", "ssize", "uup", "vverbose", "wwindow", "xx", "yy"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (opt_letter(o) == *names[i] && !strcmp(o->name, names[i] + 1))
			return o->c;
	return 0;
}
