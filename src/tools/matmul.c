/** Products of matrices. */

#include <math.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/array/array_as.h"
#include "num/md/contract.h"
#include "num/md/flpmath.h"

int main_matmul(int argc, char *argv[]);

/** One of the factors: how it is to be seen. */
struct factor {
	const char *name;
	bool transposed, conj;
	struct cfl *file;
	struct array *a;
	long dims[DIMS], strs[DIMS];
};

static void exchange(long x[])
{
	long t = x[0];

	x[0] = x[1];
	x[1] = t;
}

static void open_factor(struct factor *f)
{
	f->file = cfl_open(f->name);
	md_copy_dims(DIMS, f->dims, f->file->hdr.dims);

	if (f->transposed)
		exchange(f->dims);
}

static void load_factor(struct factor *f, enum dtype work, bool on_device)
{
	f->a = array_open_as(f->file, work, on_device);
	md_copy_strides(DIMS, f->strs, f->a->strs);

	if (f->transposed)
		exchange(f->strs);
}

/** The type in which products are computed, and that of the result. */
static enum dtype work_type(const struct factor *a, const struct factor *b, enum dtype *result)
{
	enum dtype t = dtype_promote(a->file->hdr.type, b->file->hdr.type);

	*result = (DT_UINT64 == t) ? DT_UINT64 : dtype_is_integer(t) ? DT_INT64 : t;

	if (dtype_is_integer(t))
		return DT_FLOAT64;

	return dtype_work(t);
}

static void expect_match(const struct factor *a, const struct factor *b)
{
	if (a->dims[1] != b->dims[0])
		error("%s has %ld columns and %s has %ld rows%s, expected equal numbers", a->name, a->dims[1],
		        b->name, b->dims[0], (a->transposed || b->transposed) ? ", as they are used" : "");

	for (int d = 2; d < DIMS; d++)
		if (a->dims[d] != b->dims[d] && 1 != a->dims[d] && 1 != b->dims[d])
			error("%s is %s and %s is %s: expected equal sizes along dimension %d, or size 1 in "
			      "one array",
			        a->name, hdr_shape(&a->file->hdr), b->name, hdr_shape(&b->file->hdr), d);
}

static void copy_grid(struct hdr *h, int d, const struct factor *f, int from)
{
	const struct hdr *x = &f->file->hdr;

	h->spacing[d] = x->spacing[from];
	h->origin[d] = x->origin[from];
	h->has_spacing = h->has_spacing || 1. != x->spacing[from];
	h->has_origin = h->has_origin || !isnan(x->origin[from]);
}

/** Rows have the grid of those of A, columns of those of B, the batch of whichever has it. */
static void product_grid(struct hdr *h, const struct factor *a, const struct factor *b)
{
	hdr_init(h);
	md_matmul_dims(DIMS, h->dims, a->dims, b->dims);
	copy_grid(h, 0, a, a->transposed ? 1 : 0);
	copy_grid(h, 1, b, b->transposed ? 0 : 1);

	for (int d = 2; d < DIMS; d++)
		copy_grid(h, d, (1 < a->dims[d] || 1 == b->dims[d]) ? a : b, d);
}

/** Where A alone is conjugated, the product is taken the other way round: (A B)' = B' A'. */
static void multiply(struct array *c, const struct factor *a, const struct factor *b)
{
	if (a->conj && !b->conj) {
		struct factor x = *b, y = *a;
		long dims[DIMS], strs[DIMS];

		md_copy_dims(DIMS, dims, c->dims);
		md_copy_strides(DIMS, strs, c->strs);
		exchange(dims);
		exchange(strs);
		exchange(x.dims);
		exchange(x.strs);
		exchange(y.dims);
		exchange(y.strs);
		md_matmul_t(c->type, true, DIMS, dims, strs, c->data, x.dims, x.strs, x.a->data, y.dims,
		        y.strs, y.a->data);
		return;
	}

	md_matmul_t(c->type, b->conj && !a->conj, DIMS, c->dims, c->strs, c->data, a->dims, a->strs,
	        a->a->data, b->dims, b->strs, b->a->data);

	if (a->conj && b->conj)
		md_apply1(OP_CONJ, c->type, DIMS, c->dims, c->strs, c->data, c->strs, c->data);
}

