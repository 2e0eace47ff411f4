/** The fast path of separable footprints: windows of a view, and lines of voxels over them. */

#include "linops/xray/upright.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linops/xray/footprints.h"
#include "misc/mem.h"

enum { MOST_FLOATS = 1 << 17 };

/** The lines of a brick, and what they share. */
struct sweep {
	const struct xray *x;
	const struct brick *b;
	struct sf_view w;
	const struct upright_kernels *k;
	struct upright_row *row; // along y
	float *box, *proj;
	long lowest, next; // row of the view that is row 0 of the window, and the step upwards in z: 1 or -1
	int rows;
	long lo, hi; // columns
	int step;
	bool unit, adjoint;
};

/** All lines; the ranges of rows (upwards in z) and columns that they meet. False: too many rows. */
static bool look(struct sweep *s)
{
	const bool down = (s->w.to[1][2] < 0.);
	const double top = s->x->g->rows - 1.;
	double least = top, most = 0., whole = 0.;
	long lo = s->hi, hi = s->lo;

	for (int j = 0; j < s->b->size[1]; j++) {
		struct upright_row *r = s->row + j;

		s->k->look(r, &s->w, s->x->g, j + 1, s->b->size[0]);

		for (int i = 0; i < s->b->size[0]; i++) {
			if (down)
				r->at[i] = top - r->at[i];

			if (r->amount[i] == 0.f)
				continue;

			const double bottom = r->at[i] - 0.5 * r->rise[i],
			             up = bottom + s->b->size[2] * r->rise[i],
			             off = fabs(r->rise[i] - 1.) * s->b->size[2] +
			                   fabs(r->at[i] - rint(r->at[i]));

			least = (bottom < least) ? bottom : least;
			most = (up > most) ? up : most;
			whole = (off > whole) ? off : whole;
			lo = (r->first[i] < lo) ? r->first[i] : lo;
			hi = (r->end[i] > hi) ? r->end[i] : hi;
		}
	}

	const double first = fmax(floor(least + 0.5), 0.), end = fmin(floor(most + 0.5), top) + 1.;

	s->lo = (lo > s->lo) ? lo : s->lo;
	s->hi = (hi < s->hi) ? hi : s->hi;
	s->rows = (first < end && end - first <= UPRIGHT_ROWS) ? (int)(end - first) : 0;
	s->unit = whole < 1e-9;
	s->lowest = down ? (long)(top - first) : (long)first;
	s->next = down ? -1 : 1;

	for (int j = 0; j < s->b->size[1]; j++)
		for (int i = 0; i < s->b->size[0]; i++)
			s->row[j].at[i] -= first;

	return !(first < end) || end - first <= UPRIGHT_ROWS;
}

/** Between the view and a window of it. */
static void exchange(const struct sweep *s, const struct upright_window *w)
{
	for (int r = 0; r < w->rows; r++) {
		float *p = s->proj + ((s->lowest + r * s->next) * s->x->g->cols + w->column) * s->step,
		      *line = w->lines + r;

		if (s->adjoint)
			for (long a = 0; a < w->columns; a++)
				line[a * w->pitch] = p[a * s->step];
		else
			for (long a = 0; a < w->columns; a++)
				p[a * s->step] += line[a * w->pitch];
	}
}

/** A line over the columns of the window, from its tap on. False: it meets none. */
static bool set_line(struct upright_line *l, const struct sweep *s, const struct upright_window *w, int i,
        int j, int from, float part[UPRIGHT_TAPS][UPRIGHT_EDGE])
{
	const struct upright_row *r = s->row + j;
	const long first = r->first[i] + from, past = w->column + w->columns;
	const long lo = (first > w->column) ? first : w->column;
	long hi = (r->end[i] < first + UPRIGHT_TAPS) ? r->end[i] : first + UPRIGHT_TAPS;

	hi = (hi < past) ? hi : past;

	if (lo >= hi || r->amount[i] == 0.f)
		return false;

	l->at = r->at[i];
	l->rise = r->rise[i];
	l->away2 = r->away2[i];
	l->taps = (int)(hi - lo);
	l->part = part[lo - first] + i;
	l->voxel = s->box + (i + 1L) * s->x->stride[0] + (j + 1L) * s->x->stride[1] + 1;
	l->column = w->lines + (lo - w->column) * w->pitch;

	return true;
}

/** The lines of a row, some at a time. */
static void walk_row(
        const struct sweep *s, const struct upright_job *job, const struct upright_window *w, int j, int from)
{
	float part[UPRIGHT_TAPS][UPRIGHT_EDGE];
	struct upright_line l[UPRIGHT_LINES];
	int n = 0;

	s->k->parts(part, s->row + j, s->b->size[0], from);

	for (int i = 0; i < s->b->size[0]; i++) {
		n += set_line(l + n, s, w, i, j, from, part);

		if (n == UPRIGHT_LINES || (i + 1 == s->b->size[0] && n > 0)) {
			(s->adjoint ? s->k->adjoint : s->k->forward)(job, l, n);
			n = 0;
		}
	}
}

/** All lines over a window. */
static void walk(const struct sweep *s, const struct upright_window *w)
{
	const struct upright_job job = {.rows = w->rows,
	        .pitch = w->pitch,
	        .depth = s->b->size[2],
	        .unit = s->unit,
	        .parallel = s->w.parallel,
	        .from = (float)(s->w.source[2] - 1.),
	        .spacing = (float)s->w.spacing[2]};

	for (int j = 0; j < s->b->size[1]; j++) {
		const struct upright_row *r = s->row + j;
		int taps = 0;

		for (int i = 0; i < s->b->size[0]; i++)
			taps = (r->end[i] - r->first[i] > taps) ? r->end[i] - r->first[i] : taps;

		for (int from = 0; from < taps; from += UPRIGHT_TAPS)
			walk_row(s, &job, w, j, from);
	}
}

/** Windows of as many columns as fit the memory of lines. */
static void sweep_windows(struct sweep *s)
{
	struct upright_window w = {.rows = s->rows, .pitch = (s->rows + 2 * UPRIGHT_GUARD + 15) / 16 * 16};
	const long most = MOST_FLOATS / w.pitch, columns = (s->hi - s->lo < most) ? s->hi - s->lo : most;
	const size_t bytes = ((size_t)columns * w.pitch + UPRIGHT_GUARD) * sizeof(float);
	float *lines = mem_alloc(bytes);

	w.lines = lines + UPRIGHT_GUARD;

	for (w.column = s->lo; w.column < s->hi; w.column += columns) {
		w.columns = (s->hi - w.column < columns) ? s->hi - w.column : columns;
		memset(lines, 0, bytes);

		if (s->adjoint)
			exchange(s, &w);

		walk(s, &w);

		if (!s->adjoint)
			exchange(s, &w);
	}

	free(lines);
}

bool upright_sweep(const struct xray *x, const struct brick *b, float *box, float *proj, long view, long lo,
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

	if (!x->view[view].upright || x->stride[2] != 1 || x->grid.size[2] == 1)
		return false;

	for (int i = 0; i < 3; i++)
		if (b->size[i] > UPRIGHT_EDGE)
			return false;

	footprints_columns(x, b, view, &s.lo, &s.hi);

	if (s.lo >= s.hi)
		return true;

	footprints_view(&s.w, x, b, view);
	s.k = upright_kernels();
	s.row = mem_alloc(b->size[1] * sizeof *s.row);

	const bool fits = look(&s);

	if (fits && s.rows > 0 && s.lo < s.hi)
		sweep_windows(&s);

	free(s.row);
	return fits;
}
