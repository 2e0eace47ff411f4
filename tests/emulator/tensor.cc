/* Tensor maps and the copies they describe, with the rules of the hardware checked. */

#include <stdio.h>
#include <stdlib.h>

#include "cuda.h"
#include "emulator.h"

extern uint32_t emulated_tensor_load(void *to, const CUtensorMap *map, int x, int y, int z);

cudaError_t emulated_tensor_map(CUtensorMap *map, int rank, const float *base, const uint64_t dims[],
        const uint64_t steps[], const uint32_t box[])
{
	bool good = 0 == (uintptr_t)base % 16 && 0 == box[0] * sizeof(float) % 16;

	memset(map, 0, sizeof *map);
	map->base = (const char *)base;
	map->size = sizeof(float);
	map->rank = (uint32_t)rank;

	for (int i = 0; i < rank; i++) {
		map->dims[i] = dims[i];
		map->box[i] = box[i];
		map->steps[i] = (0 == i) ? sizeof(float) : steps[i - 1];
		good &= 1 <= dims[i] && dims[i] <= (1ul << 32) && 1 <= box[i] && box[i] <= 256;
		good &= 0 == i || (0 == map->steps[i] % 16 && map->steps[i] < (1ul << 40));
	}

	return good ? cudaSuccess : cudaErrorInvalidValue;
}

uint32_t emulated_tensor_load(void *to, const CUtensorMap *map, int x, int y, int z)
{
	const long at[3] = {x, y, z};
	const uint32_t deep = (map->rank > 2) ? map->box[2] : 1;
	float *out = (float *)to;

	if (0 != x % 4 || 0 != (uintptr_t)to % 128) {
		fprintf(stderr,
		        "emulated GPU: a tensor copy from x = %d to an address %zu bytes past a multiple of "
		        "128: illegal instruction\n",
		        x, (size_t)((uintptr_t)to % 128));
		abort();
	}

	for (uint32_t k = 0; k < deep; k++)
		for (uint32_t j = 0; j < map->box[1]; j++) {
			const long row = at[1] + j, plane = at[2] + k;
			const bool inside = 0 <= row && row < (long)map->dims[1] &&
			                    (map->rank < 3 || (0 <= plane && plane < (long)map->dims[2]));
			const char *line =
			        map->base + row * (long)map->steps[1] + plane * (long)map->steps[2];

			for (uint32_t i = 0; i < map->box[0]; i++) {
				const long column = at[0] + i;

				*out++ = (inside && 0 <= column && column < (long)map->dims[0])
				                 ? ((const float *)line)[column]
				                 : 0.f;
			}
		}

	return map->box[0] * map->box[1] * deep * map->size;
}
