/* Block operators. Contiguous parts are used in place, others through a copy. */

#include <stdlib.h>
#include <string.h>

#include "linops/block.h"
#include "linops/fit.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

/** How the parts lie in an array. */
struct side {
	int n, D;        // parts; dims of the array
	long dims[DIMS]; // of the array
	bool pieces;     // each part is one piece of it
	struct place {
		long dims[DIMS], size;
		long at; // of its first element [elements]
	} * part;
};

struct block {
	enum dtype type;
	const struct linop **A; // rows times cols
	struct side side[2];    // of output and input
	struct scratch in, out, sum;
};

static void side_free(struct side *s)
{
	free(s->part);
}

static void block_destroy(void *self)
{
	struct block *b = self;

	for (int i = 0; i < b->side[0].n * b->side[1].n; i++)
		linop_free(b->A[i]);

	free(b->A);
	side_free(&b->side[0]);
	side_free(&b->side[1]);
	scratch_free(&b->in);
	scratch_free(&b->out);
	scratch_free(&b->sum);
	free(b);
}

static int block_parts(const void *self, const struct linop *const **A)
{
	const struct block *b = self;

	*A = b->A;

	return b->side[0].n * b->side[1].n;
}

/** Copies part k out of the array, or (back) into it. */
static void move(enum dtype type, const struct side *s, int k, void *array, void *alone, bool back)
{
	const struct place *p = &s->part[k];
	const size_t size = dtype_size(type);
	long strs[DIMS], pstrs[DIMS];

	md_calc_strides(DIMS, strs, s->dims, size);
	md_calc_strides(DIMS, pstrs, p->dims, size);

	char *at = (char *)array + p->at * (long)size;

	if (back)
		md_copy2(DIMS, p->dims, strs, at, pstrs, alone, size);
	else
		md_copy2(DIMS, p->dims, pstrs, alone, strs, at, size);
}

/** Part k of the input: where it lies, or a copy. */
static const void *fetch(struct block *b, const struct side *s, int k, const void *src)
{
	if (s->pieces)
		return (const char *)src + s->part[k].at * (long)dtype_size(b->type);

	void *alone = scratch_get(&b->in, b->type, s->part[k].size, src);

	move(b->type, s, k, (void *)src, alone, false);

	return alone;
}

/** dst = sum over j of A(i, j) src_j, or of its adjoint. */
static void apply(struct block *b, bool adjoint, void *dst, const void *src)
{
	const struct side *out = &b->side[adjoint], *in = &b->side[!adjoint];

	for (int i = 0; i < out->n; i++) {
		const long m = out->part[i].size;
		void *y = out->pieces ? (char *)dst + out->part[i].at * (long)dtype_size(b->type)
		                      : scratch_get(&b->out, b->type, m, src);
		bool first = true;

		for (int j = 0; j < in->n; j++) {
			const struct linop *A = b->A[adjoint ? j * out->n + i : i * in->n + j];

			if (NULL == A)
				continue;

			void *t = first ? y : scratch_get(&b->sum, b->type, m, src);

			(adjoint ? linop_adjoint : linop_forward)(A, t, fetch(b, in, j, src));

			if (!first)
				vec_axpy(b->type, m, y, 1., t);

			first = false;
		}

		if (!out->pieces)
			move(b->type, out, i, dst, y, true);
	}
}

static void block_forward(const void *self, void *dst, const void *src)
{
	apply((struct block *)self, false, dst, src);
}

static void block_adjoint(const void *self, void *dst, const void *src)
{
	apply((struct block *)self, true, dst, src);
}

static const struct linop_ops block_ops = {.name = "block",
        .forward = block_forward,
        .adjoint = block_adjoint,
        .destroy = block_destroy,
        .parts = block_parts,
        .anywhere = true};
static const struct linop_ops nonnegative_ops = {.name = "block",
        .forward = block_forward,
        .adjoint = block_adjoint,
        .destroy = block_destroy,
        .parts = block_parts,
        .nonnegative = true,
        .anywhere = true};

