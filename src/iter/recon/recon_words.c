#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "iter/recon/recon_words.h"

#include "iter/recon/recon_kinds.h"
#include "linops/wavelet/wavelet.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

enum { SPACE = 3, FRAMES_END = 5, LEVELS = 3 };

static const struct {
	const char *name;
	enum recon_key key;
	bool flag; // without a value
} keys[] = {{"dims", KEY_DIMS, false}, {"aniso", KEY_ANISO, true}, {"delta", KEY_DELTA, false},
        {"alpha", KEY_ALPHA, false}, {"levels", KEY_LEVELS, false}, {"family", KEY_FAMILY, false},
        {"radius", KEY_RADIUS, false}, {"patch", KEY_PATCH, false}, {"search", KEY_SEARCH, false},
        {"strength", KEY_STRENGTH, false}, {"width", KEY_WIDTH, false}, {"steps", KEY_STEPS, false},
        {"spins", KEY_SPINS, false}, {"ratio", KEY_RATIO, false}, {"eta", KEY_ETA, false},
        {"prior", KEY_PRIOR, true}};

enum { KEYS = sizeof keys / sizeof *keys };

/** The owner of keys: a kind of term, or the method of a denoiser. */
struct owner {
	const char *name;
	unsigned keys;
	bool lengths; // its differences are divided by the spacing
};

static struct owner owner_of(const struct recon_word *w)
{
	return (NULL == w->method) ? (struct owner){w->kind->name, w->kind->keys, w->kind->lengths}
	                           : (struct owner){w->method->name, w->method->keys, w->method->lengths};
}

