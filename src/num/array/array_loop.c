/* Strided loops in lines and tiles. */

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "misc/threads.h"
#include "num/array/array_internal.h"
#include "num/array/array_loop.h"
#include "num/backend/backend_cpu.h"

/** Elements of a line before it is cut; lines shorter than SHORT run along another dim; bytes beyond which
 * an output leaves the last cache anyway; elements worth a second thread. */
enum { PIECE = 1 << 15, SHORT = 32 };

static const long streaming = 64L << 20;

bool array_streams(const struct array *out)
{
	return array_count(out) * (long)dtype_size(out->type) >= streaming;
}

bool array_loop_init(struct array_loop *l, int N, const struct array *const arr[])
{
	*l = (struct array_loop){.N = N};

	if (0 == array_count(arr[0]))
		return false;

	md_copy_dims(DIMS, l->dims, arr[0]->dims);

	for (int k = 0; k < N; k++) {
		l->ptr[k] = arr[k]->data;
		l->size[k] = dtype_size(arr[k]->type);

		for (int i = 0; i < DIMS; i++)
			l->strs[k][i] = (1 == arr[k]->dims[i]) ? 0 : arr[k]->strs[i];
	}

	l->D = md_simplify(N, DIMS, l->dims, l->strs);

	if (0 == l->D) {
		l->D = 1;
		l->dims[0] = 1;
	}

	return true;
}

/** How a loop is cut: tiles of edge[d] elements along dim d, edge 1 but for dim 0 and dim y. */
struct plan {
	struct array_loop l;
	int y; // second dim of a tile, or 0
	long edge[DIMS];
	long tiles[DIMS];    // along each dim
	long count;          // of tiles
	unsigned transposed; // bit k: operand k goes through a tile in the order of the output
};

static void exchange(struct array_loop *l, int a, int b)
{
	long t = l->dims[a];

	l->dims[a] = l->dims[b];
	l->dims[b] = t;

	for (int k = 0; k < l->N; k++) {
		t = l->strs[k][a];
		l->strs[k][a] = l->strs[k][b];
		l->strs[k][b] = t;
	}
}

/** The dim along which an input lies closer than along dim 0, so that lines along dim 0 touch a new cache
 * line for every element; 0 when there is none. */
static int closer_dim(const struct array_loop *l, int k)
{
	enum { LINE = 64, WORTH = 8 };
	int best = 0;

	if (labs(l->strs[k][0]) < LINE)
		return 0;

	for (int i = 1; i < l->D; i++) {
		long step = labs(l->strs[k][i]);

		if (0 != step && step < labs(l->strs[k][best]) && l->dims[i] >= WORTH)
			best = i;
	}

	return (labs(l->strs[k][best]) < LINE) ? best : 0;
}

static void choose_tiles(struct plan *p)
{
	struct array_loop *l = &p->l;

	for (int i = 0; i < DIMS; i++)
		p->edge[i] = 1;

	if (1 < l->D && l->dims[0] < SHORT && l->dims[1] > l->dims[0]) {
		exchange(l, 0, 1);
		p->y = 1;
		p->edge[0] = KERN_BLOCK;
		p->edge[1] = SHORT;
		return;
	}

	p->edge[0] = PIECE;

	for (int k = 1; k < l->N; k++) {
		int y = closer_dim(l, k);

		if (0 == y || (0 != p->y && y != p->y))
			continue;

		p->y = y;
		p->edge[0] = p->edge[y] = ARRAY_TILE;
		p->transposed |= 1u << k;
	}
}

static void make_plan(struct plan *p, const struct array_loop *l)
{
	*p = (struct plan){.l = *l, .count = 1};
	choose_tiles(p);

	for (int i = 0; i < l->D; i++) {
		p->tiles[i] = (p->l.dims[i] + p->edge[i] - 1) / p->edge[i];
		p->count *= p->tiles[i];
	}
}

enum { ROOM = ARRAY_TILE * ARRAY_TILE * 16 };

/** A tile nx x ny of raw elements with steps sx and sy, without gaps in buf. */
static void fetch_tile(size_t size, long nx, long ny, char *buf, const char *in, long sx, long sy)
{
	const struct md_shape s = {
	        .D = 2, .N = 2, .dims = {nx, ny}, .strs = {{(long)size, nx * (long)size}, {sx, sy}}};

	cpu_copy(size, &s, buf, in);
}

/** A line in pieces that the kernels take. */
static void run_line(int N, long n, const long step[], char *const ptr[], array_line_fn *fn, void *ctx)
{
	char *p[ARRAY_OPERANDS];

	for (long at = 0; at < n; at += KERN_BLOCK) {
		for (int k = 0; k < N; k++)
			p[k] = ptr[k] + at * step[k];

		fn(ctx, (n - at < KERN_BLOCK) ? n - at : KERN_BLOCK, step, p);
	}
}

