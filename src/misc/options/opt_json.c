/** --interface: the command line as JSON, for wrappers and completion. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

static const char *kind_name(const struct opt *o)
{
	static const char *const names[] = {
	        [OPT_KIND_FLAG] = "flag",
	        [OPT_KIND_LONG] = "integer",
	        [OPT_KIND_DOUBLE] = "number",
	        [OPT_KIND_COMPLEX] = "complex",
	        [OPT_KIND_STRING] = "string",
	        [OPT_KIND_CHOICE] = "choice",
	        [OPT_KIND_TYPE] = "type",
	        [OPT_KIND_LONGS] = "integers",
	        [OPT_KIND_DOUBLES] = "numbers",
	        [OPT_KIND_DIM] = "dim",
	        [OPT_KIND_DIMS] = "dims",
	        [OPT_KIND_ARRAY] = "array",
	        [OPT_KIND_FILE] = "file",
	        [OPT_KIND_OUTFILE] = "outfile",
	};
	return o->flags & OPT_OUTPUT ? "output" : names[o->kind];
}

static void field(struct str *s, const char *name, const char *value)
{
	str_printf(s, ", \"%s\": ", name);
	str_add_json(s, value);
}

static void truth(struct str *s, const char *name, bool value)
{
	str_printf(s, ", \"%s\": %s", name, value ? "true" : "false");
}

static void bound(struct str *s, const char *name, double v)
{
	if (isfinite(v) && fabs(v) < 1e300)
		str_printf(s, ", \"%s\": %.17g", name, v);
}

static void choices(struct str *s, const struct opt *o)
{
	char *c;

	str_add(s, ", \"choices\": [");
	for (int k = 0; (c = opt_choice(o, k)); k++) {
		str_add(s, k ? ", " : "");
		str_add_json(s, c);
		free(c);
	}
	str_add(s, "]");
}

static void default_value(struct str *s, const struct opt *o)
{
	char *v = o->flags & OPT_IS_ARG ? NULL : opt_value_text(o);

	if (v && (o->kind == OPT_KIND_LONG || (o->kind == OPT_KIND_DOUBLE && isfinite(*(double *)o->ptr))))
		str_printf(s, ", \"default\": %s", v);
	else if (v)
		field(s, "default", v);
	free(v);
}

static void values(struct str *s, const struct opt *o)
{
	field(s, "kind", kind_name(o));
	if (o->kind == OPT_KIND_CHOICE)
		choices(s, o);
	default_value(s, o);
	if (o->min != 0 || o->max != 0) {
		bound(s, "min", o->min);
		bound(s, "max", o->max);
	}
	field(s, "help", o->help);
	str_add(s, "}");
}

static void argument(struct str *s, const struct opt *o)
{
	str_add(s, "    {\"name\": ");
	str_add_json(s, o->name);
	truth(s, "optional", o->flags & OPT_OPTIONAL);
	truth(s, "many", o->flags & OPT_MANY);
	truth(s, "pairs", o->flags & OPT_PAIRS);
	values(s, o);
}

static void option(struct str *s, const struct opt *o, bool common)
{
	str_add(s, "    {\"long\": ");
	str_add_json(s, o->name);
	if (opt_letter(o))
		field(s, "short", (char[]){o->c, 0});
	if (opt_takes_value(o))
		field(s, "placeholder", opt_placeholder(o));
	truth(s, "value_optional", o->flags & OPT_OPTIONAL);
	truth(s, "common", common);
	values(s, o);
}

/** Lines of a text as a JSON list. */
static void text_lines(struct str *s, const char *text)
{
	const char *comma = "";

	str_add(s, "[");
	while (text && *text) {
		const char *end = strchrnul(text, '\n');
		char *line = strndup(text, (size_t)(end - text));
		str_add(s, comma);
		str_add_json(s, line);
		comma = ", ";
		free(line);
		text = end + (*end != 0);
	}
	str_add(s, "]");
}

void opt_json(struct str *s, const struct tool *t)
{
	const char *comma = "";

	str_add(s, "{\n  \"name\": ");
	str_add_json(s, t->name);
	str_add(s, ",\n  \"about\": ");
	str_add_json(s, t->about);
	str_add(s, ",\n  \"details\": ");
	str_add_json(s, t->details ? t->details : "");
	str_add(s, ",\n  \"memory\": ");
	str_add_json(s, t->memory ? t->memory : "");
	str_add(s, ",\n  \"examples\": ");
	text_lines(s, t->examples);

	str_add(s, ",\n  \"arguments\": [\n");
	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (!(o->flags & OPT_IS_ARG))
			continue;
		str_add(s, comma);
		argument(s, o);
		comma = ",\n";
	}

	str_add(s, "\n  ],\n  \"options\": [\n");
	for (const struct opt *o = t->opts; o->kind != OPT_KIND_END; o++) {
		if (o->flags & OPT_IS_ARG)
			continue;
		option(s, o, false);
		str_add(s, ",\n");
	}
	for (const struct opt *o = opt_common; o->kind != OPT_KIND_END; o++) {
		option(s, o, true);
		str_add(s, o[1].kind == OPT_KIND_END ? "\n" : ",\n");
	}
	str_add(s, "  ]\n}\n");
}
