/** What --plan prints. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "misc/options/opt_internal.h"
#include "misc/options/plan_ranks.h"
#include "misc/printable.h"

static void print_size(FILE *to, const char *what, long bytes)
{
	fprintf(to, "%s: %ld bytes (%s)\n", what, bytes, human_bytes((double)bytes));
}

void tool_print_output(FILE *to, const char *output)
{
	struct str name = {0};

	str_add_printable(&name, output);
	fprintf(to, "output: %s\n", name.data);
	free(name.data);
}

void tool_print_needs(FILE *to, long bytes)
{
	print_size(to, "disk", bytes);
	print_size(to, "memory", opt_given.need_bytes);

	if (opt_given.need_files > 0)
		print_size(to, "temporary files", opt_given.need_files);
}

void tool_print_plan(const char *output, long bytes)
{
	plan_ranks_expect();
	tool_print_output(stdout, output);
	tool_print_needs(stdout, bytes);

	if (opt_given.need_seconds > 0)
		printf("time: about %.3g s\n", opt_given.need_seconds);
	else
		printf("time: unknown\n");

	plan_ranks_print(opt_given.need_seconds);
	leave(EXIT_DONE);
}
