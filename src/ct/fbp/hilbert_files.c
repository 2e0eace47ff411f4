/* Lines of the Hilbert transform from file to file: the rows of as many slices as fit in a quarter of memory.
 */

#include <math.h>
#include <stdlib.h>

#include "ct/fbp/fbp_files.h"

#include "ct/projector/xray.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"

/** The two rows around a slice and how much of the second it has; false where the detector has neither. */
static bool rows_of(const struct hilbert *h, long rows, long slice, long row[2], double *f)
{
	const double at = hilbert_row(h, slice);

	if (!(at > -1. && at < (double)rows))
		return false;

	row[0] = (long)floor(at);
	row[1] = row[0] + 1;
	*f = at - (double)row[0];

	if (*f < 1e-9)
		row[1] = row[0];

	return true;
}

/** Slices [z, end) of a channel and time, from one reading of the rows that they need. */
static void hilbert_slices(
        const struct fbp_files *s, struct hilbert *h, long c, long z, long end, enum dtype type, char *vol)
{
	const long cols = s->g->cols, rows = s->g->rows, views = s->g->views,
	           slice = s->grid->size[0] * s->grid->size[1];
	long row[2], lo = rows, hi = -1;
	double f;

	for (long k = z; k < end; k++)
		if (rows_of(h, rows, k, row, &f)) {
			lo = (row[0] < lo) ? row[0] : lo;
			hi = (row[1] > hi) ? row[1] : hi;
		}

	lo = (lo < 0) ? 0 : lo;
	hi = (hi > rows - 1) ? rows - 1 : hi;

	const long n = (hi >= lo) ? hi - lo + 1 : 0;
	float *in = mem_alloc((size_t)(n * cols * views) * sizeof *in);
	double *p = mem_alloc((size_t)(cols * views) * sizeof *p);

	for (long k = 0; k < views && n > 0; k++)
		view_read_at(s->proj, DT_FLOAT32, cols * rows, view_place(s->chosen, c * views + k),
		        lo * cols, n * cols, (void *const[2]){in + k * n * cols, NULL});

	for (long k = z; k < end; k++) {
		if (!rows_of(h, rows, k, row, &f))
			continue;

		for (long v = 0; v < views; v++)
			for (long a = 0; a < cols; a++) {
				const float *x = in + v * n * cols + a;
				const double one = (row[0] >= 0) ? x[(row[0] - lo) * cols] : 0.,
				             two = (row[1] < rows) ? x[(row[1] - lo) * cols] : 0.;

				p[v * cols + a] = one + f * (two - one);
			}

		char *to = vol + k * slice * (long)dtype_size(type);

		hilbert_slice(h, p, type, to);
		xray_expect_finite(type, slice, to, s->proj->name, "attenuations");
		progress_update(c * s->grid->size[2] + k + 1);
	}

	free(p);
	free(in);
}

/** The largest value of all ranks. */
static double largest(double here)
{
	const struct sharing each = {.inner = sizeof here, .n = ranks_count(), .block = 1, .outer = 1};
	double *all = mem_calloc((size_t)each.n, sizeof *all);

	all[ranks_rank()] = here;
	sharing_gather(&each, all);

	for (long k = 0; k < each.n; k++)
		here = fmax(here, all[k]);

	free(all);

	return here;
}

static void warn_lines(const struct hilbert *h)
{
	struct hilbert_count n = hilbert_counted(h, largest(hilbert_top(h)));

	ranks_sum(&n.lines, 1);
	ranks_sum(&n.uncovered, 1);
	ranks_sum(&n.open, 1);

	if (0 == n.lines)
		warn("no line of the volume crosses the region that all views see (within --support, if "
		     "given)");

	if (n.uncovered > 0)
		warn("on %ld of %ld lines, --support reaches an end of the region that all views see: the "
		     "voxels of these lines are set to 0",
		        n.uncovered, n.lines);

	if (n.open > 0)
		warn("on %ld of %ld lines the object seems to extend beyond the region that all views see: "
		     "the values on these lines are wrong (try another direction with --lines)",
		        n.open, n.lines);
}

void fbp_files_hilbert(const struct fbp_files *s, const struct hilbert_settings *set)
{
	const long nz = s->grid->size[2], slice = s->grid->size[0] * s->grid->size[1],
	           line = s->g->cols * s->g->views * (long)sizeof(float),
	           volumes = s->proj->count / (s->g->cols * s->g->rows * s->chosen->views);

	cfl_expect_real(s->proj);

	struct hilbert *h = hilbert_create(s->g, s->grid, set, s->name);
	const enum dtype type = s->h->type;
	const long room = tool_memory() / 4 / line, rows = (room < 4)            ? 4
	                                                   : (room < s->g->rows) ? room
	                                                                         : s->g->rows;
	const double per = fabs(s->grid->spacing[2]) / fabs(s->g->view[0].v[2]);
	const long many = (long)((double)(rows - 2) / per), slices = (many < 1) ? 1 : (many < nz) ? many : nz;

	verbose("%s", hilbert_describe(h));
	tool_needs(hilbert_memory(h) + ((rows < s->g->rows) ? rows : s->g->rows) * line, 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	long part[2];

	ranks_part(nz, 1, &part[0], &part[1]);
	cfl_in_parts(y);

	char *vol = cfl_map_out(y);

	progress_start("fbp", volumes * nz);

	for (long c = 0; c < volumes; c++)
		for (long z = part[0]; z < part[1]; z += slices) {
			const long end = (part[1] - z < slices) ? part[1] : z + slices,
			           first = c * nz * slice;

			hilbert_slices(s, h, c, z, end, type, vol + first * (long)dtype_size(type));
			cfl_write_out(y, first + z * slice, (end - z) * slice);
		}

	progress_end();
	warn_lines(h);
	hilbert_free(h);
	cfl_close(s->proj);
	cfl_close(y);
}
