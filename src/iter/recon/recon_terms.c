#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_terms.h"

#include "iter/denoise/denoisers.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "iter/monitor/values.h"
#include "iter/recon/recon_denoisers.h"
#include "iter/recon/recon_words.h"
#include "linops/directions.h"
#include "linops/norm.h"
#include "linops/wavelet/filters.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

enum { SPACE = 3 };

/** What a term is made for. */
struct place {
	const struct algorithm *a;
	enum dtype type;
	int D;
	const long *dims;
	const double *spacing;
	const struct recon_terms_files *files;
	long *bytes; // of arrays that terms keep: counted here
};

/** Spacings whose differences carry the weights of dims=. */
static void weigh(double h[DIMS], const struct recon_word *w, const struct place *at)
{
	for (int d = 0; d < at->D; d++)
		h[d] = at->spacing[d] / w->weight[d];
}

/** g consumed. */
static struct functional *scaled(double a, struct functional *g)
{
	struct functional *s = functional_scale_create(a, g);

	functional_free(g);

	return s;
}

static struct linop *gradient(const struct recon_word *w, const struct place *at)
{
	double h[DIMS];

	weigh(h, w, at);

	return linop_grad_create(at->type, at->D, at->dims, w->flags, h);
}

/** L times the sum of lengths of differences, as the algorithm takes it. */
static struct iter_term edges(double L, const struct recon_word *w, const struct place *at)
{
	struct linop *B = gradient(w, at);
	const long *c = linop_codomain(B);
	const int D = linop_codomain_rank(B);
	struct functional *g = (at->a->takes & DESCENDS) ? functional_edges_create(at->type, D, c, w->delta)
	                       : w->aniso                ? functional_l1_create(at->type, D, c, NULL, NULL)
	                                  : functional_l21_create(at->type, D, c, 1ul << (D - 1));

	return (struct iter_term){scaled(L, g), B};
}

static void expect_lengths(const struct recon_word *w, const struct place *at)
{
	if (w->aniso && (at->a->takes & DESCENDS))
		usage_error("-R %s: %s takes lengths of gradients only, without aniso", w->text, at->a->name);
}

static struct iter_term total_variation(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	double h[DIMS];
	const struct tv_conf conf = {.flags = w->flags,
	        .h = h,
	        .anisotropic = w->aniso,
	        .tolerance = 1e-3,
	        .iterations = TV_ITERATIONS,
	        .warm = true};

	weigh(h, w, at);

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS)))
		return (struct iter_term){
		        scaled(L, functional_tv_create(at->type, at->D, at->dims, &conf)), NULL};

	expect_lengths(w, at);

	return edges(L, w, at);
}

static struct iter_term adaptive(const struct recon_word *w, const struct place *at)
{
	if (!(at->a->takes & DESCENDS))
		usage_error("-R %s: it is for asd-pocs and its variants, not for %s", w->text, at->a->name);

	if (!(w->delta > 0.))
		usage_error("-R %s: expected delta=D, the size of differences [1/mm^2] from which they are "
		            "left alone",
		        w->text);

	return edges(recon_word_factor(w), w, at);
}

/** The volume of --prior in the type of the problem, repeated for each channel and time of an unknown. */
static void *load_prior(const struct recon_word *w, const struct place *at)
{
	struct cfl *f = at->files->prior;

	if (NULL == f)
		usage_error("-R %s: expected --prior VOL", w->text);

	const long n = md_calc_size(at->D, at->dims);
	void *x = mem_calloc((size_t)n, dtype_size(at->type));

	if (at->files->rehearsal)
		return x;

	for (int d = 0; d < DIMS; d++)
		if (f->hdr.dims[d] != at->dims[d] && (d < SPACE || 1 != f->hdr.dims[d]))
			error("--prior %s is %s, expected %ld x %ld x %ld as the volume (--like %s takes its "
			      "grid)",
			        f->name, hdr_shape(&f->hdr), at->dims[0], at->dims[1], at->dims[2], f->name);

	if (dtype_is_complex(f->hdr.type) && !dtype_is_complex(at->type))
		error("--prior %s is %s, expected a real type as the volume", f->name,
		        dtype_name(f->hdr.type));

	values_expect_finite(f);

	void *one = mem_alloc((size_t)f->count * dtype_size(at->type));
	long strs[DIMS], from[DIMS];

	convert(at->type, one, f->hdr.type, cfl_map(f), f->count, NARROW_SATURATE);
	md_calc_strides(DIMS, strs, at->dims, dtype_size(at->type));
	md_calc_strides(DIMS, from, f->hdr.dims, dtype_size(at->type)); // 0 along what is repeated
	md_copy2(DIMS, at->dims, strs, x, from, one, dtype_size(at->type));
	free(one);

	return x;
}

