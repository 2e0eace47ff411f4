/* Environment variables for GPUs. */

#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/options/parse.h"
#include "num/device/cuda/settings.h"

size_t gpu_setting_bytes(const char *name, size_t otherwise)
{
	const char *text = getenv(name);

	return (NULL == text || 0 == *text) ? otherwise : (size_t)parse_bytes(text, name);
}

size_t gpu_setting_memory(void)
{
	return gpu_setting_bytes("GANTRY_GPU_MEM", 0);
}

int gpu_setting_workers(void)
{
	const char *text = getenv("GANTRY_GPU_WORKERS");

	if (NULL == text || 0 == *text)
		return 1;

	long n = parse_long(text, "GANTRY_GPU_WORKERS");

	if (n < 1 || n > GPU_WORKERS_MOST)
		usage_error("GANTRY_GPU_WORKERS: %ld, expected 1..%d", n, GPU_WORKERS_MOST);

	return (int)n;
}

void gpu_human_bytes(char text[32], size_t bytes)
{
	snprintf(text, 32, "%s", human_bytes((double)bytes));
}
