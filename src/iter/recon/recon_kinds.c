/* The terms of -R, in the order of the help. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_kinds.h"

#include "iter/denoise/denoisers.h"
#include "iter/functional/functionals.h"
#include "iter/functional/regularisers.h"
#include "linops/directions.h"
#include "linops/wavelet/filters.h"
#include "linops/norm.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/kern/convert.h"

enum { SPACE = 3 };

/* ---- parts ---------------------------------------------------------------- */

/** Spacings whose differences carry the weights of dims=. */
static void weigh(double h[DIMS], const struct recon_word *w, const struct term_place *at)
{
	for (int d = 0; d < at->D; d++)
		h[d] = at->spacing[d] / w->weight[d];
}

/** Adds L g of B x, L being the factor of the word. */
static void add(struct recon_terms *t, const struct recon_word *w, struct functional *g, struct linop *B)
{
	struct functional *s = functional_scale_create(recon_word_factor(w), g);

	functional_free(g);
	recon_terms_add(t, s, B);
}

static struct linop *gradient(const struct recon_word *w, const struct term_place *at)
{
	double h[DIMS];

	weigh(h, w, at);

	return linop_grad_create(at->type, at->D, at->dims, w->flags, h);
}

/** L times the sum of lengths of differences, as the algorithm takes it. */
static void add_edges(
        struct recon_terms *t, double L, const struct recon_word *w, const struct term_place *at)
{
	struct linop *B = gradient(w, at);
	const long *c = linop_codomain(B);
	const int D = linop_codomain_rank(B);
	struct functional *g = (at->a->takes & DESCENDS) ? functional_edges_create(at->type, D, c, w->delta)
	                       : w->aniso                ? functional_l1_create(at->type, D, c, NULL, NULL)
	                                  : functional_l21_create(at->type, D, c, 1ul << (D - 1));
	struct functional *s = functional_scale_create(L, g);

	functional_free(g);
	recon_terms_add(t, s, B);
}

static void expect_lengths(const struct recon_word *w, const struct term_place *at)
{
	if (w->aniso && (at->a->takes & DESCENDS))
		usage_error("-R %s: %s supports only isotropic total variation (remove aniso)", w->text,
		        at->a->name);
}

static void expect_delta(const struct recon_word *w, const char *what)
{
	if (!(w->delta > 0.))
		usage_error("-R %s: delta is missing (give delta=D, where differences above D [1/mm^2] %s)",
		        w->text, what);
}

static void expect_real(const struct recon_word *w, const struct term_place *at, const char *what)
{
	if (dtype_is_complex(at->type))
		usage_error("-R %s: %s need a real volume, found %s", w->text, what, dtype_name(at->type));
}

/* ---- differences ------------------------------------------------------------ */

static void create_tv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	double h[DIMS];
	const struct tv_conf conf = {.flags = w->flags,
	        .h = h,
	        .anisotropic = w->aniso,
	        .tolerance = 1e-3,
	        .iterations = TV_ITERATIONS,
	        .warm = true};

	weigh(h, w, at);

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS))) {
		add(t, w, functional_tv_create(at->type, at->D, at->dims, &conf), NULL);
		return;
	}

	expect_lengths(w, at);
	add_edges(t, recon_word_factor(w), w, at);
}

static void create_awtv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	if (!(at->a->takes & DESCENDS))
		usage_error("-R %s is for asd-pocs and its variants, not for %s", w->text, at->a->name);

	expect_delta(w, "are preserved");
	add_edges(t, recon_word_factor(w), w, at);
}

static void create_smooth(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	struct linop *B = gradient(w, at);

	add(t, w, functional_l2sq_create(at->type, linop_codomain_rank(B), linop_codomain(B), NULL, NULL), B);
}

/** delta h'(t) = t / delta up to delta, 1 beyond: total variation with rounded edges. */
static void create_htv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const double L = recon_word_factor(w);
	struct linop *B = gradient(w, at);

	expect_delta(w, "count as edges");

	struct functional *g = functional_huber_create(
	        at->type, linop_codomain_rank(B), linop_codomain(B), w->delta, NULL, NULL);
	struct functional *s = functional_scale_create(L / w->delta, g);

	functional_free(g);
	recon_terms_add(t, s, B);
}

/** alpha TV(x - prior) + (1 - alpha) TV(x): G.-H. Chen, J. Tang, S. Leng, Prior image constrained compressed
 * sensing (PICCS), Med. Phys. 35(2), 2008. */
