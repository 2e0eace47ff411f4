/* Counts behind an object that attenuates a spectrum. */

#include "iter/recon/recon_spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/warn_grid.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

enum { SPACE = 3, MATERIALS = 2 };

struct recon_spectrum {
	struct beam beam;
	struct cfl *share; // NULL: one material
	long n;            // voxels
	enum dtype type;
	void *part[MATERIALS]; // shares of both
};

struct recon_spectrum *recon_spectrum_create(const struct spectrum_opts *o, const char *data)
{
	const bool wanted = NULL != data && 0 == strncmp(data, "polychromatic", 13);
	const char *given = o->spectrum         ? "--spectrum"
	                    : o->first          ? "--attenuation"
	                    : o->second         ? "--material2"
	                    : o->share          ? "--fraction"
	                    : !isnan(o->energy) ? "--energy"
	                                        : NULL;

	if (!wanted && NULL != given)
		usage_error("%s requires --data polychromatic:I0", given);

	if (!wanted)
		return NULL;

	if (NULL == o->spectrum || NULL == o->first)
		usage_error("--data %s needs --spectrum and --attenuation", data);

	if ((NULL == o->second) != (NULL == o->share))
		usage_error("--material2 and --fraction must be given together");

	struct recon_spectrum *s = NEW(struct recon_spectrum);

	*s = (struct recon_spectrum){.share = (NULL != o->share) ? cfl_open(o->share) : NULL};
	beam_read(&s->beam, o->spectrum, o->first, o->second, o->energy);

	if (NULL != s->share)
		cfl_expect_real(s->share);

	return s;
}

void recon_spectrum_free(struct recon_spectrum *s)
{
	if (NULL == s)
		return;

	for (int m = 0; m < MATERIALS; m++)
		md_free(s->part[m]);

	if (NULL != s->share)
		cfl_close(s->share);

	beam_free(&s->beam);
	free(s);
}

static void set(enum dtype type, void *to, long i, double value)
{
	if (DT_FLOAT32 == type)
		((float *)to)[i] = (float)value;
	else
		((double *)to)[i] = value;
}

void recon_spectrum_place(struct recon_spectrum *s, enum dtype type, const struct grid *grid)
{
	if (NULL == s || NULL == s->share)
		return;

	const struct hdr *h = &s->share->hdr;

	for (int d = 0; d < DIMS; d++)
		if (h->dims[d] != (d < SPACE ? grid->size[d] : 1))
			error("--fraction %s is %s, expected %ld x %ld x %ld like the volume", s->share->name,
			        hdr_shape(h), grid->size[0], grid->size[1], grid->size[2]);

	struct hdr volume;

	hdr_init(&volume);
	grid_to_header(grid, &volume);
	cfl_warn_grid(s->share, &volume, "the volume");
	s->n = s->share->count;
	s->type = type;

	double *v = mem_alloc((size_t)s->n * sizeof *v);

	convert(DT_FLOAT64, v, h->type, cfl_map(s->share), s->n, NARROW_SATURATE);

	for (int m = 0; m < MATERIALS; m++)
		s->part[m] = md_alloc(1, &s->n, dtype_size(type));

	for (long i = 0; i < s->n; i++) {
		if (!(v[i] >= 0. && v[i] <= 1.))
			error("--fraction %s: element %ld is %g, expected 0 to 1", s->share->name, i, v[i]);

		set(type, s->part[0], i, 1. - v[i]);
		set(type, s->part[1], i, v[i]);
	}

	free(v);
}

/** x -> (s_1 x; s_2 x) */
static struct linop *split(const struct recon_spectrum *s, const struct linop *A)
{
	const int D = linop_domain_rank(A);
	struct linop *part[MATERIALS];

	for (int m = 0; m < MATERIALS; m++)
		part[m] = linop_diag_create(s->type, D, linop_domain(A), linop_domain(A), s->part[m]);

	struct linop *all = linop_stack(MATERIALS, (const struct linop *const *)part);

	for (int m = 0; m < MATERIALS; m++)
		linop_free(part[m]);

	return all;
}

struct nlop *recon_spectrum_operator(const struct recon_spectrum *s, const struct linop *A, double I0)
{
	const struct beam *b = &s->beam;
	const int materials = (NULL != s->part[0] && s->n == linop_domain_size(A)) ? MATERIALS : 1;
	double *w = mem_alloc((size_t)b->n * sizeof *w),
	       *mu = mem_alloc((size_t)(materials * b->n) * sizeof *mu);

	for (long e = 0; e < b->n; e++) {
		w[e] = I0 * b->weight[e];

		for (int m = 0; m < materials; m++)
			mu[e + m * b->n] = b->mu[m][e] / b->mu0[m];
	}

	struct nlop *P = nlop_polychromatic_create(A, (int)b->n, w, materials, mu), *F = P;

	if (1 < materials) {
		struct linop *S = split(s, A);
		struct nlop *parts = nlop_from_linop(S);

		F = nlop_chain(P, parts);
		nlop_free(parts);
		nlop_free(P);
		linop_free(S);
	}

	free(mu);
	free(w);

	return F;
}

long recon_spectrum_volumes(const struct recon_spectrum *s)
{
	return (NULL == s || NULL == s->share) ? 0 : 4 * MATERIALS;
}

long recon_spectrum_projections(const struct recon_spectrum *s)
{
	return (NULL == s) ? 0 : (NULL == s->share) ? 2 : MATERIALS + 1;
}

void recon_spectrum_describe(const struct recon_spectrum *s, struct str *text)
{
	if (NULL == s)
		return;

	const struct beam *b = &s->beam;
	char hash[HASH_TEXT];

	for (long e = 0; e < b->n; e++)
		str_printf(text, "bin %.17g %.17g %.17g\n", b->weight[e], b->mu[0][e] / b->mu0[0],
		        (NULL != b->mu[1]) ? b->mu[1][e] / b->mu0[1] : 0.);

	if (NULL != s->part[1]) {
		hash_text(hash, s->part[1], (size_t)s->n * dtype_size(s->type));
		str_printf(text, "share %s\n", hash);
	}
}