/** Sums of integers are exact up to 2^53. */
static void warn_if_inexact(const struct array *c, enum dtype result)
{
	if (!dtype_is_integer(result))
		return;

	double largest = md_maxabs_t(c->type, DIMS, c->dims, c->strs, c->data);

	if (!(largest <= 0x1p53))
		warn("sums reach %g in magnitude: integers beyond 2^53 are rounded", largest);
}

static void matmul_run(struct factor *a, struct factor *b, const char *out, int type)
{
	struct hdr h;
	enum dtype result, work;

	open_factor(a);
	open_factor(b);
	expect_match(a, b);
	work = work_type(a, b, &result);
	product_grid(&h, a, b);
	h.type = (0 <= type) ? (enum dtype)type : result;

	if (DT_FLOAT64 == dtype_real(h.type))
		work = dtype_is_complex(work) ? DT_COMPLEX128 : DT_FLOAT64;

	long memory = array_open_as_memory(a->file, work) + array_open_as_memory(b->file, work);

	if (work != h.type)
		memory += hdr_count(&h, out) * (long)dtype_size(work);

	tool_needs(memory, 0);

	struct cfl *f = cfl_create(out, &h);
	const double terms = (double)a->dims[1] * (double)f->count;
	const double elements = (double)(a->file->count + b->file->count + f->count);
	const bool on_device = array_as_device(elements * (double)dtype_size(work), 2. * terms);
	struct array *c = array_out_as(f, work, on_device);

	load_factor(a, work, on_device);
	load_factor(b, work, on_device);
	multiply(c, a, b);
	warn_if_inexact(c, h.type);
	array_finish_as(f, c);
	array_free(a->a);
	array_free(b->a);
	hdr_free(&h);
	cfl_close(a->file);
	cfl_close(b->file);
	cfl_close(f);
}

int main_matmul(int argc, char *argv[])
{
	struct factor a = {0}, b = {0};
	bool adjoint_a = false, adjoint_b = false;
	const char *out = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_FLAG(0, "transpose-a", &a.transposed, "use the transpose of A"),
	        OPT_FLAG(0, "transpose-b", &b.transposed, "use the transpose of B"),
	        OPT_FLAG(0, "adjoint-a", &adjoint_a, "use the conjugate transpose of A"),
	        OPT_FLAG(0, "adjoint-b", &adjoint_b, "use the conjugate transpose of B"),
	        OPT_TYPE(&type),
	        ARG_IN("A", &a.name, "matrices: dimension 0 counts rows, 1 columns"),
	        ARG_IN("B", &b.name, "matrices with as many rows as A has columns"),
	        ARG_OUT("OUT", &out, "the products A B"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "matmul",
	                  .group = GROUP_CALCULATE,
	                  .synonyms = "mm gemm",
	                  .about = "Multiply matrices",
	                  .details = "The product is OUT(i, j, ..) = sum over k of A(i, k, ..) B(k, j, "
	                             "..). Each index of the dimensions from 2 on is a separate product. "
	                             "If A or B has length 1 along a dimension from 2 on, the same matrix "
	                             "is used for every index.\n\n"
	                             "The result has the smallest type that holds both inputs. Products of "
	                             "integers have the type int64 or uint64. Products of integers are "
	                             "computed in float64, and are exact up to 2^53. Integer results above "
	                             "2^53 are rounded, and a warning is printed. Sums of large float "
	                             "matrices are computed in the type of the elements, as in BLAS. With "
	                             "--type float64 or complex128, sums are computed in float64. The "
	                             "result is bit-identical for any number of threads.",
	                  .examples = "gantry matmul matrix vector product\n"
	                              "gantry matmul --adjoint-a basis image coefficients\n"
	                              "gantry matmul --transpose-b --type float64 A B gram",
	                  .memory = "a copy of each array whose type is not that of the "
	                            "arithmetic",
	                  .opts = opts},
	        argc, argv);

	if ((a.transposed && adjoint_a) || (b.transposed && adjoint_b))
		usage_error("the transpose and the conjugate transpose of one matrix exclude each other");

	a.transposed = a.transposed || adjoint_a;
	b.transposed = b.transposed || adjoint_b;
	a.conj = adjoint_a;
	b.conj = adjoint_b;
	matmul_run(&a, &b, out, type);
	leave(EXIT_DONE);
}
