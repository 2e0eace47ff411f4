#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_words.h"

#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

enum { SPACE = 3, FRAMES_END = 5, LEVELS = 3 };

enum {
	KEY_DIMS = 1,
	KEY_ANISO = 2,
	KEY_DELTA = 4,
	KEY_ALPHA = 8,
	KEY_LEVELS = 16,
	KEY_FAMILY = 32,
	KEY_RADIUS = 64,
	KEY_PATCH = 128,
	KEY_SEARCH = 256,
	KEY_STRENGTH = 512,
	KEY_SPINS = 1024,
	HAS_DIFFERENCES = 2048, // of neighbours: it needs a dimension of more than one voxel
	HAS_FACTOR = 4096,      // which can be auto
	PER_LENGTH = 8192,      // its differences are divided by the spacing
	IS_SQUARE = 16384,
	IS_COUNT = 32768, // of voxels
	ACROSS = 65536,   // channels and times, unless dims= names others
	KEY_RATIO = 131072,
	HAS_UNKNOWN = 262144, // factor of a term of unknown value
	KEY_PRIOR = 524288,
	KEY_ETA = 1048576
};

/** A kind, or a method of pnp and red, with what it takes. */
struct kind {
	const char *name;
	unsigned takes;
};

static const struct kind kinds[] = {
        {"tv", HAS_DIFFERENCES | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_ANISO | KEY_PRIOR},
        {"htv", HAS_DIFFERENCES | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_DELTA | KEY_PRIOR},
        {"awtv", HAS_DIFFERENCES | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_DELTA | KEY_PRIOR},
        {"piccs", HAS_DIFFERENCES | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_ANISO | KEY_ALPHA},
        {"dtv", HAS_DIFFERENCES | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_ETA},
        {"tgv", HAS_DIFFERENCES | PER_LENGTH | HAS_UNKNOWN | KEY_DIMS | KEY_RATIO | KEY_PRIOR},
        {"ictv", HAS_DIFFERENCES | PER_LENGTH | HAS_UNKNOWN | KEY_DIMS | KEY_RATIO | KEY_PRIOR},
        {"tnv", HAS_DIFFERENCES | ACROSS | PER_LENGTH | HAS_FACTOR | KEY_DIMS | KEY_PRIOR},
        {"wavelet", HAS_DIFFERENCES | HAS_FACTOR | KEY_DIMS | KEY_LEVELS | KEY_FAMILY | KEY_PRIOR},
        {"shearlet", HAS_DIFFERENCES | HAS_FACTOR | KEY_DIMS | KEY_LEVELS | KEY_PRIOR},
        {"l1", HAS_FACTOR | KEY_PRIOR}, {"l2", HAS_FACTOR | IS_SQUARE | KEY_PRIOR},
        {"l0", HAS_FACTOR | IS_COUNT | KEY_PRIOR}, {"l21", HAS_FACTOR | ACROSS | KEY_DIMS | KEY_PRIOR},
        {"nuclear", HAS_FACTOR | ACROSS | KEY_DIMS | KEY_PRIOR},
        {"smooth", HAS_DIFFERENCES | PER_LENGTH | IS_SQUARE | HAS_FACTOR | KEY_DIMS | KEY_PRIOR}, {"box", 0},
        {"nonneg", 0}, {"pnp", HAS_DIFFERENCES}, {"red", HAS_DIFFERENCES}, {NULL, 0}};

static const struct kind methods[] = {{"median", KEY_DIMS | KEY_RADIUS},
        {"nlm", KEY_DIMS | KEY_PATCH | KEY_SEARCH | KEY_STRENGTH},
        {"wavelet", KEY_DIMS | KEY_LEVELS | KEY_FAMILY | KEY_SPINS}, {"tv", KEY_DIMS | PER_LENGTH},
        {"external", 0}, {NULL, 0}};

