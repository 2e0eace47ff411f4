/** Products of arrays, summed along dimensions. */

#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/md/flpmath.h"
#include "num/device/device_integer.h"
#include "num/kern/kern.h"
#include "num/array/overflow.h"
#include "num/shape/product_header.h"
#include "num/shape/reduce_dims.h"
#include "num/shape/slabs.h"

int main_fmac(int argc, char *argv[]);

struct product {
	enum op op;
	enum dtype type;
	struct overflow over;
};

/** Clipped products of a block that are counted. */
static long clipped(const struct product *p, long n, const void *const in[])
{
	const bool *counts = p->over.counts;
	const int64_t *x = in[0], *y = in[1];
	const long over =
	        (counts[0] || counts[1]) ? kern_overflow(p->op, p->type, n, in[0], in[1], NULL, 0) : 0;
	int64_t unused;
	long low = 0;

	for (long i = 0; 0 < over && DT_INT64 == p->type && i < n; i++)
		low += ((x[i] < 0) != (y[i] < 0)) && __builtin_mul_overflow(x[i], y[i], &unused);

	return (counts[0] ? low : 0) + (counts[1] ? over - low : 0);
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct product *p = ctx;

	(void)first;
	overflow_add(&p->over, clipped(p, n, in));
	kern_op(p->op, p->type)(n, out, in[0], in[1], NULL, 0);
}

static void block_on_device(void *ctx, long first, long n, void *out, const void *const in[])
{
	struct product *p = ctx;
	const long strs[1] = {(long)dtype_size(p->type)};

	(void)first;

	if (DT_INT64 == p->type || DT_UINT64 == p->type)
		overflow_add(
		        &p->over, device_multiply_integer(p->type, n, out, in[0], in[1], p->over.counts));
	else
		md_apply2(p->op, p->type, 1, &n, strs, out, strs, in[0], strs, in[1]);
}

/** z = x y, or x conj(y). */
static void multiply(struct cfl *z, bool conj, enum dtype work, struct cfl *const in[])
{
	struct product p = {conj ? OP_MULC : OP_MUL, work, {0}};

	overflow_start(&p.over, work, z->hdr.type);
	slabs_run_anywhere(
	        z, work, 2, in, (const enum dtype[]){work, work}, block, block_on_device, &p, "fmac");
	overflow_report(&p.over, z);
}

/** The type in which products that are stored as `out` are computed. */
static enum dtype work_type(struct cfl *const in[2], enum dtype out)
{
	struct op_types t;

	op_types(OP_MUL, (const enum dtype[]){in[0]->hdr.type, in[1]->hdr.type}, DOMAIN_NAN, &t);

	return dtype_is_integer(out) ? t.work : dtype_work(dtype_promote(t.work, out));
}

/** Element type of the result where the user names none. */
static enum dtype result_type(const struct reduce_dims *r)
{
	struct op_types t;

	if (0 != r->dims)
		return reduce_dims_type(r);

	op_types(OP_MUL, (const enum dtype[]){r->in[0]->hdr.type, r->in[1]->hdr.type}, DOMAIN_NAN, &t);

	return t.result;
}

/** The sums of X alone have its grid; quantities as those of commands that sum. */
static void result_header(struct hdr *h, const struct reduce_dims *r, int type)
{
	if (2 == r->nin)
		product_header(h, r->in[0], r->in[1]);
	else
		hdr_copy(h, &r->in[0]->hdr);

	if (0 != r->dims) {
		h->quantity = Q_UNKNOWN;
		h->has_detector = false;
		reduce_dims_header(h, r->dims);
	}

	h->type = (0 <= type) ? (enum dtype)type : result_type(r);
}

int main_fmac(int argc, char *argv[])
{
	const char *x = NULL, *y = NULL, *out = NULL;
	unsigned long dims = 0;
	bool conj = false;
	int type = -1;

	const struct opt opts[] = {
	        {'s', "sum", OPT_KIND_DIMS, &dims, "DIMS", "sum along these: z or 0,1", 0, 0, 0, 0},
	        OPT_FLAG('C', "conj", &conj, "multiply by the complex conjugate of Y"),
	        OPT_TYPE(&type),
	        ARG_IN("X", &x, "any array"),
	        ARG_IN_OPTIONAL("Y", &y, "any array of fitting size (default: ones)"),
	        ARG_OUT("OUT", &out, "X Y, length 1 along the dimensions summed"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "fmac",
	                .group = GROUP_CALCULATE,
	                .synonyms = "multiply",
	                .about = "Multiply two arrays and sum along dimensions",
	                .details = "A dimension of length 1 in one array is repeated to the length in the "
	                           "other array. A product of a matrix and a vector is therefore a single "
	                           "command. For A of m x n and x of 1 x n, 'fmac --sum 1 A x y' computes "
	                           "A x. The result has the smallest type that holds both inputs. Sums of "
	                           "integers have the type int64 or uint64. The option --type sets "
	                           "another type. Values out of range are clipped, and a warning is "
	                           "printed. Sums are computed in float64 in a fixed order. Sums of "
	                           "integers are exact. A product with a mask keeps quantity and unit of "
	                           "the other array.",
	                .examples = "gantry fmac volume mask cut\n"
	                            "gantry fmac --sum 1 matrix vector product\n"
	                            "gantry fmac --conj --sum 0,1,2 coils image weights",
	                .memory = "a few tens of MiB. Sums of a stream need up to another 512 MiB",
	                .opts = opts,
	        },
	        argc, argv);

	if (NULL == y && 0 == dims)
		usage_error("missing argument: Y (to multiply by), or --sum DIMS (to sum along)");

	struct reduce_dims r = {.dims = dims, .nin = 1, .in = {cfl_open(x)}};

	if (NULL != y)
		r.in[r.nin++] = cfl_open(y);

	struct hdr h;

	r.spec = (struct fold_spec){.red = (NULL != y) ? RED_DOT : RED_SUM, .plain = !conj};
	result_header(&h, &r, type);
	r.spec.as_float = 0 <= type && !dtype_is_integer(h.type);

	if (0 != dims)
		tool_needs(reduce_dims_memory(&r), 0);

	struct cfl *z = cfl_create(out, &h);

	if (0 != dims)
		reduce_dims(&r, z, "fmac");
	else
		multiply(z, conj, work_type(r.in, h.type), r.in);

	hdr_free(&h);

	for (int k = 0; k < r.nin; k++)
		cfl_close(r.in[k]);

	cfl_close(z);
	leave(EXIT_DONE);
}
