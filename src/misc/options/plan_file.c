/** Plans of commands that write text or files other than arrays. */

#include "misc/options/plan_file.h"

#include "misc/error.h"
#include "misc/file/stream.h"
#include "misc/options/opt_internal.h"
#include "misc/options/trial.h"

void tool_plan_file(const char *output, long bytes)
{
	if (!tool_plan())
		return;

	if (!tool_may_try() || opt_common_loops() || stream_is_read() || leave_instead)
		tool_print_plan(output, bytes);

	trial_start_file(output, bytes);
}

void tool_plan_text(void)
{
	tool_plan_file("text", 0);
}
