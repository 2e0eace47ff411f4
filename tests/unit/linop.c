/* Linear operators: adjoints, algebra, values by definition, and what does not fit. */

#include <complex.h>
#include <math.h>

#include "linop_case.h"
#include "misc/file/hdr.h"
#include "num/fft/fft.h"
#include "num/md/rand.h"

static void *vector(enum dtype t, long n, unsigned long seed)
{
	complex double *z = mem_alloc((size_t)n * sizeof *z);
	void *x = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < n; i++)
		z[i] = rand_normal(seed, (uint64_t)(2 * i)) + I * rand_normal(seed, (uint64_t)(2 * i + 1));

	for (long i = 0; i < n; i++)
		switch (t) {
		case DT_FLOAT32:
			((float *)x)[i] = (float)creal(z[i]);
			break;
		case DT_FLOAT64:
			((double *)x)[i] = creal(z[i]);
			break;
		case DT_COMPLEX64:
			((complex float *)x)[i] = (complex float)z[i];
			break;
		default:
			((complex double *)x)[i] = z[i];
		}

	free(z);

	return x;
}

/* |a - b| / |b| */
static double difference(enum dtype t, long n, const void *a, const void *b)
{
	void *d = mem_alloc((size_t)n * dtype_size(t));

	vec_axpby(t, n, d, 1., a, -1., b);

	double e = vec_norm(t, n, d) / vec_norm(t, n, b);

	free(d);

	return e;
}

static struct linop *matrix(enum dtype t, long rows, long cols, unsigned long seed)
{
	void *M = vector(t, rows * cols, seed);
	struct linop *A = linop_matrix_create(t, rows, cols, M, 2, (long[]){cols, 3});

	free(M);

	return A;
}

static void every_operator(enum dtype t)
{
	const long dims[] = {6, 1, 5, 4};
	const long ddims[] = {6, 1, 1, 4};
	const double h[] = {0.5, 1., 2., 3.};
	void *d = vector(t, 24, 5);
	struct linop *A = matrix(t, 7, 5, 1);
	struct linop *B = matrix(t, 7, 5, 2);
	struct linop *C = matrix(t, 4, 7, 3);

	check_operator(linop_identity_create(t, 4, dims), "identity");
	check_operator(linop_diag_create(t, 4, dims, ddims, d), "diag");
	check_operator(linop_ref(A), "matrix");
	check_operator(linop_grad_create(t, 4, dims, 1 | 4 | 8, h), "grad");
	check_operator(linop_grad_create(t, 4, dims, 1, h), "grad along 0");

	for (int scheme = GRAD_FORWARD; scheme <= GRAD_CENTRAL; scheme++)
		for (int boundary = GRAD_REPLICATE; boundary <= GRAD_ONE_SIDED; boundary++) {
			char what[40];

			snprintf(what, sizeof what, "gradient scheme %d boundary %d", scheme, boundary);
			check_operator(linop_gradient_create(t, 4, dims, 1 | 2 | 8, h,
			                       (enum grad_scheme)scheme, (enum grad_boundary)boundary),
			        what);
		}

	check_operator(linop_chain(C, A), "chain");
	check_operator(linop_plus(A, B), "plus");
	check_operator(linop_scale(dtype_is_complex(t) ? 0.5 - 2.i : -1.5, A), "scale");
	check_operator(linop_adjoint_create(A), "adjoint");
	check_operator(linop_stack(3, (const struct linop *[]){A, B, A}), "stack");

	for (unsigned mode = 0; dtype_is_complex(t) && mode < 8; mode++) {
		char what[32];

		snprintf(what, sizeof what, "fft mode %u", mode);
		check_operator(linop_fft_create(t, 4, dims, 1 | 4, mode), what);
	}

	linop_free(A);
	linop_free(B);
	linop_free(C);
	free(d);
}

/* (C B) x = C (B x), (A + B) x = A x + B x, (A')' = A, stack parts. */
static void identities(enum dtype t)
{
	struct linop *A = matrix(t, 7, 5, 1);
	struct linop *B = matrix(t, 7, 5, 2);
	struct linop *C = matrix(t, 4, 7, 3);
	struct linop *CA = linop_chain(C, A);
	struct linop *sum = linop_plus(A, B);
	struct linop *adj = linop_adjoint_create(A);
	struct linop *twice = linop_adjoint_create(adj);
	struct linop *both = linop_stack(2, (const struct linop *[]){A, B});
	long n = 15, m = 21;
	size_t size = dtype_size(t);
	void *x = vector(t, n, 9);
	char *Ax = mem_alloc((size_t)m * size);
	char *Bx = mem_alloc((size_t)m * size);
	char *out = mem_alloc(2 * (size_t)m * size);
	char *ref = mem_alloc(2 * (size_t)m * size);

	linop_forward(A, Ax, x);
	linop_forward(B, Bx, x);

	linop_forward(both, out, x);
	check(memcmp(out, Ax, (size_t)m * size) == 0 &&
	                memcmp(out + (size_t)m * size, Bx, (size_t)m * size) == 0,
	        "stack %s: the parts are A x and B x", dtype_name(t));
	check(linop_codomain(both)[2] == 2 && linop_codomain_rank(both) == 3,
	        "stack %s: along a new last dim", dtype_name(t));

	linop_forward(twice, out, x);
	check(memcmp(out, Ax, (size_t)m * size) == 0, "adjoint of adjoint %s: the operator", dtype_name(t));

	linop_forward(CA, out, x);
	linop_forward(C, ref, Ax);
	check(memcmp(out, ref, 12 * size) == 0, "chain %s: C (A x)", dtype_name(t));

	linop_forward(sum, out, x);
	vec_axpby(t, m, ref, 1., Ax, 1., Bx);
	check(difference(t, m, out, ref) < bound(t), "plus %s: A x + B x", dtype_name(t));

	free(x);
	free(Ax);
	free(Bx);
	free(out);
	free(ref);
	linop_free(CA);
	linop_free(sum);
	linop_free(adj);
	linop_free(twice);
	linop_free(both);
	linop_free(A);
	linop_free(B);
	linop_free(C);
}

