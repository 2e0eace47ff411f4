/* Denoisers as terms: plug and play, and regularisation by denoising. */

#include <math.h>
#include <stdlib.h>

#include "iter/denoise/denoisers.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/md/flpmath.h"

struct plug {
	const struct functional *g;
	double gamma, factor;
};

static void plug_prox(const void *self, double gamma, void *dst, const void *src)
{
	const struct plug *p = self;

	(void)gamma;
	functional_prox(p->g, p->gamma, dst, src);
}

static void red_gradient(const void *self, void *dst, const void *src)
{
	const struct plug *p = self;
	const enum dtype type = functional_type(p->g);
	const long n = functional_size(p->g);
	void *clean = md_alloc_sameplace(1, &n, dtype_size(type), src);

	functional_prox(p->g, p->gamma, clean, src);
	vec_axpby(type, n, dst, p->factor, src, -p->factor, clean);
	md_free(clean);
}

static double red_lipschitz(const void *self)
{
	return ((const struct plug *)self)->factor;
}

static void *state(void *self, long *bytes)
{
	return functional_state(((struct plug *)self)->g, bytes);
}

static long memory(const void *self)
{
	return functional_memory(((const struct plug *)self)->g);
}

static bool anywhere(const void *self)
{
	return functional_is_anywhere(((const struct plug *)self)->g);
}

static void destroy(void *self)
{
	struct plug *p = self;

	functional_free(p->g);
	free(p);
}

static struct functional *create(
        const struct functional_ops *ops, double factor, const struct functional *g, double gamma)
{
	if (!(factor >= 0. && factor < INFINITY))
		error("the factor of a denoiser is %g, expected a finite number not below 0", factor);

	if (!(gamma > 0. && gamma < INFINITY))
		error("the strength of a denoiser is %g, expected a finite number above 0", gamma);

	struct plug *p = NEW(struct plug);

	*p = (struct plug){.g = functional_ref(g), .gamma = gamma, .factor = factor};

	return functional_create(ops, p, functional_type(g), DIMS, functional_dims(g));
}

struct functional *functional_plug_create(const struct functional *g, double gamma)
{
	static const struct functional_ops ops = {.name = "plug and play",
	        .prox = plug_prox,
	        .state = state,
	        .memory = memory,
	        .anywhere = anywhere,
	        .any_step = true,
	        .destroy = destroy};

	return create(&ops, 1., g, gamma);
}

struct functional *functional_red_create(double factor, const struct functional *g, double gamma)
{
	static const struct functional_ops ops = {.name = "regularisation by denoising",
	        .gradient = red_gradient,
	        .lipschitz = red_lipschitz,
	        .state = state,
	        .memory = memory,
	        .anywhere = anywhere,
	        .destroy = destroy};

	return create(&ops, factor, g, gamma);
}
