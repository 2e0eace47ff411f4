/** Computes rays through a brick, group by group, for the ray-driven paths of the list. */

#include "ct/projector/cpu/ray_sweep.h"

#include <string.h>

#include "ct/projector/cpu/general.h"

/** How groups of columns are computed: `columns` first, where there is such a way, and the rest by groups. */
struct ray_sweep {
	const struct ray_groups *groups;
	column_sweep_fn *columns; // NULL: none
	size_t size;              // of an element
};

bool ray_by_columns(const struct xray *x)
{
	return x->grid.size[2] > 1 && x->g->rows >= RAY_FEW_ROWS;
}

/** All rays of columns [lo, hi) of a view that may meet the brick. */
static void ray_sweep(const struct ray_sweep *s, struct ray_group g, char *buffer, long lo, long hi)
{
	const struct xray *x = g.x;
	const bool by_columns = ray_by_columns(x);
	struct brick_bounds bounds;
	long first, end;

	brick_bounds_find(&bounds, x, g.b, g.view);
	brick_bounds_columns(&bounds, x, g.view, &first, &end);
	first = (first > lo) ? first : lo;
	end = (end < hi) ? end : hi;
	first -= (first - lo) % COLUMNS; // groups are the same however columns are cut into tiles
	g.bounds = &bounds;
	g.box = buffer + (size_t)x->lead * s->size;

	for (g.column = first; g.column < end; g.column += COLUMNS) {
		g.n = (end - g.column < COLUMNS) ? (int)(end - g.column) : COLUMNS;
		memset(g.done, 0, sizeof g.done);

		if (s->columns && by_columns)
			s->columns(&g);

		if (by_columns)
			s->groups->columns(&g);
		else
			s->groups->rows(&g);
	}
}

/** A path: forward and adjoint. */
#define RAY_KERNELS(name, real, by_groups, by_columns)                                                       \
	static void name##_forward(const struct xray *x, const struct brick *b, void *proj,                  \
	        const void *buffer, long view, long lo, long hi, int step)                                   \
	{                                                                                                    \
		ray_sweep(&(struct ray_sweep){by_groups(), by_columns, sizeof(real)},                        \
		        (struct ray_group){.x = x, .b = b, .proj = proj, .view = view, .step = step},        \
		        (char *)buffer, lo, hi);                                                             \
	}                                                                                                    \
	static void name##_adjoint(const struct xray *x, const struct brick *b, void *buffer,                \
	        const void *proj, long view, long lo, long hi, int step)                                     \
	{                                                                                                    \
		ray_sweep(&(struct ray_sweep){by_groups(), by_columns, sizeof(real)},                        \
		        (struct ray_group){.x = x,                                                           \
		                .b = b,                                                                      \
		                .proj = (void *)proj,                                                        \
		                .view = view,                                                                \
		                .step = step,                                                                \
		                .adjoint = true},                                                            \
		        buffer, lo, hi);                                                                     \
	}                                                                                                    \
	const struct brick_kernels name = {name##_forward, name##_adjoint, false};

RAY_KERNELS(untilted_joseph, float, ray_packet_joseph, column_sweep_joseph)
RAY_KERNELS(untilted_siddon, float, ray_packet_siddon, column_sweep_siddon)
RAY_KERNELS(packet_joseph, float, ray_packet_joseph, tilted_sweep_joseph)
RAY_KERNELS(packet_siddon, float, ray_packet_siddon, NULL)
RAY_KERNELS(general_joseph_float, float, ray_general_joseph_float, NULL)
RAY_KERNELS(general_siddon_float, float, ray_general_siddon_float, NULL)
RAY_KERNELS(general_joseph_double, double, ray_general_joseph_double, NULL)
RAY_KERNELS(general_siddon_double, double, ray_general_siddon_double, NULL)
