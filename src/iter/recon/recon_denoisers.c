#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_denoisers.h"

#include "iter/denoise/denoisers.h"
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
	        {"search", &conf->search, 1, 1000}, {"spins", &conf->spins, 1, 1000}};
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

	if (0 != strncmp(part, "strength=", 9))
		return false;

	conf->strength = parse_double(is + 1, "strength");

	if (!(conf->strength > 0.) || !isfinite(conf->strength))
		usage_error("-R: strength=%g, expected a number above 0", conf->strength);

	return true;
}

static struct functional *create_wavelet(
        const struct denoiser_conf *c, enum dtype type, int D, const long dims[DIMS])
{
	const long most = wavelet_max_levels(D, dims, c->flags);

	return functional_wavelet_create(type, D, dims,
	        &(struct wavelet_conf){.flags = c->flags,
	                .family = c->family,
	                .boundary = WAVELET_PERIODIC,
	                .levels = (c->levels < most) ? c->levels : most,
	                .spins = c->spins});
}

static struct functional *create_nlm(
        const struct denoiser_conf *c, enum dtype type, int D, const long dims[DIMS])
{
	return functional_nlm_create(type, D, dims,
	        &(struct nlm_conf){.flags = c->flags,
	                .patch = c->patch,
	                .search = c->search,
	                .sigma = 1.,
	                .strength = c->strength});
}

static struct functional *create_tv(
        const struct denoiser_conf *c, enum dtype type, int D, const long dims[DIMS], const double spacing[])
{
	return functional_tv_create(type, D, dims,
	        &(struct tv_conf){.flags = c->flags,
	                .h = spacing,
	                .tolerance = 1e-3,
	                .iterations = TV_ITERATIONS,
	                .warm = true});
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

static void expect_real(const char *text, enum dtype type)
{
	if (dtype_is_complex(type))
		usage_error("-R %s: this denoiser is for real volumes, and this one is %s", text,
		        dtype_name(type));
}

struct denoiser denoiser_create(const char *text, const char *method, int n, double sigma,
        const struct denoiser_conf *conf, enum dtype type, int D, const long dims[DIMS],
        const double spacing[])
{
	const bool median = 0 == strcmp(method, "median");

	if (n != (median ? 0 : 1))
		usage_error("-R %s: found %d numbers for the noise, expected %s", text, n,
		        median ? "none of median" : "one: its standard deviation [1/mm]");

	if (!median && (!(sigma > 0.) || !isfinite(sigma)))
		usage_error("-R %s: the noise is %g, expected a number above 0", text, sigma);

	if (0 == strcmp(method, "wavelet"))
		return (struct denoiser){create_wavelet(conf, type, D, dims), 1.5 * sigma};

	if (0 == strcmp(method, "tv"))
		return (struct denoiser){
		        create_tv(conf, type, D, dims, spacing), sigma * voxel(conf->flags, spacing)};

	if (0 == strcmp(method, "external")) {
		if (NULL == conf->command)
			usage_error("-R %s: expected --denoiser 'COMMAND {in} {out}'", text);

		return (struct denoiser){
		        functional_external_create(type, D, dims, conf->command, 1., conf->grid),
		        sigma * sigma};
	}

	expect_real(text, type);

	if (median)
		return (struct denoiser){
		        functional_median_create(type, D, dims, conf->flags, conf->radius), 1.};

	return (struct denoiser){create_nlm(conf, type, D, dims), sigma * sigma};
}
