#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "linops/linop.h"

#include "linops/fit.h"
#include "linops/scratch.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/device.h"

enum { OF_NORMAL, IN, OUT, SCRATCHES };
enum { CODOMAIN, DOMAIN };

struct linop {
	const struct linop_ops *ops;
	void *self;
	enum dtype type;
	int rank[2]; // of codomain, domain
	long dims[2][DIMS];
	long size[2];
	struct scratch *scratch; // for normal(); operands and results of a bridge
	double *norm;            // |A| once it is known, else NAN
	atomic_long *refs;
};

static long set_dims(long out[DIMS], int D, const long in[], const char *what)
{
	long n = 1;

	if (D < 0 || D > DIMS)
		error("%s has %d dimensions, expected 0 to %d", what, D, DIMS);

	for (int i = 0; i < DIMS; i++) {
		out[i] = i < D ? in[i] : 1;

		if (!(out[i] >= 1))
			error("%s has %ld elements along dimension %d, expected at least 1", what, out[i], i);

		n = mul_checked(n, out[i], what);
	}

	return n;
}

struct linop *linop_create(const struct linop_ops *ops, void *self, enum dtype type, int OD,
        const long odims[], int ID, const long idims[])
{
	if (type != dtype_compute(type))
		error("operator %s has type %s, expected float32, float64, complex64 or complex128",
		        ops->name, dtype_name(type));

	struct linop *A = NEW(struct linop);

	A->ops = ops;
	A->self = self;
	A->type = type;
	A->rank[0] = OD;
	A->rank[1] = ID;
	A->size[0] = set_dims(A->dims[0], OD, odims, "the output of an operator");
	A->size[1] = set_dims(A->dims[1], ID, idims, "the input of an operator");
	A->scratch = mem_calloc(SCRATCHES, sizeof *A->scratch);
	A->norm = NEW(double);
	*A->norm = NAN;
	A->refs = NEW(atomic_long);
	atomic_init(A->refs, 1);

	return A;
}

struct linop *linop_ref(const struct linop *A)
{
	atomic_fetch_add(A->refs, 1);

	return (struct linop *)A;
}

void linop_free(const struct linop *A)
{
	if (A == NULL || atomic_fetch_sub(A->refs, 1) > 1)
		return;

	if (A->ops->destroy != NULL)
		A->ops->destroy(A->self);

	for (int i = 0; i < SCRATCHES; i++)
		scratch_free(&A->scratch[i]);

	free(A->scratch);
	free(A->norm);
	free(A->refs);
	free((struct linop *)A);
}

/** Ends the command: operands are on a device that the operator does not support. */
static bool is_apart(const struct linop *A, const void *src)
{
	return !A->ops->anywhere && device_holds(src);
}

/** The operand on the host, and room for the result. */
static const void *cross(const struct linop *A, int from, const void *src, int to, void **dst)
{
	void *here = scratch_get(&A->scratch[IN], A->type, A->size[from], NULL);

	device_copy(here, src, (size_t)A->size[from] * dtype_size(A->type));
	*dst = scratch_get(&A->scratch[OUT], A->type, A->size[to], NULL);

	return here;
}

static void cross_back(const struct linop *A, int to, void *dst, const void *here)
{
	device_copy(dst, here, (size_t)A->size[to] * dtype_size(A->type));
}

void linop_forward(const struct linop *A, void *dst, const void *src)
{
	assert(dst != src);

	if (is_apart(A, src)) {
		void *here;
		const void *in = cross(A, DOMAIN, src, CODOMAIN, &here);

		A->ops->forward(A->self, here, in);
		cross_back(A, CODOMAIN, dst, here);
	} else {
		A->ops->forward(A->self, dst, src);
	}
}

void linop_adjoint(const struct linop *A, void *dst, const void *src)
{
	assert(dst != src);

	if (is_apart(A, src)) {
		void *here;
		const void *in = cross(A, CODOMAIN, src, DOMAIN, &here);

		A->ops->adjoint(A->self, here, in);
		cross_back(A, DOMAIN, dst, here);
	} else {
		A->ops->adjoint(A->self, dst, src);
	}
}

void linop_normal(const struct linop *A, void *dst, const void *src)
{
	assert(dst != src);

	if (is_apart(A, src)) {
		void *here;
		const void *in = cross(A, DOMAIN, src, DOMAIN, &here);

		linop_normal(A, here, in);
		cross_back(A, DOMAIN, dst, here);
		return;
	}

	if (A->ops->normal != NULL) {
		A->ops->normal(A->self, dst, src);
		return;
	}

	void *tmp = scratch_get(&A->scratch[OF_NORMAL], A->type, A->size[0], src);

	linop_forward(A, tmp, src);
	linop_adjoint(A, dst, tmp);
}

bool linop_has_normal_inverse(const struct linop *A)
{
	return NULL != A->ops->normal_inverse;
}

void linop_normal_inverse(const struct linop *A, double lambda, void *dst, const void *src)
{
	assert(dst != src && NULL != A->ops->normal_inverse);

	if (is_apart(A, src)) {
		void *here;
		const void *in = cross(A, DOMAIN, src, DOMAIN, &here);

		A->ops->normal_inverse(A->self, lambda, here, in);
		cross_back(A, DOMAIN, dst, here);
	} else {
		A->ops->normal_inverse(A->self, lambda, dst, src);
	}
}

double linop_closed_norm(const struct linop *A)
{
	return (NULL == A->ops->norm) ? NAN : A->ops->norm(A->self);
}

double linop_norm_known(const struct linop *A)
{
	return *A->norm;
}

void linop_norm_learn(const struct linop *A, double norm)
{
	*A->norm = norm;
	scratch_free(&A->scratch[OF_NORMAL]); // a vector of the projections, for the power method alone
}

bool linop_is_nonnegative(const struct linop *A)
{
	return A->ops->nonnegative;
}

bool linop_is_differences(const struct linop *A, double factor[DIMS])
{
	return NULL != A->ops->differences && A->ops->differences(A->self, factor);
}

int linop_parts(const struct linop *A, const struct linop *const **parts)
{
	return (NULL == A->ops->parts) ? 0 : A->ops->parts(A->self, parts);
}

bool linop_is_real_linear(const struct linop *A)
{
	const struct linop *const *parts = NULL;
	const int n = linop_parts(A, &parts);
	bool real = A->ops->real_linear;

	for (int i = 0; i < n; i++)
		real = real || (NULL != parts[i] && linop_is_real_linear(parts[i]));

	return real;
}

bool linop_is_anywhere(const struct linop *A)
{
	const struct linop *const *parts = NULL;
	const int n = linop_parts(A, &parts);
	bool anywhere = A->ops->anywhere;

	for (int i = 0; i < n; i++)
		anywhere = anywhere && (NULL == parts[i] || linop_is_anywhere(parts[i]));

	return anywhere;
}

const char *linop_name(const struct linop *A)
{
	return A->ops->name;
}

enum dtype linop_type(const struct linop *A)
{
	return A->type;
}

const long *linop_codomain(const struct linop *A)
{
	return A->dims[0];
}

const long *linop_domain(const struct linop *A)
{
	return A->dims[1];
}

int linop_codomain_rank(const struct linop *A)
{
	return A->rank[0];
}

int linop_domain_rank(const struct linop *A)
{
	return A->rank[1];
}

long linop_codomain_size(const struct linop *A)
{
	return A->size[0];
}

long linop_domain_size(const struct linop *A)
{
	return A->size[1];
}