/** The same term of x - prior. */
static struct iter_term from_prior(
        struct recon_terms *t, struct iter_term term, const struct recon_word *w, const struct place *at)
{
	if (0 == strcmp("irn", at->a->name)) // its weights are for what is smallest at 0
		usage_error("-R %s: irn takes terms of the volume alone (use spdhg, pdhg or admm)", w->text);

	void *prior = load_prior(w, at);
	const long n = functional_size(term.g);
	int owned = 0;

	while (NULL != t->owned[owned])
		owned++;

	*at->bytes += n * (long)dtype_size(at->type);
	t->owned[owned] = prior;

	if (NULL != term.B) {
		t->owned[owned] = mem_alloc((size_t)n * dtype_size(at->type));
		linop_forward(term.B, t->owned[owned], prior);
		free(prior);
	}

	struct functional *moved = functional_translate_create(term.g, t->owned[owned]);

	functional_free(term.g);

	return (struct iter_term){moved, term.B};
}

/** alpha TV(x - prior) + (1 - alpha) TV(x): G.-H. Chen, J. Tang, S. Leng, Prior image constrained compressed
 * sensing (PICCS), Med. Phys. 35(2), 2008. Returns how many terms that is.
 */
static int prior_image(struct recon_terms *t, const struct recon_word *w, const struct place *at)
{
	struct iter_term *term = t->term + t->n;
	const double L = recon_word_factor(w);

	if (!(w->alpha >= 0. && w->alpha <= 1.))
		usage_error("-R %s: alpha=%g, expected 0 to 1", w->text, w->alpha);

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS)))
		usage_error("-R %s: %s takes no terms of differences; pdhg, admm and piccs do", w->text,
		        at->a->name);

	expect_lengths(w, at);

	term[0] = from_prior(t, edges(w->alpha * L, w, at), w, at);
	term[1] = edges((1. - w->alpha) * L, w, at);

	return 2;
}

/** Directions of a prior: its gradients over their lengths, rounded off below eta; of the real type. */
static void *directions_of(
        const struct linop *B, void *prior, const struct recon_word *w, const struct place *at)
{
	const long m = linop_codomain_size(B), K = linop_codomain(B)[at->D], n = m / K;
	double *z = mem_alloc((size_t)m * sizeof *z), sum = 0.;
	void *field = mem_alloc((size_t)m * dtype_size(at->type));

	linop_forward(B, field, prior);
	convert(DT_FLOAT64, z, at->type, field, m, NARROW_SATURATE);
	free(field);

	for (long i = 0; i < m; i++)
		sum += z[i] * z[i];

	const double eta = (0. == w->eta) ? sqrt(sum / (double)n) : w->eta;

	for (long i = 0; i < n; i++) {
		double length = eta * eta;

		for (long k = 0; k < K; k++)
			length += z[i + k * n] * z[i + k * n];

		for (long k = 0; k < K && length > 0.; k++)
			z[i + k * n] /= sqrt(length);
	}

	void *xi = mem_alloc((size_t)m * dtype_size(at->type));

	convert(at->type, xi, DT_FLOAT64, z, m, NARROW_SATURATE);
	free(z);

	return xi;
}

/** Sum of the lengths of gradients less what lies along those of a prior: M. J. Ehrhardt, M. M. Betcke,
 * Multicontrast MRI reconstruction with structure-guided total variation, SIAM J. Imaging Sci. 9(3), 2016. */
