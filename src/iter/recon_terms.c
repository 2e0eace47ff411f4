#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon_terms.h"

#include "iter/functionals.h"
#include "iter/regularisers.h"
#include "linops/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/parse.h"

enum { SPACE = 3, NUMBERS = 2, LEVELS = 3 };

/** A word taken apart. */
struct word {
	const char *text;
	char *copy, *kind;
	int n;
	double v[NUMBERS];
	unsigned long flags; // dims=
	bool aniso;
	double delta; // 0: not given
	long levels;
	int family;
};

/** What a term is made for. */
struct place {
	const struct algorithm *a;
	enum dtype type;
	const long *dims;
	const double *spacing;
};

static const char *const kinds[] = {"tv", "htv", "wavelet", "l1", "l2", "smooth", "box", "nonneg", NULL};

static bool key(const char *part, const char *name, const char **value)
{
	const size_t n = strlen(name);

	if (0 != strncmp(part, name, n) || '=' != part[n])
		return false;

	*value = part + n + 1;

	return true;
}

static int family(const char *text)
{
	static const char *const names[] = {"haar", "db2", "db4", NULL};

	for (int i = 0; NULL != names[i]; i++)
		if (0 == strcmp(text, names[i]))
			return i;

	usage_error("-R: family=%s, expected haar, db2 or db4", text);
}

static void take_part(struct word *w, const char *part)
{
	const char *value;

	if (key(part, "dims", &value))
		w->flags = parse_dims(value, "-R dims");
	else if (key(part, "delta", &value))
		w->delta = parse_double(value, "-R delta");
	else if (key(part, "levels", &value))
		w->levels = parse_long(value, "-R levels");
	else if (key(part, "family", &value))
		w->family = family(value);
	else if (0 == strcmp(part, "aniso"))
		w->aniso = true;
	else if (w->n < NUMBERS && NULL == strchr(part, '='))
		w->v[w->n++] = parse_double_inf(part, "-R");
	else
		usage_error("-R %s: '%s' is not understood", w->text, part);
}

static void split(struct word *w, const char *text, const struct place *at)
{
	*w = (struct word){.text = text, .copy = mem_strdup(text), .levels = LEVELS};

	char *rest = w->copy;

	w->kind = strsep(&rest, ":");

	for (char *part; NULL != (part = strsep(&rest, ":"));)
		take_part(w, part);

	if (0 == w->flags)
		w->flags = 7;

	for (int d = 0; d < DIMS; d++)
		if (d >= SPACE || 1 == at->dims[d])
			w->flags &= ~(1ul << d);
}

/** The factor of a term. */
static double factor(const struct word *w)
{
	if (1 != w->n)
		usage_error("-R %s: found %d numbers, expected one: %s:L", w->text, w->n, w->kind);

	if (!(w->v[0] >= 0.) || !isfinite(w->v[0]))
		usage_error(
		        "-R %s: the factor is %g, expected a finite number not below 0", w->text, w->v[0]);

	return w->v[0];
}

/** g consumed. */
static struct functional *scaled(double a, struct functional *g)
{
	struct functional *s = functional_scale_create(a, g);

	functional_free(g);

	return s;
}

static struct linop *gradient(const struct word *w, const struct place *at)
{
	return linop_grad_create(at->type, SPACE, at->dims, w->flags, at->spacing);
}

static struct iter_term total_variation(const struct word *w, const struct place *at)
{
	const double L = factor(w);
	const struct tv_conf conf = {.flags = w->flags,
	        .h = at->spacing,
	        .anisotropic = w->aniso,
	        .tolerance = 1e-3,
	        .iterations = TV_ITERATIONS,
	        .warm = true};

	if (!(at->a->takes & TAKES_TERMS))
		return (struct iter_term){
		        scaled(L, functional_tv_create(at->type, SPACE, at->dims, &conf)), NULL};

	struct linop *B = gradient(w, at);
	const long *c = linop_codomain(B);
	const int D = linop_codomain_rank(B);

	return (struct iter_term){scaled(L, w->aniso ? functional_l1_create(at->type, D, c, NULL, NULL)
	                                             : functional_l21_create(at->type, D, c, 1ul << (D - 1))),
	        B};
}

static struct iter_term of_differences(const struct word *w, const struct place *at)
{
	const double L = factor(w);
	struct linop *B = gradient(w, at);
	const long *c = linop_codomain(B);
	const int D = linop_codomain_rank(B);