/** Asks for lines of n elements some way ahead of `at` where they do not follow each other in the direction
 * of their elements: the hardware sees such jumps too late. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct plan *p, long n, char *const at[])
{
	enum { AHEAD = 4096 };
	const struct array_loop *l = &p->l;

	if (0 != p->y || 2 > l->D)
		return;

	for (int k = 1; k < l->N; k++) {
		const long size = (long)l->size[k], step = l->strs[k][0], bytes = n * size;
		const long jump = (step < 0) ? -l->strs[k][1] : l->strs[k][1];

		if (labs(step) == size && bytes <= AHEAD && 0 != jump && (jump < 0 || jump > 2 * bytes))
			array_fetch(
			        at[k] + (1 + AHEAD / bytes) * l->strs[k][1] - ((step < 0) ? bytes - size : 0),
			        bytes);
	}
}

/** The same inside of a tile: some rows on. */
static inline __attribute__((always_inline)) void fetch_rows(
        const struct plan *p, long n, char *const line[], const long sy[])
{
	enum { ROWS = 8 };

	for (int k = 1; k < p->l.N; k++)
		if (!(p->transposed & 1u << k) && p->l.strs[k][0] == (long)p->l.size[k])
			array_fetch(line[k] + ROWS * sy[k], n * (long)p->l.size[k]);
}

/** One tile from the elements ptr[] on; room holds a tile per operand where some are transposed. */
static void run_tile(const struct plan *p, long nx, long ny, char *const ptr[], char (*room)[ROOM],
        array_line_fn *fn, void *ctx)
{
	const struct array_loop *l = &p->l;
	long sx[ARRAY_OPERANDS], sy[ARRAY_OPERANDS];
	char *line[ARRAY_OPERANDS];

	for (int k = 0; k < l->N; k++) {
		line[k] = ptr[k];
		sx[k] = l->strs[k][0];
		sy[k] = l->strs[k][p->y];

		if (!(p->transposed & 1u << k))
			continue;

		fetch_tile(l->size[k], nx, ny, room[k], ptr[k], sx[k], sy[k]);
		line[k] = room[k];
		sx[k] = (long)l->size[k];
		sy[k] = nx * (long)l->size[k];
	}

	for (long y = 0; y < ny; y++) {
		if (0 != p->transposed)
			fetch_rows(p, nx, line, sy);

		run_line(l->N, nx, sx, line, fn, ctx);

		for (int k = 0; k < l->N; k++)
			line[k] += sy[k];
	}
}

static long extent(const struct plan *p, int d, long tile)
{
	long left = p->l.dims[d] - tile * p->edge[d];

	return (left < p->edge[d]) ? left : p->edge[d];
}

/** Moves to the tile after this one. */
static void next_tile(const struct plan *p, long pos[DIMS], char *ptr[ARRAY_OPERANDS])
{
	const struct array_loop *l = &p->l;

	for (int i = 0; i < l->D; i++) {
		const bool wrap = ++pos[i] == p->tiles[i];
		const long move = p->edge[i] * (wrap ? 1 - p->tiles[i] : 1);

		for (int k = 0; k < l->N; k++)
			ptr[k] += move * l->strs[k][i];

		if (!wrap)
			break;

		pos[i] = 0;
	}
}

/** Tiles [first, end), dim 0 fastest. */
static void run_tiles(
        const struct plan *p, long first, long end, char (*room)[ROOM], array_line_fn *fn, void *ctx)
{
	const struct array_loop *l = &p->l;
	char *ptr[ARRAY_OPERANDS];
	long pos[DIMS], rest = first;

	memcpy(ptr, l->ptr, sizeof ptr);

	for (int i = 0; i < l->D; i++) {
		pos[i] = rest % p->tiles[i];
		rest /= p->tiles[i];

		for (int k = 0; k < l->N; k++)
			ptr[k] += pos[i] * p->edge[i] * l->strs[k][i];
	}

	for (long t = first; t < end; t++) {
		const long nx = extent(p, 0, pos[0]), ny = (0 != p->y) ? extent(p, p->y, pos[p->y]) : 1;

		fetch_ahead(p, nx, ptr);
		run_tile(p, nx, ny, ptr, room, fn, ctx);
		next_tile(p, pos, ptr);
	}
}

/** Tiles for one thread, with room of its own; what it wrote past the caches is there at the end. */
static void run_share(const struct plan *p, long first, long end, array_line_fn *fn, void *ctx)
{
	if (0 == p->transposed) {
		run_tiles(p, first, end, NULL, fn, ctx);
	} else {
		char room[ARRAY_OPERANDS][ROOM] __attribute__((aligned(64)));

		run_tiles(p, first, end, room, fn, ctx);
	}

	kern_fence();
}

void array_loop_run(const struct array_loop *l, array_line_fn *fn, void *ctx)
{
	struct plan p;

	make_plan(&p, l);

	const int threads = threads_for(2. * (double)md_calc_size(l->D, l->dims));

	if (1 == p.count || 1 == threads) {
		run_share(&p, 0, p.count, fn, ctx);
		return;
	}

#pragma omp parallel num_threads(threads)
	{
		const long nt = omp_get_num_threads(), me = omp_get_thread_num();

		run_share(&p, p.count / nt * me + ((me < p.count % nt) ? me : p.count % nt),
		        p.count / nt * (me + 1) + ((me + 1 < p.count % nt) ? me + 1 : p.count % nt), fn, ctx);
	}
}
