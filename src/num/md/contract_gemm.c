/* Products of matrices found in a strided loop. Of the dims of each kind - rows (step in out and a), columns
 * (out and b), summed (a and b) - the best one becomes a dim of the matrix product; the other dims, and the
 * batch, are outer loops. Out is divided into tiles that depend on the shape alone. OpenBLAS computes each
 * tile on one thread. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/threads.h"
#include "num/backend/contract_cpu.h"
#include "num/md/blas.h"
#include "num/md/flpmath.h"

enum {
	TILE_COLS = 512,  // columns of a tile of out
	TILE_ROWS = 1024, // and its rows; more where there are fewer columns
	TILE_ROWS_MAX = 1 << 14,
	PACKED_K = 512, // terms that are packed at a time
	FEW = 8,        // tiles that leave threads idle
	PIECE_K = 2048, // terms of a piece of the sum then
	LEAST_EDGE = 4, // smaller products are not worth a call
	LEAST_PRODUCTS = 256,
	CHUNK = 1 << 16, // products that are worth the start of a task
	PER_NS = 16,     // products of a thread in a nanosecond
	OUT = 0,
	A = 1,
	B = 2
};

/** One operand of a tile: first element, steps along its two dims [bytes]. */
struct matrix {
	char *p;
	long rows, cols;
	long rstr, cstr;
};

struct gemm {
	enum dtype t;
	long size;
	bool conj_a, conj_b;
	long m, n, k;                    // of the matrix product
	struct contract_dims outer, sum; // loops around it
	long am, ak, bk, bn, cm, cn;     // steps [bytes]
	char *ptr[3];
	long tm, tn, mt, nt; // sizes of a tile; tiles of rows and columns
	long pieces;         // of the sum
};

/** Whether BLAS can take a matrix as it lies: 'N' column-major, 'T' row-major, 0 neither. */
static char layout(const struct matrix *x, long size)
{
	if (size == x->rstr && 0 == x->cstr % size && x->cstr >= x->rows * size)
		return 'N';

	if (size == x->cstr && 0 == x->rstr % size && x->rstr >= x->cols * size)
		return 'T';

	return 0;
}

static char operation(char layout_, bool conj)
{
	return !conj ? layout_ : ('N' == layout_) ? 'R' : 'C';
}

/** A contiguous column-major copy. */
static struct matrix packed(const struct gemm *g, const struct matrix *x, char *buf)
{
	const long dims[2] = {x->rows, x->cols}, to[2] = {g->size, x->rows * g->size};

	md_copy2(2, dims, to, buf, (const long[2]){x->rstr, x->cstr}, x->p, (size_t)g->size);

	return (struct matrix){buf, x->rows, x->cols, to[0], to[1]};
}

/** c += a b, or c = a b; c column-major. buf: room for PACKED_K rows or columns of both. */
static void multiply(
        const struct gemm *g, bool add, struct matrix c, struct matrix a, struct matrix b, char *buf[2])
{
	bool packs = 0 == layout(&a, g->size) || 0 == layout(&b, g->size);
	long all = a.cols, step = packs ? PACKED_K : all;

	for (long k = 0; k < all; k += step) {
		long n = (all - k < step) ? all - k : step;
		struct matrix x = {a.p + k * a.cstr, a.rows, n, a.rstr, a.cstr};
		struct matrix y = {b.p + k * b.rstr, n, b.cols, b.rstr, b.cstr};

		if (0 == layout(&x, g->size))
			x = packed(g, &x, buf[0]);

		if (0 == layout(&y, g->size))
			y = packed(g, &y, buf[1]);

		char lx = layout(&x, g->size), ly = layout(&y, g->size);

		blas_gemm(g->t, operation(lx, g->conj_a), operation(ly, g->conj_b), c.rows, c.cols, n, 1.,
		        x.p, (('N' == lx) ? x.cstr : x.rstr) / g->size, y.p,
		        (('N' == ly) ? y.cstr : y.rstr) / g->size, (add || k > 0) ? 1. : 0., c.p,
		        c.cstr / g->size);
	}
}

/** Offsets of a position of loops, for the three operands. */
static void advance(const struct contract_dims *d, long at, char *ptr[3])
{
	for (int i = 0; i < d->D; i++) {
		for (int k = 0; k < 3; k++)
			ptr[k] += at % d->dims[i] * d->strs[k][i];

		at /= d->dims[i];
	}
}