	if (0 == strcmp(w->kind, "smooth"))
		return (struct iter_term){scaled(L, functional_l2sq_create(at->type, D, c, NULL, NULL)), B};

	if (!(w->delta > 0.))
		usage_error("-R %s: expected delta=D, the size of differences [1/mm^2] from which they count "
		            "as edges",
		        w->text);

	// delta h'(t) = t / delta up to delta, 1 beyond: total variation with rounded edges
	return (struct iter_term){
	        scaled(L / w->delta, functional_huber_create(at->type, D, c, w->delta, NULL, NULL)), B};
}

static struct iter_term of_wavelets(const struct word *w, const struct place *at)
{
	const double L = factor(w);
	const long most = wavelet_max_levels(SPACE, at->dims, w->flags);

	if (w->levels < 1)
		usage_error("-R %s: levels=%ld, expected at least 1", w->text, w->levels);

	return (struct iter_term){scaled(L, functional_l1_create(at->type, SPACE, at->dims, NULL, NULL)),
	        linop_wavelet_create(at->type, SPACE, at->dims, w->flags, (enum wavelet_family)w->family,
	                WAVELET_PERIODIC, (w->levels < most) ? w->levels : most)};
}

static struct iter_term bounds(const struct word *w, const struct place *at)
{
	if (dtype_is_complex(at->type))
		usage_error("-R %s: bounds are for real volumes, and this one is %s", w->text,
		        dtype_name(at->type));

	if (0 == strcmp(w->kind, "nonneg")) {
		if (0 != w->n)
			usage_error("-R %s: found a number, expected none", w->text);

		return (struct iter_term){functional_nonneg_create(at->type, SPACE, at->dims), NULL};
	}

	if (2 != w->n || !(w->v[0] < w->v[1]))
		usage_error("-R %s: expected box:LO:HI with LO below HI", w->text);

	return (struct iter_term){functional_box_create(at->type, SPACE, at->dims, w->v[0], w->v[1]), NULL};
}

static struct iter_term make(const struct word *w, const struct place *at)
{
	const bool differs = 0 == strcmp(w->kind, "tv") || 0 == strcmp(w->kind, "htv") ||
	                     0 == strcmp(w->kind, "smooth") || 0 == strcmp(w->kind, "wavelet");

	if (differs && 0 == w->flags)
		usage_error("-R %s: the volume has one voxel along these dimensions, expected more", w->text);

	if (0 == strcmp(w->kind, "tv"))
		return total_variation(w, at);

	if (0 == strcmp(w->kind, "htv") || 0 == strcmp(w->kind, "smooth"))
		return of_differences(w, at);

	if (0 == strcmp(w->kind, "wavelet"))
		return of_wavelets(w, at);

	if (0 == strcmp(w->kind, "l1"))
		return (struct iter_term){
		        scaled(factor(w), functional_l1_create(at->type, SPACE, at->dims, NULL, NULL)), NULL};

	if (0 == strcmp(w->kind, "l2"))
		return (struct iter_term){
		        scaled(factor(w), functional_l2sq_create(at->type, SPACE, at->dims, NULL, NULL)),
		        NULL};

	if (0 == strcmp(w->kind, "box") || 0 == strcmp(w->kind, "nonneg"))
		return bounds(w, at);

	const char *near = nearest_name(w->kind, kinds);

	usage_error(
	        "-R %s: no such kind of term%s%s", w->text, near ? "; did you mean " : "", near ? near : "");
}

void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        enum dtype type, const long dims[3], const double spacing[3])
{
	long all[DIMS];

	for (int d = 0; d < DIMS; d++)
		all[d] = (d < SPACE) ? dims[d] : 1;

	t->n = words->n;
	t->term = mem_calloc((size_t)words->n + 1, sizeof *t->term);

	for (int i = 0; i < words->n; i++) {
		const struct place at = {a, type, all, spacing};
		struct word w;

		split(&w, words->v[i], &at);
		t->term[i] = make(&w, &at);
		free(w.copy);
	}
}

void recon_terms_free(struct recon_terms *t)
{
	for (int i = 0; i < t->n; i++) {
		functional_free(t->term[i].g);
		linop_free(t->term[i].B);
	}

	free(t->term);
}