static struct iter_term directional(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);

	if (dtype_is_complex(at->type))
		usage_error("-R %s: directions are for real volumes, and this one is %s", w->text,
		        dtype_name(at->type));

	if (!(w->eta >= 0.) || !isfinite(w->eta))
		usage_error("-R %s: eta=%g, expected a finite number above 0", w->text, w->eta);

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS)))
		usage_error("-R %s: %s takes no terms of differences (use spdhg, pdhg or admm)", w->text,
		        at->a->name);

	struct iter_term term = edges(L, w, at);
	void *prior = load_prior(w, at), *xi = directions_of(term.B, prior, w, at);
	struct linop *P =
	        linop_directions_create(at->type, linop_codomain_rank(term.B), linop_codomain(term.B), xi);
	struct linop *B = linop_chain(P, term.B);

	linop_norm_learn(B, linop_norm(term.B)); // an upper bound, for |P| <= 1
	*at->bytes += linop_codomain_size(B) * (long)dtype_size(at->type);
	linop_free(P);
	linop_free(term.B);
	free(prior);
	free(xi);

	return (struct iter_term){term.g, B};
}

static struct iter_term denoiser(const struct recon_word *w, const struct place *at)
{
	const bool red = 0 == strcmp(w->kind, "red");
	struct denoiser_conf conf = w->denoiser;
	double h[DIMS];

	weigh(h, w, at);
	conf.flags = w->flags;
	conf.levels = w->levels;
	conf.family = w->family;
	conf.command = at->files->denoiser;
	conf.grid = at->files->grid;

	const bool stand_in = at->files->rehearsal && 0 == strcmp(w->method, "external");
	const struct denoiser d = denoiser_create(w->text, stand_in ? "tv" : w->method, w->n - red, w->v[0],
	        &conf, at->type, at->D, at->dims, h);
	const double L = red ? w->v[w->n - 1] : 1.;

	if (!(L >= 0.) || !isfinite(L))
		usage_error("-R %s: the factor is %g, expected a finite number not below 0", w->text, L);

	struct functional *g =
	        red ? functional_red_create(L, d.g, d.gamma) : functional_plug_create(d.g, d.gamma);

	functional_free(d.g);

	return (struct iter_term){g, NULL};
}