/** The parts one after the other along `dim`, or as a flat vector. */
static void side_init(struct side *s, int dim, const char *what)
{
	const struct place *p = s->part;
	long at = 0, before = 1;

	if (dim < BLOCK_FLAT || dim >= DIMS)
		error("%s of a block operator are stacked along dimension %d, expected 0 to %d", what, dim,
		        DIMS - 1);

	for (int d = 0; d < dim; d++)
		before *= p[0].dims[d];

	md_copy_dims(DIMS, s->dims, p[0].dims);
	s->pieces = true;

	for (int d = dim + 1; d < DIMS && dim != BLOCK_FLAT; d++)
		s->pieces = s->pieces && 1 == p[0].dims[d];

	for (int k = 0; k < s->n; k++) {
		if (dim != BLOCK_FLAT && !md_check_equal_dims(DIMS, p[0].dims, p[k].dims, ~(1ul << dim)))
			error("a block operator has %s of %s and %s, expected equal lengths except along "
			      "dimension %d",
			        what, fit_shape(p[0].dims), fit_shape(p[k].dims), dim);

		s->part[k].at = at;
		at = add_checked(at,
		        (dim == BLOCK_FLAT) ? p[k].size : mul_checked(before, p[k].dims[dim], what), what);
	}

	if (dim == BLOCK_FLAT) {
		md_singleton_dims(DIMS, s->dims);
		s->dims[0] = at;
		s->D = 1;
	} else {
		s->dims[dim] = at / before;
		s->D = (s->D > dim + 1) ? s->D : dim + 1;
	}
}

/** Operator A stands in row i and column j. */
static void note(
        struct side *s, int k, const struct linop *A, const long dims[], long size, int D, const char *what)
{
	struct place *p = &s->part[k];

	if (0 != p->size && !md_check_equal_dims(DIMS, p->dims, dims, ~0ul))
		error("operator %s has %s of %s, expected %s like the other operators of the block",
		        linop_name(A), what, fit_shape(dims), fit_shape(p->dims));

	md_copy_dims(DIMS, p->dims, dims);
	p->size = size;
	s->D = (s->D > D) ? s->D : D;
}

struct linop *linop_block_create(int rows, int cols, const struct linop *const A[], int odim, int idim)
{
	if (rows < 1 || cols < 1)
		error("a block has %d x %d operators, expected at least 1 x 1", rows, cols);

	struct block *b = NEW(struct block);
	const struct linop *one = NULL;
	bool nonnegative = true;

	b->side[0] = (struct side){.n = rows, .part = mem_calloc((size_t)rows, sizeof(struct place))};
	b->side[1] = (struct side){.n = cols, .part = mem_calloc((size_t)cols, sizeof(struct place))};
	b->A = mem_calloc((size_t)rows * (size_t)cols, sizeof b->A[0]);

	for (int i = 0; i < rows * cols; i++) {
		if (NULL == A[i])
			continue;

		one = (NULL == one) ? A[i] : one;
		fit_types(one, A[i]);
		note(&b->side[0], i / cols, A[i], linop_codomain(A[i]), linop_codomain_size(A[i]),
		        linop_codomain_rank(A[i]), "outputs");
		note(&b->side[1], i % cols, A[i], linop_domain(A[i]), linop_domain_size(A[i]),
		        linop_domain_rank(A[i]), "inputs");
		b->A[i] = linop_ref(A[i]);
		nonnegative = nonnegative && linop_is_nonnegative(A[i]);
	}

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < b->side[k].n; i++)
			if (0 == b->side[k].part[i].size)
				error("%s %d of a block of operators is empty", k ? "column" : "row", i);

	side_init(&b->side[0], odim, "outputs");
	side_init(&b->side[1], idim, "inputs");
	b->type = linop_type(one);

	return linop_create(nonnegative ? &nonnegative_ops : &block_ops, b, b->type, b->side[0].D,
	        b->side[0].dims, b->side[1].D, b->side[1].dims);
}

struct linop *linop_stack_rows_create(int n, const struct linop *const A[], int odim)
{
	if (n < 1)
		error("a stack has %d operators, expected at least 1", n);

	const int last = (linop_domain_rank(A[0]) > 0) ? linop_domain_rank(A[0]) - 1 : 0;

	return linop_block_create(n, 1, A, odim, last);
}

struct linop *linop_stack_cols_create(int n, const struct linop *const A[], int idim)
{
	if (n < 1)
		error("a stack has %d operators, expected at least 1", n);

	const int last = (linop_codomain_rank(A[0]) > 0) ? linop_codomain_rank(A[0]) - 1 : 0;

	return linop_block_create(1, n, A, last, idim);
}

struct linop *linop_block_diag_create(int n, const struct linop *const A[], int odim, int idim)
{
	if (n < 1)
		error("a diagonal has %d operators, expected at least 1", n);

	const struct linop **all = mem_calloc((size_t)n * (size_t)n, sizeof *all);

	for (int i = 0; i < n; i++)
		all[i * n + i] = A[i];

	struct linop *B = linop_block_create(n, n, all, odim, idim);

	free(all);

	return B;
}