static const struct kind keys[] = {{"dims", KEY_DIMS}, {"aniso", KEY_ANISO}, {"delta", KEY_DELTA},
        {"alpha", KEY_ALPHA}, {"levels", KEY_LEVELS}, {"family", KEY_FAMILY}, {"radius", KEY_RADIUS},
        {"patch", KEY_PATCH}, {"search", KEY_SEARCH}, {"strength", KEY_STRENGTH}, {"spins", KEY_SPINS},
        {"ratio", KEY_RATIO}, {"eta", KEY_ETA}, {"prior", KEY_PRIOR}, {NULL, 0}};

/** The entry of the table of this name, n characters long; the last one, without a name: none. */
static const struct kind *find(const struct kind *table, const char *name, size_t n)
{
	while (NULL != table->name && (strlen(table->name) != n || 0 != strncmp(table->name, name, n)))
		table++;

	return table;
}

int recon_wavelet_family(const char *option, const char *name)
{
	static const char *const names[] = {"haar", "db2", "db4", NULL};

	for (int i = 0; NULL != names[i]; i++)
		if (0 == strcmp(name, names[i]))
			return i;

	usage_error("%s: family=%s, expected haar, db2 or db4", option, name);
}

bool recon_word_is_denoiser(const struct recon_word *w)
{
	return 0 == strcmp(w->kind, "pnp") || 0 == strcmp(w->kind, "red");
}

bool recon_word_has_levels(const struct recon_word *w)
{
	return 0 != (w->keys & KEY_LEVELS);
}

bool recon_word_has_prior(const struct recon_word *w)
{
	return 0 != (w->keys & KEY_PRIOR);
}

bool recon_word_has_dims(const struct recon_word *w)
{
	return 0 != (w->keys & KEY_DIMS);
}

/* ---- keys ---------------------------------------------------------------- */

/** The keys of a mask, with commas. */
static void list_keys(struct str *s, unsigned mask)
{
	for (const struct kind *k = keys; NULL != k->name; k++)
		if (mask & k->takes)
			str_printf(s, "%s%s", s->len ? ", " : "", k->name);
}

/** Refuses a key that what it belongs to would ignore, and one given twice. */
static void expect_key(struct recon_word *w, const struct kind *owner, const struct kind *key)
{
	if (0 == (owner->takes & key->takes)) {
		struct str valid = {0};

		list_keys(&valid, owner->takes);
		usage_error("-R %s: %s does not take '%s' (valid: %s)", w->text, owner->name, key->name,
		        valid.len ? valid.data : "no key");
	}

	if (w->keys & key->takes)
		usage_error("-R %s: '%s' is given twice", w->text, key->name);

	w->keys |= key->takes;
}

/** The dimension x, y, z, channel or time (0 to 4) of a name. */
static int dimension(const struct recon_word *w, const char *name)
{
	static const char *const names[] = {"x", "y", "z", "channel", "time"};

	for (int d = 0; d < FRAMES_END; d++)
		if (0 == strcmp(name, names[d]) || ('0' + d == name[0] && '\0' == name[1]))
			return d;

	usage_error("-R %s: unknown dimension '%s' in dims (valid: x, y, z, channel, time)", w->text, name);
}

static double dimension_weight(
        const struct recon_word *w, const struct kind *owner, const char *name, const char *value)
{
	if (0 == (owner->takes & PER_LENGTH))
		usage_error("-R %s: %s has no differences that a weight of %s could change (remove '=%s')",
		        w->text, owner->name, name, value);

	const double v = parse_double(value, "-R dims");

	if (!(v > 0.) || !isfinite(v))
		usage_error(
		        "-R %s: the weight of %s is %g, expected a finite number above 0", w->text, name, v);

	return v;
}

/** NAME[=WEIGHT],.. */
static void take_dims(struct recon_word *w, const struct kind *owner, const char *list, const long dims[DIMS])
{
	char *copy = mem_strdup(list), *rest = copy;

	w->flags = 0;

	for (char *value; NULL != (value = strsep(&rest, ","));) {
		const char *name = strsep(&value, "=");
		const int d = dimension(w, name);

		if (w->flags & (1ul << d))
			usage_error("-R %s: dims contains %s twice", w->text, name);

		if (1 == dims[d])
			usage_error("-R %s: the volume has one voxel along %s (remove it from dims)", w->text,
			        name);

		if (NULL != value)
			w->weight[d] = dimension_weight(w, owner, name, value);

		w->flags |= 1ul << d;
	}

	free(copy);
}

