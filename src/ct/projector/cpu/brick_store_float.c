/** Bricks of float32 data: tiles are transposed in registers. */

#include <stdbool.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/cpu/transpose.h"

#define REAL  float
#define STORE brick_store_float

#define TURN_TILE(t, step, save)                                                                             \
	((step) == 1 && (t)->along == 1 &&                                                                   \
	        transpose_tile((t)->vol, (t)->next, (t)->box, (t)->across, (t)->nx, (t)->nz, save))

/** z fastest in the buffer. */
static inline bool transpose_tile(float *vol, long next, float *box, long across, int nx, int nz, bool save)
{
	if (save)
		transpose_block()(vol, next, box, across, nx, nz);
	else
		transpose_block()(box, across, vol, next, nz, nx);

	return true;
}

#include "ct/projector/cpu/brick_store_impl.inc"