/** The tile of out that task t computes. */
static struct matrix tile_of(const struct gemm *g, long t, long *row, long *col)
{
	char *ptr[3] = {g->ptr[OUT], g->ptr[A], g->ptr[B]};

	*row = t % g->mt * g->tm;
	*col = t / g->mt % g->nt * g->tn;
	advance(&g->outer, t / g->mt / g->nt, ptr);

	return (struct matrix){ptr[OUT] + *row * g->cm + *col * g->cn,
	        (g->m - *row < g->tm) ? g->m - *row : g->tm, (g->n - *col < g->tn) ? g->n - *col : g->tn,
	        g->cm, g->cn};
}

/** c += or = the products of piece `piece` of the sum. */
static void sum_tile(const struct gemm *g, long t, long piece, bool add, struct matrix c, char *buf[2])
{
	long row, col, first = g->k * piece / g->pieces, end = g->k * (piece + 1) / g->pieces;

	tile_of(g, t, &row, &col);

	for (long s = 0; s < contract_count(&g->sum); s++) {
		char *ptr[3] = {g->ptr[OUT], g->ptr[A], g->ptr[B]};

		advance(&g->outer, t / g->mt / g->nt, ptr);
		advance(&g->sum, s, ptr);
		multiply(g, add || s > 0, c,
		        (struct matrix){
		                ptr[A] + row * g->am + first * g->ak, c.rows, end - first, g->am, g->ak},
		        (struct matrix){
		                ptr[B] + col * g->bn + first * g->bk, end - first, c.cols, g->bk, g->bn},
		        buf);
	}
}

static void add_to(const struct gemm *g, struct matrix c, const char *sums)
{
	const long dims[2] = {c.rows, c.cols}, cs[2] = {c.rstr, c.cstr}, ss[2] = {g->size, c.rows * g->size};

	md_apply2(OP_ADD, g->t, 2, dims, cs, c.p, cs, c.p, ss, sums);
}

/** Buffers of a thread: packed rows and columns, a tile that cannot be summed where it lies. */
struct buffers {
	char *packed[2], *tile;
};

static struct buffers buffers_alloc(const struct gemm *g)
{
	const struct matrix a = {NULL, g->m, g->k, g->am, g->ak}, b = {NULL, g->k, g->n, g->bk, g->bn};
	const struct matrix c = {NULL, g->m, g->n, g->cm, g->cn};
	struct buffers x = {{NULL, NULL}, NULL};

	if (0 == layout(&a, g->size) || 0 == layout(&b, g->size)) {
		x.packed[0] = mem_alloc((size_t)(g->tm * PACKED_K * g->size));
		x.packed[1] = mem_alloc((size_t)(g->tn * PACKED_K * g->size));
	}

	if ('N' != layout(&c, g->size))
		x.tile = mem_alloc((size_t)(g->tm * g->tn * g->size));

	return x;
}

static void run_task(const struct gemm *g, struct buffers *x, char *partial, long t)
{
	long row, col;
	struct matrix to = tile_of(g, t / g->pieces, &row, &col);
	struct matrix apart = {
	        partial + t * g->tm * g->tn * g->size, to.rows, to.cols, g->size, to.rows * g->size};

	if (NULL == partial && NULL == x->tile) {
		sum_tile(g, t, 0, true, to, x->packed);
	} else if (NULL == partial) {
		apart.p = x->tile;
		sum_tile(g, t, 0, false, apart, x->packed);
		add_to(g, to, apart.p);
	} else {
		sum_tile(g, t / g->pieces, t % g->pieces, false, apart, x->packed);
	}
}

static void contract_gemm_run(const struct gemm *g)
{
	const long tasks = g->mt * g->nt * contract_count(&g->outer) * g->pieces;
	const long products =
	        ((g->m < g->tm) ? g->m : g->tm) * ((g->n < g->tn) ? g->n : g->tn) * g->k / g->pieces;
	const long tile = g->tm * g->tn * g->size, chunk = 1 + CHUNK / products;
	const int threads = (tasks > chunk) ? threads_for((double)(tasks * products) / PER_NS) : 1;
	char *partial = (1 < g->pieces) ? mem_alloc((size_t)(tasks * tile)) : NULL;

#pragma omp parallel num_threads(threads)
	{
		struct buffers x = buffers_alloc(g);

#pragma omp for schedule(dynamic, chunk)
		for (long t = 0; t < tasks; t++)
			run_task(g, &x, partial, t);

		free(x.packed[0]);
		free(x.packed[1]);
		free(x.tile);
	}

	for (long t = 0; t < tasks && NULL != partial; t++) {
		long row, col;

		add_to(g, tile_of(g, t / g->pieces, &row, &col), partial + t * tile);
	}

	free(partial);
}

