/* Each kind of term of -R and each denoiser, walked by their tables: what a row says is what the term does.
 */

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "iter/recon/recon_choose.h"
#include "iter/recon/recon_kinds.h"
#include "misc/mem.h"
#include "num/md/rand.h"

enum { NX = 8, NY = 8, TIMES = 3, N = NX * NY * TIMES };

static const long dims[DIMS] = {NX, NY, 1, 1, TIMES, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/** What a word is made for: x times a, spacings of space h times those of the test, D of the syntax as a
 * number. */
struct at {
	double a, h, delta;
};

static const struct at as_is = {1., 1., 0.3};

/** A word by the syntax: each [part] left out, each letter a number, METHOD a denoiser. malloc'd. */
static char *word_of(const struct recon_kind *k, const struct denoiser_method *m, double delta)
{
	char *text = mem_strdup(k->syntax), *rest = text;
	struct str s = {0};

	*strchrnul(text, '[') = '\0';

	for (char *part; NULL != (part = strsep(&rest, ":"));) {
		if (0 == strcmp(part, "S") && 0 == m->numbers)
			continue;

		str_add(&s, s.len ? ":" : "");

		if (0 == strcmp(part, "METHOD"))
			str_add(&s, m->name);
		else if (0 == strcmp(part, "L") || 0 == strcmp(part, "S"))
			str_add(&s, "0.2");
		else if (0 == strcmp(part, "LO") || 0 == strcmp(part, "HI"))
			str_add(&s, ('L' == *part) ? "-9" : "9");
		else if (0 == strcmp(part, "delta=D"))
			str_printf(&s, "delta=%g", delta);
		else
			str_add(&s, part);
	}

	free(text);

	return s.data;
}

static const struct algorithm *choice(const char *word)
{
	const char *words[] = {word};
	struct recon_opts o = RECON_DEFAULTS;

	o.terms = (struct opt_list){1, words};

	return recon_choose(&o);
}

static void create(struct recon_terms *t, const char *word, const struct algorithm *a, double h)
{
	static struct cfl prior; // is taken for 0 in a dry_run
	const char *words[] = {word};
	struct recon_unknown x = {.type = DT_FLOAT64, .D = 5};
	const struct recon_terms_files files = {.prior = &prior, .denoiser = "x {in} {out}", .dry_run = true};
	struct recon_terms_files own = files;

	for (int d = 0; d < DIMS; d++) {
		x.dims[d] = dims[d];
		x.spacing[d] = (d < 3) ? h * (0.5 + 0.25 * d) : 1.;
	}

	if (!recon_kind_find(word)->from_prior && NULL == strstr(word, ":prior"))
		own.prior = NULL;

	if (NULL == strstr(word, ":external"))
		own.denoiser = NULL;

	recon_terms_create(t, &(struct opt_list){1, words}, a, &own, &x);
}

static double value_of(const struct recon_terms *t, double a)
{
	double x[N], sum = 0.;

	for (long i = 0; i < N; i++)
		x[i] = a * (double)rand_normal(3, (uint64_t)i);

	for (int i = 0; i < t->n; i++) {
		double *z = mem_alloc((size_t)functional_size(t->term[i].g) * sizeof *z);

		if (NULL == t->term[i].B)
			memcpy(z, x, sizeof x);
		else
			linop_forward(t->term[i].B, z, x);

		sum += functional_value(t->term[i].g, z);
		free(z);
	}

	return sum;
}

static double value(const struct recon_kind *k, struct at at)
{
	char *word = word_of(k, denoiser_methods, at.delta);
	struct recon_terms t;

	create(&t, word, choice(word), at.h);

	const double v = value_of(&t, at.a);

	recon_terms_free(&t);
	free(word);

	return v;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_value(const struct recon_kind *k)
{
	const double v = value(k, as_is), power = pow(2., (double)k->degree);

	if (FACTOR_NONE == k->factor) {
		check(k->noise || 0. == value(k, (struct at){0., 1., 1.}),
		        "%s: costs nothing where it is met", k->name);
		return;
	}

	check((FACTOR_FIXED == k->factor) == isnan(v), "%s: a value unless its factor is fixed", k->name);

	if (isnan(v))
		return;

	check(v > 0. && near(value(k, (struct at){2., 1., 0.6}), power * v), "%s: degree %d", k->name,
	        (int)k->degree);
	check(near(value(k, (struct at){1., 0.5, 0.6}), (k->lengths ? power : 1.) * v),
	        "%s: what smaller voxels change", k->name);
}

/** An algorithm that takes the term, which is as smooth as the row says. */
static void test_choice(const struct recon_kind *k, const struct denoiser_method *m)
{
	char *word = word_of(k, m, 0.3);
	const struct algorithm *a = choice(word);
	const struct linop *A = linop_identity_create(DT_FLOAT64, 5, dims);
	double y[N] = {0.};
	struct recon_terms t;
	bool smooth = true, operators = false;

	create(&t, word, a, 1.);

	for (int i = 0; i < t.n; i++) {
		smooth = smooth && functional_is_smooth(t.term[i].g);
		operators = operators || NULL != t.term[i].B;
	}

	const struct iter_problem p = {.A = A, .y = y, .terms = t.n, .term = t.term};
	const char *why = algorithm_refuses(a, &p);

	check(NULL == why, "%s: %s%s%s takes it", word, a->name, why ? " " : "", why ? why : "");

	if (PREFERS_RED != k->prefers && PREFERS_DESCENT != k->prefers)
		check(smooth == (PREFERS_GRADIENT == k->prefers), "%s: a gradient or none", word);

	check(operators || PREFERS_OPERATOR != k->prefers, "%s: an operator", word);
	recon_terms_free(&t);
	linop_free((struct linop *)A);
	free(word);
}

static void test_words(const struct recon_kind *k)
{
	char *all = recon_kinds_placeholder(), *details = recon_kinds_details();
	char *plain = word_of(k, denoiser_methods, 0.3);
	const size_t n = strlen(k->name);

	check(0 == strncmp(k->syntax, k->name, n) && strchr(":", k->syntax[n]), "%s: its syntax begins so",
	        k->name);
	check(recon_kind_find(plain) == k, "%s: is found by its word", k->name);
	check(NULL != strstr(details, k->help), "%s: the help says what it is", k->name);
	check(NULL != strstr(all, k->name), "%s: the completion knows it", k->name);
	check(!(k->from_prior && (k->keys & KEY_PRIOR)), "%s: one prior", k->name);
	free(plain);
	free(all);
	free(details);
}

/* ---- keys: those of the syntax and of the row are the same ones ---- */

static const struct {
	const char *name, *text;
	enum recon_key key;
} keys[] = {{"dims", "dims=x", KEY_DIMS}, {"aniso", "aniso", KEY_ANISO}, {"delta", "delta=1", KEY_DELTA},
        {"alpha", "alpha=0.2", KEY_ALPHA}, {"levels", "levels=1", KEY_LEVELS},
        {"family", "family=db2", KEY_FAMILY}, {"radius", "radius=2", KEY_RADIUS},
        {"patch", "patch=2", KEY_PATCH}, {"search", "search=2", KEY_SEARCH},
        {"strength", "strength=2", KEY_STRENGTH}, {"width", "width=2", KEY_WIDTH},
        {"steps", "steps=2", KEY_STEPS}, {"spins", "spins=2", KEY_SPINS}, {"ratio", "ratio=2", KEY_RATIO},
        {"prior", "prior", KEY_PRIOR}, {"eta", "eta=2", KEY_ETA}};

static const char *given;

static void split(void)
{
	struct recon_word w;

	recon_word_split(&w, given, dims, 1.);
	_exit(0);
}

static void test_key(const struct recon_kind *k, const struct denoiser_method *m, size_t i)
{
	const unsigned takes = (NULL == m) ? k->keys : m->keys;
	char *as_key = mem_printf(":%s", keys[i].name), text[4096];
	char *word = (NULL == m) ? mem_printf("%s:%s", k->name, keys[i].text)
	                         : mem_printf("%s:%s:%s", k->name, m->name, keys[i].text);

	given = word;
	check((0 == status_of(split, text, sizeof text)) == (0 != (takes & keys[i].key)), "%s is %s", word,
	        (takes & keys[i].key) ? "taken" : "refused");

	if (NULL == m && KEY_DIMS != keys[i].key && KEY_PRIOR != keys[i].key)
		check((NULL != strstr(k->syntax, as_key)) == (0 != (takes & keys[i].key)),
		        "%s: its syntax has %s or not", k->name, keys[i].name);

	free(as_key);
	free(word);
}

static void test_numbers(const struct recon_kind *k)
{
	char *automatic = mem_printf("%s:%sauto", k->name, k->noise ? "median:" : ""),
	     *relative = mem_printf("%s:%s0.5n", k->name, k->noise ? "median:" : ""), text[4096];

	given = automatic;
	check((0 == status_of(split, text, sizeof text)) == (FACTOR_AUTO == k->factor), "%s is %s", automatic,
	        (FACTOR_AUTO == k->factor) ? "taken" : "refused");
	given = relative;
	check((0 == status_of(split, text, sizeof text)) == (FACTOR_NONE != k->factor && !k->noise),
	        "%s is %s", relative, (FACTOR_NONE != k->factor && !k->noise) ? "taken" : "refused");
	free(automatic);
	free(relative);
}

static void split_unknown(void)
{
	given = "no-such-term-at-all:1";
	split();
}

int main(void)
{
	for (const struct recon_kind *k = recon_kinds; NULL != k->name; k++) {
		test_words(k);
		test_value(k);
		test_numbers(k);

		for (const struct denoiser_method *m = denoiser_methods; NULL != m->name; m++) {
			if (k->noise || m == denoiser_methods)
				test_choice(k, m);

			for (size_t i = 0;
			        (k->noise || m == denoiser_methods) && i < sizeof keys / sizeof *keys; i++)
				test_key(k, k->noise ? m : NULL, i);
		}

		check_ends(2, k->name, split_unknown, "an unknown kind: the sentence names all");
	}

	return 0 != checks_failed;
}
