/* A = Q R by modified Gram-Schmidt, in place and by views, for every float and complex type: the example of
 * the Ocean tensor package's paper. Usage: qr A Q R */

#include <misc/file/cfl.h>
#include <misc/error.h>
#include <misc/file/hdr.h>
#include <num/array/array.h>

int main(int argc, char *argv[])
{
	if (argc != 4)
		usage_error("%d arguments, expected A Q R", argc - 1);

	struct cfl *file = cfl_open(argv[1]);
	const long n = file->hdr.dims[1];
	struct hdr h;

	hdr_copy(&h, &file->hdr);
	struct cfl *qfile = cfl_create(argv[2], &h);
	h.dims[0] = n;
	struct cfl *rfile = cfl_create(argv[3], &h); // zeros

	struct array *a = array_open(file), *q = array_out(qfile), *r = array_out(rfile);

	array_copy(q, a, array_default);

	for (long j = 0; j < n; j++) {
		struct array *row = array_at(r, 0, j); // of R
		struct array *column = array_at(q, 1, j), *rjj = array_at(row, 1, j);
		struct array *rest = array_slice(q, 1, j + 1, 1, n - j - 1); // of Q, and of that row
		struct array *rjk = array_slice(row, 1, j + 1, 1, n - j - 1);
		struct array *minus;

		// r_jj = |q_j|, q_j = q_j / r_jj, r_jk = q_j' q_k, q_k = q_k - q_j r_jk
		array_reduce(RED_NORM, ~0ul, rjj, (const struct array *[]){column}, array_default);
		array_apply(OP_DIV, column, (const struct array *[]){column, rjj}, array_default);
		array_reduce(RED_DOT, 1, rjk, (const struct array *[]){rest, column}, array_default);
		minus = array_op(OP_NEG, (const struct array *[]){column}, array_default);
		array_apply(OP_MULADD, rest, (const struct array *[]){minus, rjk, rest}, array_default);

		array_free(minus), array_free(rjk), array_free(rest);
		array_free(rjj), array_free(column), array_free(row);
	}

	array_free(a), array_free(q), array_free(r);
	cfl_close(file), cfl_close(qfile), cfl_close(rfile);
	return 0;
}
