/* Chooses CPU or GPU by the command line and by the amount of work. */

#include <string.h>

#include "misc/error.h"
#include "misc/options/trial.h"
#include "misc/ranks/ranks.h"
#include "num/device/device.h"
#include "num/device/device_choice.h"
#include "num/device/device_set.h"
#include "num/device/opencl.h"

static enum tool_device wanted = TOOL_DEVICE_AUTO;
static int wanted_id, used = -1;

static void need_gpu(int id, const char *what)
{
	int n = device_count();

	if (0 == n)
		error("%s: no GPU can be used: %s", what, device_none_reason());

	if (id >= n)
		error("%s: GPU number %d, expected 0..%d", what, id, n - 1);
}

void device_use(int id)
{
	if (0 <= id) {
		trial_ignore_memory();
		need_gpu(id, "device_use()");
	}

	used = id;
	device_set(id);
}

int device_used(void)
{
	return used;
}

/** A demand on the command line is not passed over in silence. */
static void say_if_idle(void)
{
	if (!device_asked())
		warn("no GPU implementation; running on the CPU");
}

static void say_if_opencl_idle(void)
{
	if (!opencl_asked())
		warn("no OpenCL implementation; running on the CPU");
}

void device_choose(const struct tool_device_choice *choice)
{
	const bool typed = 0 != strcmp(choice->what, "GANTRY_DEVICE");

	wanted = choice->kind;
	wanted_id = (choice->id < 0) ? 0 : choice->id;

	if (TOOL_DEVICE_GPU != wanted)
		device_use(-1);

	if (TOOL_DEVICE_OPENCL != wanted)
		opencl_rest();

	if (TOOL_DEVICE_OPENCL == wanted) {
		trial_ignore_memory();
		opencl_use(choice->which, choice->what);
		on_done_call(typed ? say_if_opencl_idle : NULL);
	}

	if (TOOL_DEVICE_GPU == wanted) {
		need_gpu(wanted_id, choice->what);
		device_use(wanted_id);
		on_done_call(typed ? say_if_idle : NULL);
	}
}

/** [s], by rates that are low for a current machine: starting a GPU and filling it repays only where the
 * processor would take seconds. */
static double seconds_on_cpu(double bytes, double operations)
{
	const double rate = 2e9 * tool_threads(); // [operations/s]

	return bytes / 20e9 + operations / rate;
}

static double seconds_on_gpu(double bytes, double operations)
{
	return 0.5 + bytes / 10e9 + operations / 2e12;
}

bool device_worth(double bytes, double operations)
{
	if (TOOL_DEVICE_AUTO != wanted || 0 <= used)
		return 0 <= used;

	if (ranks_shared()) // their parts are computed on processors
		return false;

	if (0 == strcmp(device_toolkit(), "emulated")) // it is for tests, and slow
		return false;

	// the driver is asked last: that alone takes a tenth of a second
	if (!(seconds_on_gpu(bytes, operations) < seconds_on_cpu(bytes, operations)) || 0 == device_count())
		return false;

	device_use(0);

	if ((double)device_left() < bytes / 1e3) // taken by others
		device_use(-1);

	return 0 <= used;
}
