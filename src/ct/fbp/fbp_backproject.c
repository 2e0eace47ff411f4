#include "ct/fbp/fbp_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fdk_line.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "num/device/opencl.h"

/** Voxels along x that are computed together (FBP_CHUNK), and views that are added at a time.
 */
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

void fbp_backproject_box(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step,
        const void *q, long first, long n, const struct fbp_box *box)
{
	if (DT_FLOAT32 == type && fbp_slice_parallel_backproject(f, grid, vol, step, q, first, n, box))
		return;

	bool untilted = grid->size[2] >= UNTILTED_SLICES;

	for (long k = 0; k < n; k++)
		untilted = untilted && f->view[first + k].untilted;

	struct frames fr = frames_of(f, untilted);
	void *frame = mem_alloc((size_t)(n * fr.lines * fr.pitch) * dtype_size(type));

	if (DT_FLOAT32 == type) {
		set_frames_float(&fr, frame, q, f->cols, f->g->rows, n);
		(untilted ? untilted_float : any_geometry_float)(
		        f, &fr, grid, vol, step, frame, first, n, box);
	} else {
		set_frames_double(&fr, frame, q, f->cols, f->g->rows, n);
		(untilted ? untilted_double : any_geometry_double)(
		        f, &fr, grid, vol, step, frame, first, n, box);
	}

	free(frame);
}

void fbp_backproject_slices(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol,
        long step, const void *q, long first, long n, const long slices[2])
{
	char *begin =
	        (char *)vol + (size_t)(slices[0] * grid->size[0] * grid->size[1] * step) * dtype_size(type);

	if (device_used() >= 0 || device_holds(begin)) // the slices may be all there is of vol on a device
		fbp_gpu_backproject(f, grid, type, begin, step, q, first, n, slices);
	else if (opencl_has_float64())
		fbp_opencl_backproject(f, grid, type, begin, step, q, first, n, slices);
	else
		fbp_backproject_box(f, grid, type, vol, step, q, first, n,
		        &(const struct fbp_box){{slices[0], slices[1]}, {0, grid->size[1]}});
}

void fbp_backproject(const struct fbp *f, const struct grid *grid, enum dtype type, void *vol, long step,
        const void *q, long first, long n)
{
	fbp_backproject_slices(f, grid, type, vol, step, q, first, n, (const long[2]){0, grid->size[2]});
}

/** Straight lines of the detector are straight in the box, so that its corners bound what it sees. */
void fbp_rows(const struct fbp *f, const struct grid *grid, const struct fbp_box *box, long first, long n,
        long rows[2])
{
	const long all = f->g->rows, *size = grid->size;
	double lo = (double)all, hi = -1.;

	rows[0] = 0;
	rows[1] = all;

	for (long k = first; k < first + n; k++)
		for (int corner = 0; corner < 8; corner++) {
			const long x = (corner & 1) ? size[0] - 1 : 0,
			           y = (corner & 2) ? box->y[1] - 1 : box->y[0],
			           z = (corner & 4) ? box->z[1] - 1 : box->z[0];
			struct fbp_hits s;

			fbp_view_hits(f->view + k, grid, x, y, z, 1, &s);

			if (f->view[k].curved || !(s.weight[0] > 0.) || !isfinite(s.row[0]))
				return;

			lo = fmin(lo, s.row[0]);
			hi = fmax(hi, s.row[0]);
		}

	const double margin = 2.; // interpolation and rounding

	rows[0] = (long)fmax(0., fmin((double)all, floor(lo) - margin));
	rows[1] = (long)fmax((double)rows[0], fmin((double)all, floor(hi) + 1. + margin));
}
