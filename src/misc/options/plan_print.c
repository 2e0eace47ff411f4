/** What --plan prints. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "misc/options/opt_internal.h"
#include "misc/options/plan_ranks.h"
#include "misc/printable.h"

static void print_size(const char *what, long bytes)
{
	printf("%s: %ld bytes (%s)\n", what, bytes, human_bytes((double)bytes));
}

void tool_print_output(const char *output)
{
	struct str name = {0};

	str_add_printable(&name, output);
	printf("output: %s\n", name.data);
	free(name.data);
}

void tool_print_needs(long bytes)
{
	print_size("disk", bytes);
	print_size("memory", opt_given.need_bytes);

	if (opt_given.need_files > 0)
		print_size("temporary files", opt_given.need_files);
}

void tool_print_plan(const char *output, long bytes)
{
	plan_ranks_expect();
	tool_print_output(output);
	tool_print_needs(bytes);

	if (opt_given.need_seconds > 0)
		printf("time: about %.3g s\n", opt_given.need_seconds);
	else
		printf("time: unknown\n");

	plan_ranks_print(opt_given.need_seconds);
	leave(EXIT_DONE);
}

void tool_plan_text(void)
{
	if (opt_given.plan)
		tool_print_plan("text", 0);
}