static void create_piccs(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const double L = recon_word_factor(w);

	if (!(w->alpha >= 0. && w->alpha <= 1.))
		usage_error("-R %s: alpha=%g, expected 0 to 1", w->text, w->alpha);

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS)))
		usage_error("-R %s: %s does not support terms that use differences between voxels (use pdhg, "
		            "admm or piccs)",
		        w->text, at->a->name);

	expect_lengths(w, at);
	add_edges(t, w->alpha * L, w, at);
	recon_terms_move(t, t->term + t->n - 1, w, at);
	add_edges(t, (1. - w->alpha) * L, w, at);
}

/** Directions of a prior: its gradients over their lengths, rounded off below eta; of the real type. */
static void *directions_of(
        const struct linop *B, void *prior, const struct recon_word *w, const struct term_place *at)
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
static void create_dtv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const double L = recon_word_factor(w);

	expect_real(w, at, "directions");

	if (!(at->a->takes & (TAKES_TERMS | DESCENDS)))
		usage_error("-R %s: %s does not support terms that use differences between voxels (use "
		            "spdhg, pdhg or admm)",
		        w->text, at->a->name);

	add_edges(t, L, w, at);

	struct iter_term *term = t->term + t->n - 1;
	void *prior = recon_load_prior(w, at), *xi = directions_of(term->B, prior, w, at);
	struct linop *P =
	        linop_directions_create(at->type, linop_codomain_rank(term->B), linop_codomain(term->B), xi);
	struct linop *B = linop_chain(P, term->B);

	linop_norm_learn(B, linop_norm(term->B)); // an upper bound, for |P| <= 1
	*at->bytes += linop_codomain_size(B) * (long)dtype_size(at->type);
	linop_free(P);
	linop_free(term->B);
	term->B = B;
	free(prior);
	free(xi);
}

/** Second differences, by a prox of its own. */
static void add_second_order(struct recon_terms *t, const struct recon_word *w, const struct term_place *at,
        struct functional *(*create)(enum dtype type, int D, const long dims[], const struct tgv_conf *conf))
{
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

	add(t, w, create(at->type, at->D, at->dims, &conf), NULL);
}

static void create_tgv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add_second_order(t, w, at, functional_tgv_create);
}

static void create_ictv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add_second_order(t, w, at, functional_ictv_create);
}

/** Singular values of the matrix of each voxel: its differences in space, in each channel and time. */
static void create_tnv(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const unsigned long space = w->flags & 7ul, frames = w->flags & ~7ul;
	struct recon_word gradients = *w;

	if (0 == space || 0 == frames)
		usage_error("-R %s: tnv needs one of x, y, z and one of channel, time, each longer than 1 "
		            "(give both kinds in dims=, or use tv)",
		        w->text);

	for (int d = SPACE; d < at->D; d++)
		if (1. != w->weight[d])
			usage_error(
			        "-R %s: tnv uses differences along x, y and z only, so a weight of channel "
			        "or time has no effect (remove the weight)",
			        w->text);

	gradients.flags = space;

	struct linop *B = gradient(&gradients, at);
	const unsigned long rows = 1ul << at->D;

	add(t, w,
	        functional_nuclear_create(
	                at->type, linop_codomain_rank(B), linop_codomain(B), rows, (rows - 1) & ~frames),
	        B);
}

/* ---- coefficients ------------------------------------------------------------ */

static void create_wavelet(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const long most = wavelet_max_levels(at->D, at->dims, w->flags);

	add(t, w, functional_l1_create(at->type, at->D, at->dims, NULL, NULL),
	        linop_wavelet_create(at->type, at->D, at->dims, w->flags, (enum wavelet_family)w->family,
	                WAVELET_PERIODIC, (w->levels < most) ? w->levels : most));
}

/** Of images: along x and y unless dims= names two others. */
static void create_shearlet(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const unsigned long flags = recon_word_has_dims(w) ? w->flags : w->flags & 3ul;

	if (2 != __builtin_popcountl(flags))
		usage_error(
		        "-R %s: a shearlet transform needs two dimensions (for example dims=x,y)", w->text);

	const int first = __builtin_ctzl(flags), second = __builtin_ctzl(flags & (flags - 1));
	struct linop *B = linop_shearlet_create(at->type, at->D, at->dims, first, second, (int)w->levels);

	*at->bytes += shearlet_count((int)w->levels) * at->dims[first] * at->dims[second] *
	              (long)dtype_size(dtype_real(at->type)); // filters
	add(t, w, functional_l1_create(at->type, linop_codomain_rank(B), linop_codomain(B), NULL, NULL), B);
}

/* ---- voxels -------------------------------------------------------------------- */

static void create_l1(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add(t, w, functional_l1_create(at->type, at->D, at->dims, NULL, NULL), NULL);
}

