#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_data.h"

#include "iter/functional/functionals.h"
#include "iter/step/fold.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/md/multind.h"

struct recon_data {
	struct functional *g;
	bool weighted;
	void *counts; // n, where they are not the projections
	const void *y;
	struct nlop *F;
	void *w;
	struct weights *W; // of F
};

bool recon_data_is_weighted(const char *text)
{
	return NULL != text && 0 == strcmp(text, "weighted");
}

struct transmission {
	enum dtype type;
	double i0;
	const void *y;
	void *counts;
};

static void count_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct transmission *t = ctx;

	(void)sum;

	for (long i = first; i < first + n; i++)
		if (DT_FLOAT32 == t->type)
			((float *)t->counts)[i] = (float)(t->i0 * exp(-(double)((const float *)t->y)[i]));
		else
			((double *)t->counts)[i] = t->i0 * exp(-((const double *)t->y)[i]);
}

static const char counts_after[] = ":counts";

/** Whether the text ends with :counts. */
static bool ends_with_counts(const char *text)
{
	const size_t n = strlen(text), k = sizeof counts_after - 1;

	return n > k && 0 == strcmp(text + n - k, counts_after);
}

/** Of counts behind an object, which line integrals stand for too. */
static bool is_transmission(const char *text)
{
	return 0 == strncmp(text, "poisson", 7) || 0 == strncmp(text, "transmission", 12) ||
	       0 == strncmp(text, "polychromatic", 13);
}

bool recon_data_is_nonlinear(const char *text)
{
	return NULL != text &&
	       (0 == strncmp(text, "transmission", 12) || 0 == strncmp(text, "polychromatic", 13));
}

bool recon_data_is_squares(const char *text)
{
	return NULL == text || 0 == strcmp(text, "l2") || recon_data_is_weighted(text);
}

bool recon_data_is_emission(const char *text)
{
	return NULL != text && 0 == strcmp(text, "kl");
}

bool recon_data_knows_noise(const char *text)
{
	return recon_data_is_emission(text) || (NULL != text && 0 == strncmp(text, "poisson", 7));
}

bool recon_data_is_counts(const char *text, const struct algorithm *a)
{
	if (NULL == text)
		return 1. == a->start;

	return 0 == strcmp(text, "kl") || (is_transmission(text) && ends_with_counts(text));
}

char *recon_data_of(const char *text, bool counts)
{
	if (NULL == text)
		return NULL;

	return mem_printf("%s%s", text,
	        (counts && is_transmission(text) && !ends_with_counts(text)) ? counts_after : "");
}

static double number(const char *text, const char *kind)
{
	const size_t n = strlen(kind);

	if (0 != strncmp(text, kind, n) || ':' != text[n])
		return NAN;

	char *digits = mem_strdup(text + n + 1);

	if (is_transmission(text) && ends_with_counts(text))
		digits[strlen(digits) - (sizeof counts_after - 1)] = '\0';

	const double v = parse_double(digits, "--data");

	free(digits);

	if (!(v > 0.))
		usage_error("--data %s: found %g, expected a number above 0", text, v);

	return v;
}

/** Counts: the projections, or what they stand for. */
static const void *counts_of(
        struct recon_data *d, const char *text, enum dtype t, long m, double i0, const void *y)
{
	double sum[FOLD_SUMS];

	if (recon_data_is_counts(text, NULL))
		return y;

	d->counts = md_alloc(1, &m, dtype_size(t));
	fold(m, count_block, &(struct transmission){t, i0, y, d->counts}, sum);

	return d->counts;
}

static void weigh_block(void *ctx, long first, long n, double sum[FOLD_SUMS])
{
	const struct transmission *t = ctx;

	(void)sum;

	for (long i = first; i < first + n; i++)
		if (DT_FLOAT32 == t->type)
			((float *)t->counts)[i] = 1.f / fmaxf(1.f, ((const float *)t->y)[i]);
		else
			((double *)t->counts)[i] = 1. / fmax(1., ((const double *)t->y)[i]);
}

