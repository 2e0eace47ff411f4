/* Sparse matrices of a brick. */

#include "ct/projector/stack/fan_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"

static void rows_room(struct fan_matrix *m, long rows)
{
	if (rows + 2 <= m->row_room)
		return;

	m->row_room = 2 * rows + 64;
	m->start = mem_realloc(m->start, (size_t)m->row_room * sizeof *m->start);
}

void fan_matrix_clear(struct fan_matrix *m)
{
	rows_room(m, 0);
	m->rows = m->count = 0;
	m->start[0] = 0;
}

void fan_matrix_free(struct fan_matrix *m)
{
	free(m->start);
	free(m->index);
	free(m->weight);
}

void fan_matrix_room(struct fan_matrix *m, long more)
{
	if (m->count + more <= m->room)
		return;

	m->room = 2 * (m->count + more) + 1024;
	m->index = mem_realloc(m->index, (size_t)m->room * sizeof *m->index);
	m->weight = mem_realloc(m->weight, (size_t)m->room * sizeof *m->weight);
}

void fan_matrix_end_row(struct fan_matrix *m)
{
	rows_room(m, m->rows + 1);
	m->start[++m->rows] = (int)m->count;
}

static bool in_ring(long line)
{
	const long x = line / FAN_RING, y = line % FAN_RING;

	return x == 0 || y == 0 || x > STACK_EDGE || y > STACK_EDGE;
}

void fan_matrix_transpose(
        struct fan_matrix *out, const struct fan_matrix *m, long rows, const int *name, bool ring)
{
	fan_matrix_clear(out);
	rows_room(out, 2 * rows);
	fan_matrix_room(out, m->count);
	out->rows = rows;
	out->count = m->count;

	int *start = out->start, *at = start + rows + 1; // where the next element of a row goes
	int kept = 0;

	memset(at, 0, (size_t)rows * sizeof *at);

	for (long n = 0; n < m->count; n++)
		at[m->index[n]]++;

	for (long r = 0; r < rows; r++) {
		const int count = at[r];

		start[r] = kept;

		if (!(ring && in_ring(r))) {
			at[r] = kept;
			kept += count;
		}
	}

	start[rows] = kept;

	for (long r = 0; r < rows && ring; r++) // those of the ring behind all others
		if (in_ring(r)) {
			const int count = at[r];

			at[r] = kept;
			kept += count;
		}

	for (long r = 0; r < m->rows; r++) {
		const int value = name ? name[r] : (int)r;

		for (int n = m->start[r]; n < m->start[r + 1]; n++) {
			const int to = at[m->index[n]]++;

			out->index[to] = value;
			out->weight[to] = m->weight[n];
		}
	}
}
