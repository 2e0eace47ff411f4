#include "ct/fbp/fbp_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fdk_line.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/device/device.h"

/** Voxels whose sums are made together (along x FBP_CHUNK), and views that are added at a time. */
enum { BLOCK_Y = 16, BLOCK_Z = 128, GROUP = 8 };

struct block {
	long at[3], n[3];
};

/** Copies of filtered views with a border of zeros. */
struct frames {
	bool transposed; // rows fastest
	long lines, pitch;
};

static struct frames frames_of(const struct fbp *f, bool transposed)
{
	long cols = f->cols + 3, rows = f->g->rows + (transposed ? 2 * FDK_GUARD : 3);

	return (struct frames){.transposed = transposed,
	        .lines = transposed ? cols : rows,
	        .pitch = transposed ? rows : cols};
}

#define REAL   float
#define REALDT DT_FLOAT32
#define FN(x)  x##_float
#include "ct/fbp/fbp_backproject_impl.inc"

#define REAL   double
#define REALDT DT_FLOAT64
#define FN(x)  x##_double
#include "ct/fbp/fbp_backproject_impl.inc"

/** Volumes of fewer slices gain nothing from going along z. */
enum { UNTILTED_SLICES = 8 };

void fbp_backproject_slices(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2])
{
	char *begin =
	        (char *)vol + (size_t)(slices[0] * grid->size[0] * grid->size[1] * step) * dtype_size(type);

	if (device_used() >= 0 || device_holds(begin)) { // the slices may be all there is of vol on a device
		fbp_gpu_backproject(f, grid, type, begin, step, q, first, n, slices);
		return;
	}

	if (DT_FLOAT32 == type && fbp_slice_parallel_backproject(f, grid, vol, step, q, first, n, slices))
		return;

	bool untilted = grid->size[2] >= UNTILTED_SLICES;

	for (long k = 0; k < n; k++)
		untilted = untilted && f->view[first + k].untilted;

	struct frames fr = frames_of(f, untilted);
	void *frame = mem_alloc((size_t)(n * fr.lines * fr.pitch) * dtype_size(type));

	if (DT_FLOAT32 == type) {
		set_frames_float(&fr, frame, q, f->cols, f->g->rows, n);
		(untilted ? untilted_float : any_geometry_float)(
		        f, &fr, grid, vol, step, frame, first, n, slices);
	} else {
		set_frames_double(&fr, frame, q, f->cols, f->g->rows, n);
		(untilted ? untilted_double : any_geometry_double)(
		        f, &fr, grid, vol, step, frame, first, n, slices);
	}

	free(frame);
}

void fbp_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step,
        const void *q, long first, long n)
{
	fbp_backproject_slices(f, grid, type, vol, step, q, first, n, (const long[2]){0, grid->size[2]});
}
