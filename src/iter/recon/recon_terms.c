#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_terms.h"

#include "iter/functional/functionals.h"
#include "iter/recon/recon_kinds.h"
#include "iter/recon/recon_words.h"
#include "iter/monitor/values.h"
#include "linops/wavelet/wavelet.h"
#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"

enum { SPACE = 3 };

void *recon_load_prior(const struct recon_word *w, const struct term_place *at)
{
	struct cfl *f = at->files->prior;

	if (NULL == f)
		usage_error("-R %s: expected --prior VOL", w->text);

	const long n = md_calc_size(at->D, at->dims);
	void *x = mem_calloc((size_t)n, dtype_size(at->type));

	if (at->files->dry_run)
		return x;

	for (int d = 0; d < DIMS; d++)
		if (f->hdr.dims[d] != at->dims[d] && (d < SPACE || 1 != f->hdr.dims[d]))
			error("--prior %s is %s, expected %ld x %ld x %ld like the volume (or use --like %s)",
			        f->name, hdr_shape(&f->hdr), at->dims[0], at->dims[1], at->dims[2], f->name);

	if (dtype_is_complex(f->hdr.type) && !dtype_is_complex(at->type))
		error("--prior %s is %s, expected a real type, as the volume is real", f->name,
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

void recon_terms_add(struct recon_terms *t, struct functional *g, struct linop *B)
{
	t->term[t->n++] = (struct iter_term){g, B};
}

void recon_terms_move(struct recon_terms *t, struct iter_term *term, const struct recon_word *w,
        const struct term_place *at)
{
	if (0 == strcmp("irn", at->a->name)) // its weights are for what is smallest at 0
		usage_error(
		        "-R %s: irn does not support terms with a prior (use spdhg, pdhg or admm)", w->text);

	void *prior = recon_load_prior(w, at);
	const long n = functional_size(term->g);
	int owned = 0;

	while (NULL != t->owned[owned])
		owned++;

	*at->bytes += n * (long)dtype_size(at->type);
	t->owned[owned] = prior;

	if (NULL != term->B) {
		t->owned[owned] = mem_alloc((size_t)n * dtype_size(at->type));
		linop_forward(term->B, t->owned[owned], prior);
		free(prior);
	}

	struct functional *moved = functional_translate_create(term->g, t->owned[owned]);

	functional_free(term->g);
	term->g = moved;
}

/** As many levels as asked for; where they were not, those of the default that the volume has. */
static void check_levels(const struct recon_word *w, const struct term_place *at)
{
	const long most = wavelet_max_levels(at->D, at->dims, w->flags);

	if (0 < w->kind->levels && w->levels > w->kind->levels)
		usage_error("-R %s: levels=%ld, expected at most %ld", w->text, w->levels, w->kind->levels);

	if (0 == w->kind->levels && recon_word_has_levels(w) && !at->files->dry_run && w->levels > most)
		usage_error("-R %s: levels=%ld, but the volume has at most %ld along these dimensions",
		        w->text, w->levels, most);
}

/** A factor in units of the noise becomes a number; that of an automatic one is noted. */
static void make_absolute(struct recon_terms *t, struct recon_word *w, const struct term_place *at)
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

static void add(struct recon_terms *t, const char *text, const struct term_place *at)
{
	const double automatic = at->files->automatic;
	const int first = t->n;
	struct recon_word w;

	recon_word_split(&w, text, at->dims, (0. != automatic) ? automatic : 1.);
	check_levels(&w, at);
	make_absolute(t, &w, at);
	w.kind->create(t, &w, at);

	for (int i = first; i < t->n && recon_word_has_prior(&w); i++)
		recon_terms_move(t, t->term + i, &w, at);

	if (w.automatic && 0 <= t->automatic)
		usage_error("-R %s: only one term can have the factor auto", text);

	if (w.automatic) {
		t->automatic = first;
		t->automatic_end = t->n;
		t->square = recon_kind_is_square(w.kind);
		t->edges = recon_word_has_edges(&w);
	}
}

/** The words, or those of the algorithm where there are none. */
static const char *word(const struct opt_list *words, const struct algorithm *a, int i)
{
	if (0 < words->n)
		return (i < words->n) ? words->v[i] : NULL;

	return (NULL != a->words) ? a->words[i] : NULL;
}

/** Whether a word is of --prior, or runs the program of --denoiser. */
static bool refers_to_prior(const struct recon_word *w)
{
	return w->kind->from_prior || recon_word_has_prior(w);
}

static bool refers_to_program(const struct recon_word *w)
{
	return NULL != w->method && w->method->program;
}

static bool any(const struct opt_list *words, const struct algorithm *a, const long dims[DIMS],
        bool (*is)(const struct recon_word *w))
{
	bool found = false;

	for (int i = 0; !found && NULL != word(words, a, i); i++) {
		struct recon_word w;

		recon_word_split(&w, word(words, a, i), dims, 1.);
		found = is(&w);
	}

	return found;
}

bool recon_terms_couple(const struct opt_list *words, const struct algorithm *a, const long dims[DIMS])
{
	unsigned long flags = 0;

	for (int i = 0; NULL != word(words, a, i); i++) {
		struct recon_word w;

		recon_word_split(&w, word(words, a, i), dims, 1.);
		flags |= w.flags;
	}

	return 0 != flags >> SPACE;
}

void recon_terms_create(struct recon_terms *t, const struct opt_list *words, const struct algorithm *a,
        const struct recon_terms_files *files, const struct recon_unknown *x)
{
	int count = 0;

	while (NULL != word(words, a, count))
		count++;

	if (NULL != files->prior && !any(words, a, x->dims, refers_to_prior))
		usage_error("--prior has no effect without -R %s or a term such as -R tv:L:prior",
		        recon_kinds_names(recon_kind_needs_prior, "or"));

	if (NULL != files->denoiser && !any(words, a, x->dims, refers_to_program))
		usage_error("--denoiser has no effect without -R pnp:external:S or red:external:S:L");

	const struct term_place at = {a, x->type, x->D, x->dims, x->spacing, files, &t->bytes};

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