int recon_wavelet_family(const char *option, const char *name)
{
	static const char *const names[] = {"haar", "db2", "db4", NULL};

	for (int i = 0; NULL != names[i]; i++)
		if (0 == strcmp(name, names[i]))
			return i;

	usage_error("%s: family=%s, expected haar, db2 or db4", option, name);
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

void recon_keys_list(struct str *s, unsigned mask)
{
	bool first = true;

	for (int i = 0; i < KEYS; i++)
		if (mask & keys[i].key) {
			str_printf(s, "%s%s", first ? "" : ", ", keys[i].name);
			first = false;
		}
}

/** "dims, aniso", of what a word takes. malloc'd. */
static char *valid_keys(const struct owner *owner)
{
	struct str s = {0};

	recon_keys_list(&s, owner->keys);

	return (NULL == s.data) ? mem_strdup("no key") : s.data;
}

/** Refuses a key that what it belongs to would ignore, and one given twice. */
static void expect_key(struct recon_word *w, const struct owner *owner, int key)
{
	if (0 == (owner->keys & keys[key].key))
		usage_error("-R %s: %s does not take '%s' (valid: %s)", w->text, owner->name, keys[key].name,
		        valid_keys(owner));

	if (w->keys & keys[key].key)
		usage_error("-R %s: '%s' is given twice", w->text, keys[key].name);

	w->keys |= keys[key].key;
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
        const struct recon_word *w, const struct owner *owner, const char *name, const char *value)
{
	if (!owner->lengths)
		usage_error("-R %s: %s does not use differences along dimensions, so a weight of %s has no "
		            "effect (remove '=%s')",
		        w->text, owner->name, name, value);

	const double v = parse_double(value, "-R dims");

	if (!(v > 0.) || !isfinite(v))
		usage_error(
		        "-R %s: the weight of %s is %g, expected a finite number above 0", w->text, name, v);

	return v;
}

/** NAME[=WEIGHT],.. */
static void take_dims(
        struct recon_word *w, const struct owner *owner, const char *list, const long dims[DIMS])
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

/** The value of a key whose default depends on the volume. */
static double above_zero(const struct recon_word *w, const char *key, const char *value)
{
	char what[16];

	snprintf(what, sizeof what, "-R %s", key);

	const double v = parse_double(value, what);

	if (!(v > 0.))
		usage_error("-R %s: %s=%g, expected a finite number above 0", w->text, key, v);

	return v;
}

static void take_key(struct recon_word *w, const struct owner *owner, enum recon_key key, const char *part,
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
		w->eta = above_zero(w, "eta", value);
	else if (KEY_RATIO == key)
		w->ratio = above_zero(w, "ratio", value);
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
static void expect_automatic(const struct recon_word *w)
{
	const bool noise = NULL != w->method && w->n < w->method->numbers;

	if (FACTOR_AUTO == w->kind->factor)
		return;

	if (FACTOR_FIXED == w->kind->factor && !noise)
		usage_error("-R %s: the factor of %s cannot be auto, since the value of this term is "
		            "unknown (give a number)",
		        w->text, w->kind->name);

	if (NULL != w->method)
		usage_error("-R %s: the noise of a denoiser cannot be auto (give its standard deviation "
		            "[1/mm])",
		        w->text);

	usage_error("-R %s: %s has no factor that could be auto", w->text, w->kind->name);
}

/** Whether the number is relative to the noise, as 0.5n. */
static bool is_relative(const char *part)
{
	const size_t n = strlen(part);

	return 1 < n && 'n' == part[n - 1] && NULL != strchr("0123456789.", part[n - 2]);
}

static void take_number(struct recon_word *w, const char *part, double automatic)
{
	if (WORD_NUMBERS == w->n)
		usage_error("-R %s: unexpected number '%s'", w->text, part);

	if (0 == strcmp(part, "auto")) {
		expect_automatic(w);
		w->automatic = true;
		w->v[w->n++] = automatic;
		return;
	}

	w->relative = is_relative(part);

	if (w->relative && (FACTOR_NONE == w->kind->factor || NULL != w->method))
		usage_error("-R %s: %s has no factor that could be relative to the noise (remove the n)",
		        w->text, w->kind->name);

	char *what = mem_printf("-R %s", w->text);
	char *digits = mem_printf("%.*s", (int)(strlen(part) - w->relative), part);

	w->v[w->n++] = parse_double_inf(digits, what);
	free(digits);
	free(what);
}

/** The key of a name, n characters long; KEYS: there is none. */
static int find_key(const char *name, size_t n)
{
	int i = 0;

	while (i < KEYS && (strlen(keys[i].name) != n || 0 != strncmp(keys[i].name, name, n)))
		i++;

	return i;
}

static void take_part(struct recon_word *w, const char *part, const long dims[DIMS], double automatic)
{
	const struct owner owner = owner_of(w);
	const size_t n = strcspn(part, "=");
	const int key = find_key(part, n);
	const bool flag = key < KEYS && keys[key].flag;

	if ('=' != part[n] && !flag) {
		take_number(w, part, automatic);
		return;
	}

	if (KEYS == key || flag != ('\0' == part[n]))
		usage_error("-R %s: unknown key '%s' (valid: %s)", w->text, part, valid_keys(&owner));

	expect_key(w, &owner, key);
	take_key(w, &owner, keys[key].key, part, flag ? "" : part + n + 1, dims);
}

void recon_word_split(struct recon_word *w, const char *text, const long dims[DIMS], double automatic)
{
	char *copy = mem_strdup(text), *rest = copy;

	*w = (struct recon_word){.text = text,
	        .kind = recon_kind_of(text, strsep(&rest, ":")),
	        .alpha = 0.5,
	        .levels = LEVELS,
	        .family = WAVELET_HAAR,
	        .denoiser = DENOISER_DEFAULTS};

	if (w->kind->noise)
		w->method = denoiser_method_of(text, strsep(&rest, ":"));

	for (int d = 0; d < DIMS; d++)
		w->weight[d] = 1.;

	const bool across = 0 != (w->kind->extent & EXTENT_FRAMES),
	           space = 0 != (w->kind->extent & EXTENT_SPACE);

	for (int d = (across && !space) ? SPACE : 0; d < (across ? FRAMES_END : SPACE); d++)
		w->flags |= (1 < dims[d]) ? 1ul << d : 0;

	for (char *part; NULL != (part = strsep(&rest, ":"));)
		take_part(w, part, dims, automatic);

	free(copy);

	if (0 == w->flags && across)
		usage_error("-R %s: the volume has a single channel and a single time (name other "
		            "dimensions in dims=)",
		        w->text);

	if (0 == w->flags && space)
		usage_error("-R %s: the volume is a single voxel, expected at least two", w->text);
}

bool recon_word_has_edges(const struct recon_word *w)
{
	return DEGREE_LENGTH == w->kind->degree && w->kind->lengths;
}

double recon_word_unit(const struct recon_word *w, const struct recon_unit *u, const double spacing[3])
{
	double h = 1., dims = 0.;

	for (int d = 0; d < SPACE; d++)
		if (w->flags & (1ul << d)) {
			h *= spacing[d];
			dims++;
		}

	return recon_unit_factor(u, (int)w->kind->degree, w->kind->lengths ? 1 : 0, pow(h, 1. / dims));
}

double recon_word_factor(const struct recon_word *w)
{
	if (1 != w->n)
		usage_error("-R %s: found %d numbers, expected one (%s:L)", w->text, w->n, w->kind->name);

	if (!(w->v[0] >= 0.) || !isfinite(w->v[0]))
		usage_error(
		        "-R %s: the factor is %g, expected a finite number not below 0", w->text, w->v[0]);

	return w->v[0];
}