/* A chain keeps its parts alive. */
static void counted(void)
{
	struct linop *A = matrix(DT_FLOAT32, 7, 5, 1);
	struct linop *B = linop_adjoint_create(A);
	struct linop *N = linop_chain(B, A);
	float y[15];
	float z[15];
	void *x = vector(DT_FLOAT32, 15, 4);

	linop_normal(A, z, x);
	linop_free(A);
	linop_free(B);
	linop_forward(N, y, x);
	check(memcmp(y, z, sizeof y) == 0, "a chain of A' and A outlives both: the normal operator");
	linop_free(N);
	free(x);
	linop_free(NULL);
}

/* Values by hand. */
static void values(void)
{
	const double M[] = {1, 2, 3, 4, 5, 6}; // 2 x 3: columns (1,2) (3,4) (5,6)
	const double x[] = {1, 10, 100, 0, 1, 0};
	double y[4], g[12];
	struct linop *A = linop_matrix_create(DT_FLOAT64, 2, 3, M, 2, (long[]){3, 2});

	linop_forward(A, y, x);
	check(y[0] == 531 && y[1] == 642 && y[2] == 3 && y[3] == 4, "matrix: column-major, along dim 0");
	linop_free(A);

	struct linop *D = linop_grad_create(DT_FLOAT64, 2, (long[]){3, 2}, 3, (double[]){2., 4.});

	linop_forward(D, g, x);
	check(g[0] == 4.5 && g[1] == 45 && g[2] == 0 && g[3] == 0.5 && g[4] == -0.5 && g[5] == 0,
	        "grad: forward differences along dim 0 over h, 0 at the end");
	check(g[6] == -0.25 && g[7] == -2.25 && g[8] == -25 && g[9] == 0 && g[11] == 0, "grad: along dim 1");
	check(linop_codomain(D)[2] == 2, "grad: stacked along dim D");
	linop_free(D);
}

static void bad_chain(void)
{
	linop_chain(matrix(DT_FLOAT32, 7, 5, 1), matrix(DT_FLOAT32, 7, 5, 1));
}

static void bad_types(void)
{
	linop_plus(matrix(DT_FLOAT32, 7, 5, 1), matrix(DT_FLOAT64, 7, 5, 1));
}

static void bad_shapes(void)
{
	linop_plus(matrix(DT_FLOAT32, 7, 5, 1), matrix(DT_FLOAT32, 6, 5, 1));
}

static void bad_factor(void)
{
	linop_scale(1.i, matrix(DT_FLOAT32, 7, 5, 1));
}

static void bad_diag(void)
{
	linop_diag_create(DT_FLOAT32, 2, (long[]){4, 4}, (long[]){4, 2}, (float[8]){0});
}

static void bad_matrix(void)
{
	linop_matrix_create(DT_FLOAT32, 2, 3, (float[6]){0}, 1, (long[]){4});
}

static void bad_fft(void)
{
	linop_fft_create(DT_FLOAT32, 1, (long[]){4}, 1, 0);
}

static void bad_grad(void)
{
	linop_grad_create(DT_FLOAT32, 1, (long[]){4}, 1, (double[]){NAN});
}

static void bad_type(void)
{
	linop_identity_create(DT_UINT8, 1, (long[]){4});
}

static void bad_size(void)
{
	linop_identity_create(DT_FLOAT32, 3, (long[]){1L << 30, 1L << 30, 1L << 30});
}

static void refusals(void)
{
	check_ends(1, "cannot chain operators: matrix gives 7 x 3, but matrix takes 5 x 3", bad_chain,
	        "chain of misfits");
	check_ends(1, "expected one type", bad_types, "sum of types");
	check_ends(1, "outputs of 7 x 3 and 6 x 3, expected the same", bad_shapes, "sum of shapes");
	check_ends(1, "expected a real factor", bad_factor, "complex factor of a real operator");
	check_ends(
	        1, "2 elements along dimension 1, expected 4 or 1", bad_diag, "diagonal that does not fit");
	check_ends(1, "a matrix of 3 columns is applied to vectors of 4 elements", bad_matrix,
	        "matrix that does not fit");
	check_ends(1, "needs type complex64 or complex128", bad_fft, "real Fourier transform");
	check_ends(1, "expected more than 0", bad_grad, "gradient with voxels of NaN");
	check_ends(1, "uint8, expected float32", bad_type, "operator on bytes");
	check_ends(1, "an operator", bad_size, "more elements than 63 bits count");
}

int main(void)
{
	refusals(); // first: forks before there are threads

	for (int i = 0; i < 4; i++) {
		every_operator(types[i]);
		identities(types[i]);
	}

	counted();
	values();

	return checks_failed > 0;
}
