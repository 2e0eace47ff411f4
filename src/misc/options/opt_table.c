/** --table: data on a command for the front command and histories, a line per command, argument and option
 * (misc/options/commands.h). */

#include <stdlib.h>
#include <string.h>

#include "misc/options/opt_internal.h"

/* Fields end at tabs, lines at line feeds. */
static void add_field(struct str *s, const char *text)
{
	str_add(s, "\t");

	for (; text && *text; text++)
		str_addn(s, '\t' == *text || '\n' == *text ? " " : text, 1);
}

static void add_flags(struct str *s, const struct opt *o)
{
	static const struct {
		unsigned flag;
		const char *letter;
	} letters[] = {{OPT_NO_HISTORY, "n"}, {OPT_MANY, "m"}, {OPT_OPTIONAL, "?"}, {OPT_OUTPUT, "o"},
	        {OPT_PAIRS, "p"}, {OPT_RUNS, "r"}, {OPT_WRITES, "w"}};

	str_add(s, "\t");

	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
		if (o->flags & letters[i].flag)
			str_add(s, letters[i].letter);

	if (OPT_KIND_OUTFILE == o->kind)
		str_add(s, "w");

	if (!(o->flags & (OPT_IS_ARG | OPT_OPTIONAL)) && OPT_KIND_FLAG != o->kind)
		str_add(s, "v");
}

const char *const tool_groups[TOOL_GROUPS] = {
        [GROUP_SIMULATE] = "Simulate and describe a scan",
        [GROUP_PROJECT] = "Project and back-project",
        [GROUP_RECONSTRUCT] = "Reconstruct",
        [GROUP_CORRECT] = "Prepare measured data",
        [GROUP_CALIBRATE] = "Align and calibrate",
        [GROUP_DENOISE] = "Denoise",
        [GROUP_MAKE] = "Make and convert arrays",
        [GROUP_SHAPE] = "Shape arrays",
        [GROUP_CALCULATE] = "Calculate",
        [GROUP_LOOK] = "Look and compare",
        [GROUP_MEASURE] = "Segment and measure",
        [GROUP_RUN] = "Run and maintain Gantry",
};

void opt_table(struct str *s, const struct tool *t)
{
	str_add(s, "command");
	add_field(s, t->name);
	add_field(s, t->about);
	add_field(s, t->synonyms);
	str_printf(s, "\ngroup\t%d\t\t\n", (int)t->group);

	for (const struct opt *o = t->opts; OPT_KIND_END != o->kind; o++) {
		char *help = opt_full_help(o);

		str_add(s, o->flags & OPT_IS_ARG ? "argument" : "option");
		add_field(s, o->name);
		add_flags(s, o);
		add_field(s, help);
		str_add(s, "\n");
		free(help);
	}
}
