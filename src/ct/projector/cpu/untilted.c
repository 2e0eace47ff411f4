/** The fast path of separable footprints: windows of a view, and lines of voxels over them. */

#include "ct/projector/cpu/untilted.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cpu/window.h"
#include "misc/mem.h"

enum { MOST_FLOATS = 1 << 17 };

/** The lines of a brick, and what they share. */
struct sweep {
	const struct xray *x;
	const struct brick *b;
	struct sf_view w;
	const struct untilted_kernels *k;
	struct untilted_row *row; // along y
	float *box, *proj;
	long lowest, next; // row of the view that is row 0 of the window, and the step upwards in z: 1 or -1
	double first;      // the same, upwards in z
	int rows, taps;
	long lo, hi; // columns
	int step;
	bool unit, adjoint;
};

/** All lines; the ranges of rows (upwards in z) and columns that they meet. False: too many rows. */
static bool untilted_look(struct sweep *s)
{
	const double top = s->x->g->rows - 1.;
	const bool down = (s->w.to[1][2] < 0.);
	struct untilted_range all = {
	        .least = top, .most = 0., .off = 0., .first = INT_MAX, .end = INT_MIN, .taps = 0};

	for (int j = 0; j < s->b->size[0]; j++)
		s->k->look(s->row + j, &all, &s->w, s->x->g, j + 1, s->b->size[1], s->b->size[2]);

	const double first = fmax(floor(all.least + 0.5), 0.), end = fmin(floor(all.most + 0.5), top) + 1.;

	s->lo = (all.first > s->lo) ? all.first : s->lo;
	s->hi = (all.end < s->hi) ? all.end : s->hi;
	s->rows = (first < end && end - first <= UNTILTED_ROWS) ? (int)(end - first) : 0;
	s->unit = all.off < 1e-9;
	s->taps = all.taps;
	s->first = first;
	s->lowest = down ? (long)(top - first) : (long)first;
	s->next = down ? -1 : 1;

	return !(first < end) || end - first <= UNTILTED_ROWS;
}

/** Between the view and a window of it. */
static void exchange(const struct sweep *s, const struct untilted_window *w)
{
	const long cols = s->x->g->cols, along = s->next * cols * s->step;
	float *first = s->proj + (s->lowest * cols + w->column) * s->step;

	if (s->adjoint)
		window_get(w->lines, w->pitch, first, s->step, along, w->columns, w->rows);
	else
		window_add(first, s->step, along, w->lines, w->pitch, w->columns, w->rows);
}

/** All lines over a window. */
static void untilted_walk(const struct sweep *s, const struct untilted_window *w)
{
	_Alignas(64) float room[UNTILTED_LINES][UNTILTED_LINE_ROOM] = {{0.f}}, along2[UNTILTED_DEPTH],
	                   part[UNTILTED_TAPS][UNTILTED_EDGE];
	const int *size = s->b->size, *stride = s->x->stride;
	struct untilted_job job = {.w = w,
	        .depth = size[2],
	        .unit = s->unit,
	        .parallel = s->w.parallel,
	        .along2 = along2,
	        .room = room,
	        .part = part,
	        .stride = stride[1]};

	for (int k = 0; k < size[2]; k++) {
		const double dz = (k + 1 - s->w.source[2]) * s->w.spacing[2];

		along2[k] = (float)(dz * dz);
	}

	for (; job.from < s->taps; job.from += UNTILTED_TAPS) {
		job.taps = (s->taps - job.from < UNTILTED_TAPS) ? s->taps - job.from : UNTILTED_TAPS;

		for (int i = 0; i < size[0]; i++) {
			job.voxel = s->box + (i + 1L) * stride[0] + stride[1] + 1;
			s->k->parts(part, s->row + i, size[1], job.from, job.taps);

			for (int j = 0; j < size[1]; j += UNTILTED_LINES) {
				const int n = (size[1] - j < UNTILTED_LINES) ? size[1] - j : UNTILTED_LINES;

				(s->adjoint ? s->k->adjoint : s->k->forward)(&job, s->row + i, j, n);
			}
		}
	}
}

/** Windows of as many columns as fit the memory of lines. */
static void sweep_windows(struct sweep *s)
{
	struct untilted_window w = {
	        .first = s->first, .rows = s->rows, .pitch = (s->rows + 2 * UNTILTED_GUARD + 15) / 16 * 16};
	const long most = MOST_FLOATS / w.pitch, columns = (s->hi - s->lo < most) ? s->hi - s->lo : most;

	w.guard = (s->taps < UNTILTED_TAPS) ? s->taps : UNTILTED_TAPS;

	const size_t bytes =
	        ((size_t)(w.guard + columns + w.guard) * w.pitch + UNTILTED_GUARD) * sizeof(float);
	float *lines = mem_alloc(bytes);

	w.lines = lines + (size_t)w.guard * w.pitch + UNTILTED_GUARD;

	for (w.column = s->lo; w.column < s->hi; w.column += columns) {
		w.columns = (s->hi - w.column < columns) ? s->hi - w.column : columns;
		memset(lines, 0, bytes);

		if (s->adjoint)
			exchange(s, &w);

		untilted_walk(s, &w);

		if (!s->adjoint)
			exchange(s, &w);
	}

	free(lines);
}

bool untilted_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view, long lo,
        long hi, int step, bool adjoint)
{
	struct sweep s = {.x = x,
	        .b = b,
	        .box = box,
	        .proj = proj,
	        .lo = lo,
	        .hi = hi,
	        .step = step,
	        .adjoint = adjoint};

	if (b->size[0] > UNTILTED_EDGE || b->size[1] > UNTILTED_EDGE || b->size[2] > UNTILTED_DEPTH)
		return false;

	footprints_columns(x, b, view, &s.lo, &s.hi);

	if (s.lo >= s.hi)
		return true;

	footprints_view(&s.w, x, b, view);
	s.k = untilted_kernels();
	s.row = mem_alloc(b->size[0] * sizeof *s.row);

	const bool fits = untilted_look(&s);

	if (fits && s.rows > 0 && s.lo < s.hi)
		sweep_windows(&s);

	free(s.row);
	return fits;
}