static void create_l2(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add(t, w, functional_l2sq_create(at->type, at->D, at->dims, NULL, NULL), NULL);
}

static void create_l0(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add(t, w, functional_l0_create(at->type, at->D, at->dims, NULL, NULL), NULL);
}

static void create_l21(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	add(t, w, functional_l21_create(at->type, at->D, at->dims, w->flags), NULL);
}

/** Singular values of the matrix of a position in space and an index along dims=; other channels and times
 * have a matrix each. */
static void create_nuclear(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	unsigned long all = 0;

	for (int d = 0; d < at->D; d++)
		all |= (1 < at->dims[d]) ? 1ul << d : 0;

	const unsigned long rows = all & 7ul & ~w->flags;

	add(t, w, functional_nuclear_create(at->type, at->D, at->dims, rows, all & ~rows & ~w->flags), NULL);
}

static void create_nonneg(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	expect_real(w, at, "bounds");

	if (0 != w->n)
		usage_error("-R %s: unexpected number (this term takes none)", w->text);

	recon_terms_add(t, functional_nonneg_create(at->type, at->D, at->dims), NULL);
}

static void create_box(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	expect_real(w, at, "bounds");

	if (2 != w->n || !(w->v[0] < w->v[1]))
		usage_error("-R %s: expected box:LO:HI with LO below HI", w->text);

	recon_terms_add(t, functional_box_create(at->type, at->D, at->dims, w->v[0], w->v[1]), NULL);
}

/* ---- denoisers ------------------------------------------------------------------ */

/** The denoiser of a word whose first n numbers say the noise. */
static struct denoiser denoiser_of(const struct recon_word *w, int n, const struct term_place *at)
{
	struct denoiser_conf conf = w->denoiser;
	double h[DIMS];

	weigh(h, w, at);
	conf.flags = w->flags;
	conf.levels = w->levels;
	conf.family = w->family;
	conf.command = at->files->denoiser;
	conf.grid = at->files->grid;
	conf.dry_run = at->files->dry_run;

	return denoiser_create(w->text, w->method, n, &conf,
	        &(struct denoiser_place){at->type, at->D, at->dims, h, w->v[0]});
}

static void create_pnp(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const struct denoiser d = denoiser_of(w, w->n, at);

	recon_terms_add(t, functional_plug_create(d.g, d.gamma), NULL);
	functional_free(d.g);
}

static void create_red(struct recon_terms *t, const struct recon_word *w, const struct term_place *at)
{
	const struct denoiser d = denoiser_of(w, w->n - 1, at);
	const double L = w->v[w->n - 1];

	if (!(L >= 0.) || !isfinite(L))
		usage_error("-R %s: the factor is %g, expected a finite number not below 0", w->text, L);

	recon_terms_add(t, functional_red_create(L, d.g, d.gamma), NULL);
	functional_free(d.g);
}

/* ---- the table -------------------------------------------------------------------- */

