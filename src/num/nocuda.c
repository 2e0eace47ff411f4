/* Builds without CUDA have no GPU. */

#include <stddef.h>

#include "num/device.h"

int device_count(void)
{
	return 0;
}

const char *device_name(int id)
{
	(void)id;

	return "";
}

long device_memory(int id)
{
	(void)id;

	return 0;
}

const char *device_none_reason(void)
{
	return "built without CUDA";
}
