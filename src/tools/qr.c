/** QR decomposition of matrices. */

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "num/stat/qr.h"

int main_qr(int argc, char *argv[]);

/** The matrix (dims 0 and 1) of that number among those along the other dims. */
static struct array *matrix(const struct array *a, long number)
{
	struct array *m = array_ref(a);

	for (int d = 2; d < DIMS; d++) {
		struct array *one = array_at(m, d, number % a->dims[d]);

		number /= a->dims[d];
		array_free(m);
		m = one;
	}

	return m;
}

static void decompose(const struct array *a, struct array *q, struct array *r, enum dtype work)
{
	struct array *w = array_cast(a, work, array_default);
	struct array *first = array_slice(w, 1, 0, 1, q->dims[1]);

	w->name = a->name;
	array_qr(w, r);
	array_copy(q, first, array_default);
	array_free(first);
	array_free(w);
}

static void set_header(struct hdr *h, const struct hdr *in, enum dtype t, long rows, long columns)
{
	hdr_copy(h, in);
	h->type = t;
	h->quantity = Q_UNKNOWN;
	h->unit[0] = '\0';
	h->has_spacing = h->has_origin = h->has_detector = false;
	h->dims[0] = rows;
	h->dims[1] = columns;
}

int main_qr(int argc, char *argv[])
{
	const char *in = NULL, *q_name = NULL, *r_name = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        ARG_IN("IN", &in, "matrices A: m x n, any number along further dimensions"),
	        ARG_OUT("Q", &q_name, "m x min(m, n), orthonormal columns"),
	        ARG_OUT("R", &r_name, "min(m, n) x n, upper triangular, real diagonal >= 0"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "qr",
	                .group = GROUP_CALCULATE,
	                .about = "QR decomposition of matrices",
	                .details =
	                        "The decomposition is A = Q R along dimensions 0 and 1. Q and R are "
	                        "computed in float64. If OpenBLAS is installed, LAPACK computes Q and R by "
	                        "Householder reflections. Otherwise, every column is orthogonalised twice "
	                        "by the Gram-Schmidt method. If a column of A depends linearly on earlier "
	                        "columns, the diagonal element of R is 0. For a diagonal element 0, the "
	                        "column of Q is a unit vector orthogonal to the earlier columns. Q and R "
	                        "have the type of the matrix. For integers, Q and R have the type float32 "
	                        "or float64.",
	                .examples = "gantry qr matrix q r\n"
	                            "gantry qr --type float64 matrix q r",
	                .memory = "inputs and outputs, and four copies of one matrix",
	                .opts = opts,
	        },
	        argc, argv);

	struct cfl *x = cfl_open(in);
	const long m = x->hdr.dims[0], n = x->hdr.dims[1], k = (m < n) ? m : n, count = x->count / (m * n);
	struct op_types t;
	struct hdr hq, hr;

	op_types(OP_SQRT, &x->hdr.type, DOMAIN_NAN, &t);

	if (0 <= type)
		t.result = (enum dtype)type;

	if (dtype_is_integer(t.result) || (dtype_is_complex(x->hdr.type) && !dtype_is_complex(t.result)))
		usage_error("--type %s cannot hold Q and R of a %s matrix, expected %s", dtype_name(t.result),
		        dtype_name(x->hdr.type),
		        dtype_is_complex(x->hdr.type) ? "a complex type" : "a float or complex type");

	const enum dtype work = dtype_work(dtype_promote(t.work, t.result));

	// the matrix as it is, and in float64 with R and 64 columns of room
	const long wide = (long)dtype_size(dtype_is_complex(work) ? DT_COMPLEX128 : DT_FLOAT64);

	tool_needs(mul_checked(m * n, (long)dtype_size(work), in) + (m * n + (k + 64) * n) * wide, 0);
	set_header(&hq, &x->hdr, t.result, m, k);
	set_header(&hr, &x->hdr, t.result, k, n);

	struct cfl *fq = cfl_create(q_name, &hq), *fr = cfl_create(r_name, &hr);
	struct array *a = array_open(x), *q = array_out(fq), *r = array_out(fr);

	progress_start("qr", count);

	for (long i = 0; i < count; i++) {
		struct array *ai = matrix(a, i), *qi = matrix(q, i), *ri = matrix(r, i);

		decompose(ai, qi, ri, work);
		array_free(ai);
		array_free(qi);
		array_free(ri);
		progress_add(1);
	}

	progress_end();
	array_free(a);
	array_free(q);
	array_free(r);
	hdr_free(&hq);
	hdr_free(&hr);
	cfl_close(x);
	cfl_close(fq);
	cfl_close(fr);
	leave(EXIT_DONE);
}