const struct recon_kind recon_kinds[] = {
        {.name = "tv",
                .syntax = "tv:L[:aniso]",
                .help = "total variation, the sum of the lengths of gradients",
                .keys = KEY_DIMS | KEY_ANISO | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_EDGES,
                .create = create_tv},
        {.name = "htv",
                .syntax = "htv:L:delta=D",
                .help = "total variation with the Huber function: differentiable, and linear for differences "
                        "above D [1/mm^2]",
                .keys = KEY_DIMS | KEY_DELTA | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_GRADIENT,
                .create = create_htv},
        {.name = "awtv",
                .syntax = "awtv:L:delta=D",
                .help = "adaptive-weighted total variation, for asd-pocs and its variants: preserves "
                        "differences well above D [1/mm^2]",
                .keys = KEY_DIMS | KEY_DELTA | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_DESCENT,
                .create = create_awtv},
        {.name = "piccs",
                .syntax = "piccs:L[:alpha=A][:aniso]",
                .help = "A (default: 0.5) times the total variation of the difference from --prior, plus 1 - "
                        "A times that of the volume",
                .keys = KEY_DIMS | KEY_ANISO | KEY_ALPHA,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .from_prior = true,
                .prefers = PREFERS_EDGES,
                .create = create_piccs},
        {.name = "dtv",
                .syntax = "dtv:L[:eta=E]",
                .help = "directional total variation: of the gradient component perpendicular to the "
                        "gradients of --prior; gradients of --prior below E [1/mm^2] count little (default: "
                        "their root mean square)",
                .keys = KEY_DIMS | KEY_ETA,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .from_prior = true,
                .prefers = PREFERS_EDGES,
                .create = create_dtv},
        {.name = "tgv",
                .syntax = "tgv:L[:ratio=R]",
                .help = "total generalised variation, with second differences weighted by R [mm] (default: 2 "
                        "voxels)",
                .keys = KEY_DIMS | KEY_RATIO | KEY_PRIOR,
                .factor = FACTOR_FIXED,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_WHOLE,
                .create = create_tgv},
        {.name = "ictv",
                .syntax = "ictv:L[:ratio=R]",
                .help = "infimal convolution of first and second differences",
                .keys = KEY_DIMS | KEY_RATIO | KEY_PRIOR,
                .factor = FACTOR_FIXED,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_WHOLE,
                .create = create_ictv},
        {.name = "tnv",
                .syntax = "tnv:L",
                .help = "total nuclear variation, the sum over voxels of the singular values of gradients "
                        "in all channels and times",
                .keys = KEY_DIMS | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE | EXTENT_FRAMES,
                .lengths = true,
                .prefers = PREFERS_OPERATOR,
                .create = create_tnv},
        {.name = "wavelet",
                .syntax = "wavelet:L[:levels=N][:family=haar|db2|db4]",
                .help = "the sum of the magnitudes of wavelet coefficients",
                .keys = KEY_DIMS | KEY_LEVELS | KEY_FAMILY | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .prefers = PREFERS_EDGES,
                .create = create_wavelet},
        {.name = "shearlet",
                .syntax = "shearlet:L[:levels=N]",
                .help = "sum of the magnitudes of shearlet coefficients (2-D images)",
                .keys = KEY_DIMS | KEY_LEVELS | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_SPACE,
                .levels = SHEARLET_SCALES,
                .prefers = PREFERS_OPERATOR,
                .create = create_shearlet},
        {.name = "l1",
                .syntax = "l1:L",
                .help = "the sum of the magnitudes of voxels",
                .keys = KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .prefers = PREFERS_SUM,
                .create = create_l1},
        {.name = "l2",
                .syntax = "l2:L",
                .help = "half the sum of squares of voxels",
                .keys = KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_SQUARE,
                .prefers = PREFERS_GRADIENT,
                .create = create_l2},
        {.name = "l0",
                .syntax = "l0:L",
                .help = "the number of voxels that are not 0",
                .keys = KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_COUNT,
                .prefers = PREFERS_COUNT,
                .create = create_l0},
        {.name = "l21",
                .syntax = "l21:L",
                .help = "the sum over voxels of the root of the sum of squares over channels and times",
                .keys = KEY_DIMS | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_FRAMES,
                .prefers = PREFERS_PROX,
                .create = create_l21},
        {.name = "nuclear",
                .syntax = "nuclear:L",
                .help = "the sum of singular values of the matrix of voxels and of channels and times",
                .keys = KEY_DIMS | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_LENGTH,
                .extent = EXTENT_FRAMES,
                .prefers = PREFERS_WHOLE,
                .create = create_nuclear},
        {.name = "smooth",
                .syntax = "smooth:L",
                .help = "half the sum of squares of differences",
                .keys = KEY_DIMS | KEY_PRIOR,
                .factor = FACTOR_AUTO,
                .degree = DEGREE_SQUARE,
                .extent = EXTENT_SPACE,
                .lengths = true,
                .prefers = PREFERS_GRADIENT,
                .create = create_smooth},
        {.name = "box",
                .syntax = "box:LO:HI",
                .help = "bounds [1/mm]",
                .prefers = PREFERS_BOUNDS,
                .create = create_box},
        {.name = "nonneg",
                .syntax = "nonneg",
                .help = "non-negative voxels",
                .prefers = PREFERS_NONNEGATIVE,
                .create = create_nonneg},
        {.name = "pnp",
                .syntax = "pnp:METHOD:S",
                .help = "plug and play: a denoiser in place of a proximal operator",
                .extent = EXTENT_SPACE,
                .noise = true,
                .prefers = PREFERS_DENOISER,
                .create = create_pnp},
        {.name = "red",
                .syntax = "red:METHOD:S:L",
                .help = "regularisation by denoising: the term with the gradient L (x - denoised x)",
                .factor = FACTOR_FIXED,
                .extent = EXTENT_SPACE,
                .noise = true,
                .prefers = PREFERS_RED,
                .create = create_red},
        {.name = NULL},
};

const struct recon_kind *recon_kind_find(const char *word)
{
	const size_t n = strcspn(word, ":");

	for (const struct recon_kind *k = recon_kinds; NULL != k->name; k++)
		if (strlen(k->name) == n && 0 == strncmp(k->name, word, n))
			return k;

	return NULL;
}

