#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_denoisers.h"

#include "iter/denoise/denoisers.h"
#include "iter/recon/recon_keys.h"
#include "iter/functional/regularisers.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/options/parse.h"

bool denoiser_key(struct denoiser_conf *conf, const char *part)
{
	const struct {
		const char *name;
		long *value;
		long least, most;
	} keys[] = {{"radius", &conf->radius, 1, 2000}, {"patch", &conf->patch, 0, 1000},
	        {"search", &conf->search, 1, 1000}, {"spins", &conf->spins, 1, 1000},
	        {"steps", &conf->steps, 1, 1000000}};
	const char *is = strchr(part, '=');

	if (NULL == is)
		return false;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if ((size_t)(is - part) != strlen(keys[i].name) ||
		        0 != strncmp(part, keys[i].name, strlen(keys[i].name)))
			continue;

		*keys[i].value = parse_long(is + 1, keys[i].name);

		if (*keys[i].value < keys[i].least || *keys[i].value > keys[i].most)
			usage_error("-R: %s=%ld, expected %ld to %ld", keys[i].name, *keys[i].value,
			        keys[i].least, keys[i].most);

		return true;
	}

	if (0 == strncmp(part, "width=", 6)) {
		conf->width = parse_double(is + 1, "width");

		if (!(conf->width >= .1 && conf->width <= 5.))
			usage_error("-R: width=%g, expected 0.1 to 5", conf->width);

		return true;
	}

	if (0 != strncmp(part, "strength=", 9))
		return false;

	conf->strength = parse_double(is + 1, "strength");

	if (!(conf->strength > 0.) || !isfinite(conf->strength))
		usage_error("-R: strength=%g, expected a number above 0", conf->strength);

	return true;
}

static struct denoiser create_wavelet(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	const long most = wavelet_max_levels(at->D, at->dims, c->flags);

	return (struct denoiser){functional_wavelet_create(at->type, at->D, at->dims,
	                                 &(struct wavelet_conf){.flags = c->flags,
	                                         .family = c->family,
	                                         .boundary = WAVELET_PERIODIC,
	                                         .levels = (c->levels < most) ? c->levels : most,
	                                         .spins = c->spins}),
	        1.5 * at->sigma};
}

static struct denoiser create_nlm(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	return (struct denoiser){functional_nlm_create(at->type, at->D, at->dims,
	                                 &(struct nlm_conf){.flags = c->flags,
	                                         .patch = c->patch,
	                                         .search = c->search,
	                                         .sigma = 1.,
	                                         .strength = isnan(c->strength) ? 1. : c->strength}),
	        at->sigma * at->sigma};
}

static struct edges_conf edges_of(const struct denoiser_conf *c, double strength)
{
	return (struct edges_conf){.flags = c->flags,
	        .sigma = 1.,
	        .strength = isnan(c->strength) ? strength : c->strength,
	        .width = c->width,
	        .steps = c->steps};
}

static struct denoiser create_bilateral(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	const struct edges_conf edges = edges_of(c, BILATERAL_STRENGTH);

	return (struct denoiser){
	        functional_bilateral_create(at->type, at->D, at->dims, &edges), at->sigma * at->sigma};
}

static struct denoiser create_diffusion(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	const struct edges_conf edges = edges_of(c, DIFFUSION_STRENGTH);

	return (struct denoiser){
	        functional_diffusion_create(at->type, at->D, at->dims, &edges), at->sigma * at->sigma};
}

/** The geometric mean of the spacings along the dims. */
static double voxel(unsigned long flags, const double spacing[])
{
	double h = 1.;

	for (int d = 0; d < DIMS; d++)
		if (flags & (1ul << d))
			h *= pow(fabs(spacing[d]), 1. / __builtin_popcountl(flags));

	return h;
}

static struct denoiser create_tv(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	return (struct denoiser){functional_tv_create(at->type, at->D, at->dims,
	                                 &(struct tv_conf){.flags = c->flags,
	                                         .h = at->spacing,
	                                         .tolerance = 1e-3,
	                                         .iterations = TV_ITERATIONS,
	                                         .warm = true}),
	        at->sigma * voxel(c->flags, at->spacing)};
}

static struct denoiser create_median(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	return (struct denoiser){
	        functional_median_create(at->type, at->D, at->dims, c->flags, c->radius), 1.};
}

static struct denoiser create_external(const struct denoiser_conf *c, const struct denoiser_place *at)
{
	if (c->dry_run)
		return create_tv(c, at);

	return (struct denoiser){
	        functional_external_create(at->type, at->D, at->dims, c->command, 1., c->grid),
	        at->sigma * at->sigma};
}

const struct denoiser_method denoiser_methods[] = {
        {.name = "median", .keys = KEY_DIMS | KEY_RADIUS, .real = true, .create = create_median},
        {.name = "nlm",
                .keys = KEY_DIMS | KEY_PATCH | KEY_SEARCH | KEY_STRENGTH,
                .real = true,
                .numbers = 1,
                .create = create_nlm},
        {.name = "bilateral",
                .keys = KEY_DIMS | KEY_STRENGTH | KEY_WIDTH,
                .real = true,
                .numbers = 1,
                .create = create_bilateral},
        {.name = "diffusion",
                .keys = KEY_DIMS | KEY_STRENGTH | KEY_STEPS,
                .real = true,
                .numbers = 1,
                .create = create_diffusion},
        {.name = "wavelet",
                .keys = KEY_DIMS | KEY_LEVELS | KEY_FAMILY | KEY_SPINS,
                .numbers = 1,
                .create = create_wavelet},
        {.name = "tv", .keys = KEY_DIMS, .lengths = true, .numbers = 1, .create = create_tv},
        {.name = "external", .program = true, .numbers = 1, .create = create_external},
        {.name = NULL},
};

const struct denoiser_method *denoiser_method_of(const char *text, const char *name)
{
	const char *names[sizeof denoiser_methods / sizeof *denoiser_methods];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		names[i] = denoiser_methods[i].name;

		if (NULL != name && NULL != names[i] && 0 == strcmp(name, names[i]))
			return denoiser_methods + i;
	}

	usage_error("-R %s: the denoiser is %s (valid: %s)", text, (NULL == name) ? "missing" : name,
	        join_names(names, "or"));
}

struct denoiser denoiser_create(const char *text, const struct denoiser_method *method, int n,
        const struct denoiser_conf *conf, const struct denoiser_place *at)
{
	if (n != method->numbers)
		usage_error("-R %s: found %d numbers for the noise, expected %s%s", text, n,
		        (0 == method->numbers) ? "none for " : "one (the standard deviation [1/mm])",
		        (0 == method->numbers) ? method->name : "");

	if (0 != n && (!(at->sigma > 0.) || !isfinite(at->sigma)))
		usage_error("-R %s: the noise is %g, expected a number above 0", text, at->sigma);

	if (method->program && !conf->dry_run && NULL == conf->command)
		usage_error("-R %s: expected --denoiser 'COMMAND {in} {out}'", text);

	if (method->real && dtype_is_complex(at->type))
		usage_error("-R %s: this denoiser needs a real volume, found %s", text, dtype_name(at->type));

	return method->create(conf, at);
}
