#include <stdlib.h>

#include "linops/linop.h"

#include "misc/mem.h"
#include "num/md/flpmath.h"

struct identity {
	enum dtype type;
	long n;
};

static void identity_apply(const void *self, void *dst, const void *src)
{
	const struct identity *id = self;

	vec_copy(id->type, id->n, dst, src);
}

static void identity_inverse(const void *self, double lambda, void *dst, const void *src)
{
	const struct identity *id = self;

	vec_copy(id->type, id->n, dst, src);
	vec_scale(id->type, id->n, dst, 1. / (1. + lambda));
}

static double identity_norm(const void *self)
{
	(void)self;

	return 1.;
}

static const struct linop_ops identity_ops = {
        .name = "identity",
        .forward = identity_apply,
        .adjoint = identity_apply,
        .normal = identity_apply,
        .destroy = free,
        .normal_inverse = identity_inverse,
        .norm = identity_norm,
        .anywhere = true,
};

struct linop *linop_identity_create(enum dtype type, int D, const long dims[])
{
	struct identity *id = NEW(struct identity);
	struct linop *A = linop_create(&identity_ops, id, type, D, dims, D, dims);

	*id = (struct identity){.type = type, .n = linop_domain_size(A)};

	return A;
}
