/** The options that a tool knows: its own and the common ones. */

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