static struct iter_term of_differences(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
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

static struct iter_term of_wavelets(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	const long most = wavelet_max_levels(at->D, at->dims, w->flags);

	return (struct iter_term){scaled(L, functional_l1_create(at->type, at->D, at->dims, NULL, NULL)),
	        linop_wavelet_create(at->type, at->D, at->dims, w->flags, (enum wavelet_family)w->family,
	                WAVELET_PERIODIC, (w->levels < most) ? w->levels : most)};
}

/** Of images: along x and y unless dims= names two others. */
static struct iter_term of_shearlets(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	const unsigned long flags = recon_word_has_dims(w) ? w->flags : w->flags & 3ul;

	if (2 != __builtin_popcountl(flags))
		usage_error("-R %s: shearlets are of images, expected two dimensions, as dims=x,y", w->text);

	const int first = __builtin_ctzl(flags), second = __builtin_ctzl(flags & (flags - 1));
	struct linop *B = linop_shearlet_create(at->type, at->D, at->dims, first, second, (int)w->levels);

	*at->bytes += shearlet_count((int)w->levels) * at->dims[first] * at->dims[second] *
	              (long)dtype_size(dtype_real(at->type)); // filters

	return (struct iter_term){scaled(L, functional_l1_create(at->type, linop_codomain_rank(B),
	                                            linop_codomain(B), NULL, NULL)),
	        B};
}

/** Second-order total variation, by a prox of its own. */
static struct iter_term second_order(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	double h[DIMS], least = INFINITY;

	weigh(h, w, at);

	for (int d = 0; d < at->D; d++)
		least = (w->flags & (1ul << d)) ? fmin(least, fabs(h[d])) : least;

	const struct tgv_conf conf = {.flags = w->flags,
	        .h = h,
	        .first = 1.,
	        .second = (0. == w->ratio) ? 2. * least : w->ratio,
	        .tolerance = 1e-4,
	        .iterations = TV_ITERATIONS,
	        .warm = true};

	if (!(conf.second > 0.) || !isfinite(conf.second))
		usage_error("-R %s: ratio=%g, expected a finite number above 0", w->text, w->ratio);

	return (struct iter_term){
	        scaled(L, (0 == strcmp(w->kind, "tgv") ? functional_tgv_create : functional_ictv_create)(
	                          at->type, at->D, at->dims, &conf)),
	        NULL};
}

/** Singular values of the matrix of a position in space and an index along dims=; other channels and times
 * have a matrix each. */
static struct functional *nuclear(const struct recon_word *w, const struct place *at)
{
	unsigned long all = 0;

	for (int d = 0; d < at->D; d++)
		all |= (1 < at->dims[d]) ? 1ul << d : 0;

	const unsigned long rows = all & 7ul & ~w->flags;

	return functional_nuclear_create(at->type, at->D, at->dims, rows, all & ~rows & ~w->flags);
}

/** Singular values of the matrix of each voxel: its differences in space, in each channel and time. */
static struct iter_term of_jacobians(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	const unsigned long space = w->flags & 7ul, frames = w->flags & ~7ul;
	struct recon_word gradients = *w;

	if (0 == space || 0 == frames)
		usage_error("-R %s: expected differences in space and several channels or times (give both "
		            "in dims=, or use tv)",
		        w->text);

	for (int d = SPACE; d < at->D; d++)
		if (1. != w->weight[d])
			usage_error(
			        "-R %s: tnv takes differences along x, y and z alone, so that a weight of "
			        "channels or times has no effect (remove it)",
			        w->text);

	gradients.flags = space;

	struct linop *B = gradient(&gradients, at);
	const unsigned long rows = 1ul << at->D;

	return (struct iter_term){scaled(L, functional_nuclear_create(at->type, linop_codomain_rank(B),
	                                            linop_codomain(B), rows, (rows - 1) & ~frames)),
	        B};
}

/** What is known of voxels by their values alone. */
static struct iter_term of_voxels(const struct recon_word *w, const struct place *at)
{
	const double L = recon_word_factor(w);
	struct functional *g;

	if (0 == strcmp(w->kind, "l1"))
		g = functional_l1_create(at->type, at->D, at->dims, NULL, NULL);
	else if (0 == strcmp(w->kind, "l2"))
		g = functional_l2sq_create(at->type, at->D, at->dims, NULL, NULL);
	else if (0 == strcmp(w->kind, "l0"))
		g = functional_l0_create(at->type, at->D, at->dims, NULL, NULL);
	else if (0 == strcmp(w->kind, "l21"))
		g = functional_l21_create(at->type, at->D, at->dims, w->flags);
	else
		g = nuclear(w, at);

	return (struct iter_term){scaled(L, g), NULL};
}

static struct iter_term bounds(const struct recon_word *w, const struct place *at)
{
	if (dtype_is_complex(at->type))
		usage_error("-R %s: bounds are for real volumes, and this one is %s", w->text,
		        dtype_name(at->type));

	if (0 == strcmp(w->kind, "nonneg")) {
		if (0 != w->n)
			usage_error("-R %s: found a number, expected none", w->text);

		return (struct iter_term){functional_nonneg_create(at->type, at->D, at->dims), NULL};
	}

	if (2 != w->n || !(w->v[0] < w->v[1]))
		usage_error("-R %s: expected box:LO:HI with LO below HI", w->text);

	return (struct iter_term){functional_box_create(at->type, at->D, at->dims, w->v[0], w->v[1]), NULL};
}

static struct iter_term make(const struct recon_word *w, const struct place *at)
{
	static const struct {
		const char *kind;
		struct iter_term (*make)(const struct recon_word *w, const struct place *at);
	} all[] = {{"tv", total_variation}, {"htv", of_differences}, {"smooth", of_differences},
	        {"awtv", adaptive}, {"dtv", directional}, {"wavelet", of_wavelets},
	        {"shearlet", of_shearlets}, {"tnv", of_jacobians}, {"tgv", second_order},
	        {"ictv", second_order}, {"l1", of_voxels}, {"l2", of_voxels}, {"l0", of_voxels},
	        {"l21", of_voxels}, {"nuclear", of_voxels}, {"box", bounds}, {"nonneg", bounds},
	        {"pnp", denoiser}, {"red", denoiser}};

	size_t i = 0;

	while (0 != strcmp(w->kind, all[i].kind)) {
		i++;
		assert(i < sizeof all / sizeof *all);
	}

	return all[i].make(w, at);
}

/** As many levels as asked for; where they were not, those of the default that the volume has. */
static void check_levels(const struct recon_word *w, const struct place *at)
{
	const long most = wavelet_max_levels(at->D, at->dims, w->flags);

	if (0 == strcmp(w->kind, "shearlet") && w->levels > SHEARLET_SCALES)
		usage_error("-R %s: levels=%ld, expected at most %d", w->text, w->levels, SHEARLET_SCALES);

	if (0 != strcmp(w->kind, "shearlet") && recon_word_has_levels(w) && !at->files->rehearsal &&
	        w->levels > most)
		usage_error("-R %s: levels=%ld, but the volume has at most %ld along these dimensions",
		        w->text, w->levels, most);
}

/** A factor in units of the noise becomes a number; that of an automatic one is noted. */
static void make_absolute(struct recon_terms *t, struct recon_word *w, const struct place *at)
{
	t->relative |= w->relative;

	if (NULL == at->files->unit || !(w->relative || w->automatic))
		return;

	const double unit = recon_word_unit(w, at->files->unit, at->spacing);

	if (w->automatic) {
		t->unit = unit;
		return;
	}

	w->v[0] *= unit;

	if (0. == at->files->automatic)
		verbose("-R %s: the factor is %.6g", w->text, w->v[0]);
}

static void add(struct recon_terms *t, const char *text, const struct place *at)
{
	const double automatic = at->files->automatic;
	const int first = t->n;
	struct recon_word w;

	recon_word_split(&w, text, at->dims, (0. != automatic) ? automatic : 1.);
	check_levels(&w, at);
	make_absolute(t, &w, at);

	if (0 == strcmp(w.kind, "piccs")) {
		t->n += prior_image(t, &w, at);
	} else {
		const struct iter_term term = make(&w, at);

		t->term[t->n++] = recon_word_has_prior(&w) ? from_prior(t, term, &w, at) : term;
	}

	if (w.automatic && 0 <= t->automatic)
		usage_error("-R %s: a second factor that is auto, expected one", text);

	if (w.automatic) {
		t->automatic = first;
		t->automatic_end = t->n;
		t->square = recon_word_is_square(&w);
		t->edges = recon_word_has_edges(&w);
	}

	recon_word_free(&w);
}

/** The words, or those of the algorithm where there are none. */
static const char *word(const struct opt_list *words, const struct algorithm *a, int i)
{
	if (0 < words->n)
		return (i < words->n) ? words->v[i] : NULL;

	return (NULL != a->words) ? a->words[i] : NULL;
}

static bool mentions(const struct opt_list *words, const struct algorithm *a, const char *what)
{
	for (int i = 0; NULL != word(words, a, i); i++)
		if (NULL != strstr(word(words, a, i), what))
			return true;

	return false;
}

bool recon_terms_couple(const struct opt_list *words, const struct algorithm *a, const long dims[DIMS])
{
	unsigned long flags = 0;

	for (int i = 0; NULL != word(words, a, i); i++) {
		struct recon_word w;

		recon_word_split(&w, word(words, a, i), dims, 1.);
		flags |= w.flags;
		recon_word_free(&w);
	}

	return 0 != flags >> SPACE;
}

void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        const struct recon_terms_files *files, const struct recon_unknown *x)
{
	int count = 0;

	while (NULL != word(words, a, count))
		count++;

	if (NULL != files->prior && !mentions(words, a, "piccs") && !mentions(words, a, "dtv") &&
	        !mentions(words, a, ":prior"))
		usage_error(
		        "--prior is the prior image of -R piccs:L, dtv:L or a term with the key prior, as "
		        "tv:L:prior, which were not given");

	if (NULL != files->denoiser && !mentions(words, a, ":external"))
		usage_error("--denoiser is the command of -R pnp:external:S or red:external:S:L, which were "
		            "not given");

	const struct place at = {a, x->type, x->D, x->dims, x->spacing, files, &t->bytes};

	*t = (struct recon_terms){.term = mem_calloc(2 * (size_t)count + 1, sizeof *t->term),
	        .owned = mem_calloc((size_t)count + 1, sizeof *t->owned),
	        .automatic = -1,
	        .unit = 1.};

	for (int i = 0; i < count; i++)
		add(t, word(words, a, i), &at);
}

void recon_terms_free(struct recon_terms *t)
{
	for (int i = 0; i < t->n; i++) {
		functional_free(t->term[i].g);
		linop_free(t->term[i].B);
	}

	for (int i = 0; NULL != t->owned && NULL != t->owned[i]; i++)
		free(t->owned[i]);

	free(t->owned);
	free(t->term);
}