/** Whether dim i is of the kind in which, of a and b, these move. */
static bool is_kind(const struct contract_dims *d, int i, bool a, bool b)
{
	return a == (0 != d->strs[A][i]) && b == (0 != d->strs[B][i]);
}

/** The dim of that kind that makes the best matrix: a long one, contiguous in an operand. -1: none. */
static int best_dim(const struct contract_dims *d, bool a, bool b, long size)
{
	int best = -1;
	double most = 0;

	for (int i = 0; i < d->D; i++) {
		if (!is_kind(d, i, a, b))
			continue;

		double merit = (double)((d->dims[i] < TILE_COLS) ? d->dims[i] : TILE_COLS);

		for (int k = 0; k < 3; k++)
			merit *= (size == d->strs[k][i]) ? 4 : 1;

		if (merit > most) {
			most = merit;
			best = i;
		}
	}

	return best;
}

/** A result that lies in rows is the transpose of one in columns: a and b exchange their parts. */
static void transpose(struct gemm *g)
{
	struct gemm x = *g;

	g->m = x.n;
	g->n = x.m;
	g->am = x.bn;
	g->ak = x.bk;
	g->bk = x.ak;
	g->bn = x.am;
	g->cm = x.cn;
	g->cn = x.cm;
	g->conj_a = x.conj_b;
	g->conj_b = x.conj_a;
	g->ptr[A] = x.ptr[B];
	g->ptr[B] = x.ptr[A];

	for (int i = 0; i < DIMS; i++) {
		g->outer.strs[A][i] = x.outer.strs[B][i];
		g->outer.strs[B][i] = x.outer.strs[A][i];
		g->sum.strs[A][i] = x.sum.strs[B][i];
		g->sum.strs[B][i] = x.sum.strs[A][i];
	}
}

bool contract_gemm(enum dtype t, bool conj_b, const struct contract_dims *keep,
        const struct contract_dims *sum, char *const ptr[3])
{
	struct gemm g = {.t = t, .size = (long)dtype_size(t), .conj_b = conj_b};
	int m = best_dim(keep, true, false, g.size), n = best_dim(keep, false, true, g.size);
	int k = best_dim(sum, true, true, g.size);

	if (m < 0 || n < 0 || k < 0)
		return false;

	g.m = keep->dims[m];
	g.n = keep->dims[n];
	g.k = sum->dims[k];

	if (g.m < LEAST_EDGE || g.n < LEAST_EDGE || g.k < LEAST_EDGE || g.m * g.n * g.k < LEAST_PRODUCTS ||
	        !blas_available())
		return false;

	g.cm = keep->strs[OUT][m];
	g.cn = keep->strs[OUT][n];
	g.am = keep->strs[A][m];
	g.bn = keep->strs[B][n];
	g.ak = sum->strs[A][k];
	g.bk = sum->strs[B][k];

	for (int i = 0; i < keep->D; i++)
		if (i != m && i != n)
			contract_push(&g.outer, keep, i);

	for (int i = 0; i < sum->D; i++)
		if (i != k)
			contract_push(&g.sum, sum, i);

	memcpy(g.ptr, ptr, sizeof g.ptr);

	if (g.size == g.cn && g.size != g.cm)
		transpose(&g);

	g.tn = (g.n < TILE_COLS) ? g.n : TILE_COLS;
	g.tm = TILE_ROWS * TILE_COLS / g.tn;
	g.tm = (g.tm > TILE_ROWS_MAX) ? TILE_ROWS_MAX : g.tm;
	g.tm = (g.m < g.tm) ? g.m : g.tm;
	g.mt = (g.m + g.tm - 1) / g.tm;
	g.nt = (g.n + g.tn - 1) / g.tn;

	long tiles = g.mt * g.nt * contract_count(&g.outer);

	g.pieces = (tiles < FEW && g.k >= 2 * PIECE_K) ? g.k / PIECE_K : 1;
	g.pieces = (g.pieces > FEW) ? FEW : g.pieces;
	contract_gemm_run(&g);

	return true;
}