static void take_key(struct recon_word *w, const struct kind *owner, unsigned key, const char *part,
        const char *value, const long dims[DIMS])
{
	if (KEY_DIMS == key)
		take_dims(w, owner, value, dims);
	else if (KEY_ANISO == key)
		w->aniso = true;
	else if (KEY_DELTA == key)
		w->delta = parse_double(value, "-R delta");
	else if (KEY_ALPHA == key)
		w->alpha = parse_double(value, "-R alpha");
	else if (KEY_ETA == key)
		w->eta = parse_double(value, "-R eta");
	else if (KEY_RATIO == key)
		w->ratio = parse_double(value, "-R ratio");
	else if (KEY_LEVELS == key)
		w->levels = parse_long(value, "-R levels");
	else if (KEY_FAMILY == key)
		w->family = recon_wavelet_family("-R", value);
	else
		denoiser_key(&w->denoiser, part);

	if (w->levels < 1)
		usage_error("-R %s: levels=%ld, expected at least 1", w->text, w->levels);
}

/* ---- words --------------------------------------------------------------- */

/** Why the number cannot be auto, where it cannot. */
static void expect_automatic(const struct recon_word *w, const struct kind *kind)
{
	if (kind->takes & HAS_FACTOR)
		return;

	if (0 == strcmp(w->kind, "red") && (1 == w->n || 0 == strcmp(w->method, "median")))
		usage_error("-R %s: the factor of red cannot be auto, since the value of its term is unknown "
		            "(give a number)",
		        w->text);

	if (recon_word_is_denoiser(w))
		usage_error("-R %s: the noise of a denoiser cannot be auto (give its standard deviation "
		            "[1/mm])",
		        w->text);

	if (kind->takes & HAS_UNKNOWN)
		usage_error("-R %s: the factor of %s cannot be auto, since the value of its term is unknown "
		            "(give a number)",
		        w->text, w->kind);

	usage_error("-R %s: %s has no factor that could be auto", w->text, w->kind);
}

/** Whether the number is relative to the noise, as 0.5n. */
static bool is_relative(const char *part)
{
	const size_t n = strlen(part);

	return 1 < n && 'n' == part[n - 1] && NULL != strchr("0123456789.", part[n - 2]);
}

static void take_number(struct recon_word *w, const struct kind *kind, const char *part, double automatic)
{
	if (WORD_NUMBERS == w->n)
		usage_error("-R %s: '%s' is a number too many", w->text, part);

	if (0 == strcmp(part, "auto")) {
		expect_automatic(w, kind);
		w->automatic = true;
		w->v[w->n++] = automatic;
		return;
	}

	w->relative = is_relative(part);

	if (w->relative && !(kind->takes & (HAS_FACTOR | HAS_UNKNOWN)))
		usage_error("-R %s: %s has no factor that could be relative to the noise (remove the n)",
		        w->text, w->kind);

	char *what = mem_printf("-R %s", w->text);
	char *digits = mem_printf("%.*s", (int)(strlen(part) - w->relative), part);

	w->v[w->n++] = parse_double_inf(digits, what);
	free(digits);
	free(what);
}

static void take_part(struct recon_word *w, const struct kind *kind, const struct kind *owner,
        const char *part, const long dims[DIMS], double automatic)
{
	const size_t n = strcspn(part, "=");
	const struct kind *key = find(keys, part, n);
	const bool flag = 0 != ((KEY_ANISO | KEY_PRIOR) & key->takes);

	if ('=' != part[n] && !flag) {
		take_number(w, kind, part, automatic);
		return;
	}

	if (NULL == key->name || flag != ('\0' == part[n])) {
		struct str valid = {0};

		list_keys(&valid, owner->takes);
		usage_error("-R %s: unknown key '%s' (valid: %s)", w->text, part,
		        valid.len ? valid.data : "no key");
	}

	expect_key(w, owner, key);
	take_key(w, owner, key->takes, part, flag ? "" : part + n + 1, dims);
}