/** F(x) = I0 exp(-A x), or that of a spectrum, compared with counts n in the norm of 1 / max(n, 1), about
 * their inverse variance. */
static void make_operator(struct recon_data *d, const char *text, const struct linop *A, const void *y,
        double i0, const struct recon_spectrum *spectrum)
{
	const enum dtype t = linop_type(A);
	const long m = linop_codomain_size(A);
	const float single = (float)i0;
	long one[DIMS], dims[DIMS];
	double sum[FOLD_SUMS];

	md_singleton_dims(DIMS, one);
	md_singleton_dims(DIMS, dims);
	dims[0] = m;
	d->y = counts_of(d, text, t, m, i0, y);
	d->F = (NULL != spectrum)
	               ? recon_spectrum_operator(spectrum, A, i0)
	               : nlop_transmission_create(A, one, (DT_FLOAT32 == t) ? (const void *)&single : &i0);
	d->w = md_alloc(1, &m, dtype_size(t));
	fold(m, weigh_block, &(struct transmission){t, i0, d->y, d->w}, sum);
	d->W = weights_create_array(dims, dims, t, d->w);
}

static void make(struct recon_data *d, const char *text, const struct linop *A, const void *y,
        const struct recon_spectrum *spectrum)
{
	const enum dtype t = linop_type(A);
	const long *dims = linop_codomain(A), m = linop_codomain_size(A);
	const double i0 = number(text, "poisson"), delta = number(text, "huber"),
	             blank = number(text, (NULL != spectrum) ? "polychromatic" : "transmission");

	if (dtype_is_complex(t) && isnan(delta))
		usage_error("--data %s: a statistical model needs real projections, found %s", text,
		        dtype_name(t));

	if (!isnan(blank)) {
		make_operator(d, text, A, y, blank, spectrum);
	} else if (!isnan(i0)) {
		d->g = functional_transmission_create(
		        t, DIMS, dims, counts_of(d, text, t, m, i0, y), NULL, i0, 0.);
	} else if (!isnan(delta)) {
		d->g = functional_huber_create(t, DIMS, dims, delta, y, NULL);
	} else if (0 == strcmp(text, "kl")) {
		d->g = functional_kl_create(t, DIMS, dims, y, NULL, 0.);
	} else {
		usage_error("--data %s: expected l2, weighted, poisson:I0, poisson:I0:counts, kl, huber:D, "
		            "transmission:I0 or polychromatic:I0",
		        text);
	}
}

struct recon_data *recon_data_create(const char *text, const struct algorithm *a, const struct linop *A,
        const void *y, const struct weights *W, const struct recon_spectrum *spectrum)
{
	const bool weighted = recon_data_is_weighted(text);

	if (NULL == text || 0 == strcmp(text, "l2") || (weighted && (a->takes & TAKES_WEIGHTS)) ||
	        (0 == strcmp(text, "kl") && 0 == (a->takes & (TAKES_DATA | TAKES_DATA_PROX)) &&
	                1. == a->start))
		return NULL;

	struct recon_data *d = NEW(struct recon_data);

	d->weighted = weighted;

	if (weighted)
		d->g = functional_l2sq_create(linop_type(A), DIMS, linop_codomain(A), y, W);
	else
		make(d, text, A, y, spectrum);

	return d;
}

const struct functional *recon_data_functional(const struct recon_data *d)
{
	return d ? d->g : NULL;
}

void recon_data_into(const struct recon_data *d, struct iter_problem *p)
{
	p->data = recon_data_functional(d);

	if (NULL == d || NULL == d->F)
		return;

	p->F = d->F;
	p->y = d->y;
	p->W = d->W;
}

bool recon_data_takes_weights(const struct recon_data *d)
{
	return NULL != d && d->weighted;
}

void recon_data_free(struct recon_data *d)
{
	if (NULL == d)
		return;

	functional_free(d->g);
	nlop_free(d->F);
	weights_free(d->W);
	md_free(d->w);
	md_free(d->counts);
	free(d);
}