const struct recon_kind *recon_kind_of(const char *text, const char *name)
{
	const struct recon_kind *kind = recon_kind_find(name);
	const char *names[sizeof recon_kinds / sizeof *recon_kinds];

	if (NULL != kind)
		return kind;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		names[i] = recon_kinds[i].name;

	const char *near = nearest_name(name, names);

	if (NULL != near)
		usage_error("-R %s: unknown term; did you mean %s", text, near);

	usage_error("-R %s: unknown term (valid: %s)", text, join_names(names, "or"));
}

/* ---- what it says of itself ---------------------------------------------------------- */

char *recon_kinds_names(bool (*is)(const struct recon_kind *k), const char *conjunction)
{
	const char *names[sizeof recon_kinds / sizeof *recon_kinds];
	int n = 0;

	for (const struct recon_kind *k = recon_kinds; NULL != k->name; k++)
		if (NULL == is || is(k))
			names[n++] = k->name;

	names[n] = NULL;

	return join_names(names, conjunction);
}

bool recon_kind_needs_prior(const struct recon_kind *k)
{
	return k->from_prior;
}

bool recon_kind_is_square(const struct recon_kind *k)
{
	return DEGREE_SQUARE == k->degree;
}

static bool is_slow(const struct recon_kind *k)
{
	return PREFERS_WHOLE == k->prefers || PREFERS_OPERATOR == k->prefers;
}

static bool is_without_dims(const struct recon_kind *k)
{
	return !k->noise && !(k->keys & KEY_DIMS);
}

static bool is_never_auto(const struct recon_kind *k)
{
	return k->noise || FACTOR_FIXED == k->factor;
}

char *recon_kinds_placeholder(void)
{
	struct str s = {0};

	for (const struct recon_kind *k = recon_kinds; NULL != k->name; k++) {
		str_add(&s, s.len ? "|" : "");

		for (const char *p = k->syntax; '\0' != *p; p += ('[' == *p) ? strcspn(p, "]") + 1 : 1)
			if ('[' != *p)
				str_printf(&s, "%c", *p);
	}

	return s.data;
}

char *recon_kinds_prior_help(void)
{
	char *names = recon_kinds_names(recon_kind_needs_prior, "and");
	char *help = mem_printf("the prior image of %s, and of terms with the key prior", names);

	free(names);

	return help;
}

char *recon_kinds_details(void)
{
	char *slow = recon_kinds_names(is_slow, "and"), *dimless = recon_kinds_names(is_without_dims, "and"),
	     *fixed = recon_kinds_names(is_never_auto, "and");
	struct str s = {0};

	for (const struct recon_kind *k = recon_kinds; NULL != k->name; k++)
		str_printf(&s, "%s\t%s\n", k->syntax, k->help);

	str_printf(&s,
	        "\n"
	        "L is the factor of a term. The proximal operators of %s are slow. Differences between "
	        "voxels are divided by the voxel spacing [mm]. By default, differences are taken along x, "
	        "y and z, except along dimensions of one voxel. The key dims chooses other dimensions, as "
	        "in tv:L:dims=x,y. The terms %s have no key dims. If dims contains time or channel, as in "
	        "dims=x,y,z,time, all channels and times are reconstructed together. A dimension can have "
	        "a weight: dims=x,y,time=0.5 multiplies differences along time by 0.5. With the key "
	        "prior, as in tv:L:prior, a term acts on the difference between the volume and "
	        "--prior.\n\n"
	        "At most one term may have the factor 'auto'. The option --rule chooses the value of the "
	        "factor 'auto'. The terms %s cannot have the factor 'auto'. With the suffix n, as in "
	        "tv:0.5n, the factor L is in units of the noise. Such a factor suits data of any noise "
	        "level, scale and voxel size. For tv, the unit of L is sigma s h, where sigma is the "
	        "noise and h is the voxel spacing. The square s^2 is the median of sum_i a_ij^2 over the "
	        "voxels j. The numbers a_ij are the elements of the system matrix.\n\n"
	        "S [1/mm] is the standard deviation of the noise that the denoiser METHOD removes. The "
	        "terms pnp and red accept these denoisers as METHOD:\n",
	        slow, dimless, fixed);

	for (const struct denoiser_method *m = denoiser_methods; NULL != m->name; m++) {
		str_printf(&s, "%s\t", m->name);

		if (0 != m->keys)
			str_add(&s, "keys ");

		recon_keys_list(&s, m->keys);
		str_add(&s, (0 == m->keys)      ? "the program of --denoiser\n"
		            : (0 == m->numbers) ? "; no S\n"
		                                : "\n");
	}

	free(slow);
	free(dimless);
	free(fixed);

	return s.data;
}