/** The kind of a word, and what its keys belong to: the kind itself or the method of a denoiser. */
static const struct kind *kind_of(const struct recon_word *w)
{
	const struct kind *kind = find(kinds, w->kind, strlen(w->kind));
	const char *names[sizeof kinds / sizeof *kinds];

	if (NULL != kind->name)
		return kind;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		names[i] = kinds[i].name;

	const char *near = nearest_name(w->kind, names);

	if (NULL != near)
		usage_error("-R %s: no such kind of term; did you mean %s", w->text, near);

	struct str all = {0};

	for (int i = 0; NULL != names[i]; i++)
		str_printf(&all, "%s%s", i ? ", " : "", names[i]);

	usage_error("-R %s: no such kind of term, expected one of %s", w->text, all.data);
}

static const struct kind *method_of(const struct recon_word *w)
{
	const struct kind *method = find(
	        methods, (NULL == w->method) ? "" : w->method, (NULL == w->method) ? 0 : strlen(w->method));

	if (NULL == method->name)
		usage_error("-R %s: the denoiser is %s, expected median, nlm, wavelet, tv or external",
		        w->text, (NULL == w->method) ? "left out" : w->method);

	return method;
}

void recon_word_split(struct recon_word *w, const char *text, const long dims[DIMS], double automatic)
{
	*w = (struct recon_word){.text = text,
	        .copy = mem_strdup(text),
	        .alpha = 0.5,
	        .levels = LEVELS,
	        .family = WAVELET_HAAR,
	        .denoiser = DENOISER_DEFAULTS};

	char *rest = w->copy;

	w->kind = strsep(&rest, ":");

	const struct kind *kind = kind_of(w), *owner = kind;

	if (recon_word_is_denoiser(w)) {
		w->method = strsep(&rest, ":");
		owner = method_of(w);
	}

	for (int d = 0; d < DIMS; d++)
		w->weight[d] = 1.;

	const bool across = 0 != (kind->takes & ACROSS), space = !across || (kind->takes & HAS_DIFFERENCES);

	for (int d = space ? 0 : SPACE; d < (across ? FRAMES_END : SPACE); d++)
		w->flags |= (1 < dims[d]) ? 1ul << d : 0;

	for (char *part; NULL != (part = strsep(&rest, ":"));)
		take_part(w, kind, owner, part, dims, automatic);

	if (0 == w->flags && across)
		usage_error("-R %s: there is one channel and one time, expected more (or name other "
		            "dimensions in dims=)",
		        w->text);

	if (0 == w->flags && (kind->takes & HAS_DIFFERENCES))
		usage_error("-R %s: the volume is a single voxel, expected more", w->text);
}

void recon_word_free(struct recon_word *w)
{
	free(w->copy);
}

bool recon_word_is_square(const struct recon_word *w)
{
	return 0 != (find(kinds, w->kind, strlen(w->kind))->takes & IS_SQUARE);
}

bool recon_word_has_edges(const struct recon_word *w)
{
	return !recon_word_is_square(w) && 0 != (find(kinds, w->kind, strlen(w->kind))->takes & PER_LENGTH);
}

double recon_word_unit(const struct recon_word *w, const struct recon_unit *u, const double spacing[3])
{
	const struct kind *kind = find(kinds, w->kind, strlen(w->kind));
	double h = 1., dims = 0.;

	for (int d = 0; d < SPACE; d++)
		if (w->flags & (1ul << d)) {
			h *= spacing[d];
			dims++;
		}

	return recon_unit_factor(u,
	        (kind->takes & IS_SQUARE)  ? 2
	        : (kind->takes & IS_COUNT) ? 0
	                                   : 1,
	        (kind->takes & PER_LENGTH) ? 1 : 0, pow(h, 1. / dims));
}

double recon_word_factor(const struct recon_word *w)
{
	if (1 != w->n)
		usage_error("-R %s: found %d numbers, expected one: %s:L", w->text, w->n, w->kind);

	if (!(w->v[0] >= 0.) || !isfinite(w->v[0]))
		usage_error(
		        "-R %s: the factor is %g, expected a finite number not below 0", w->text, w->v[0]);

	return w->v[0];
}
