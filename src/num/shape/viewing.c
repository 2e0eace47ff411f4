/** Steps of a view: parsed and applied one after the other. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/shape/shaping.h"
#include "num/shape/viewing.h"

/** A place in the text. */
struct cursor {
	const char *text, *p;
	struct viewing *w;
};

/* "column 5 of '[::2, 9]'", for messages; kept until the next call. */
static const char *where(const struct cursor *c, const char *p)
{
	static char *said;

	free(said);
	said = mem_printf("column %ld of '%s'", (long)(p - c->text) + 1, c->text);
	return said;
}

static _Noreturn void __attribute__((format(printf, 2, 3)))
wrong(const struct cursor *c, const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	usage_error("%s: %s", where(c, c->p), s.data);
}

static void skip_blanks(struct cursor *c)
{
	c->p += strspn(c->p, " \t\n");
}

static bool accept(struct cursor *c, char sign)
{
	skip_blanks(c);

	if (sign != *c->p)
		return false;

	c->p++;
	return true;
}

static void expect(struct cursor *c, char sign)
{
	if (!accept(c, sign))
		wrong(c, "found '%s', expected '%c'", c->p, sign);
}

/* The characters up to one of `ends`, without blanks; malloc'd. */
static char *word(struct cursor *c, const char *ends)
{
	size_t n = strcspn(c->p, ends), m = 0;
	char *text = mem_calloc(n + 1, 1);

	for (size_t i = 0; i < n; i++)
		if (!isspace((unsigned char)c->p[i]))
			text[m++] = c->p[i];

	if (0 == m)
		wrong(c, "expected a value, found nothing");

	c->p += n;
	return text;
}

/* ---- steps ---- */

static void replace(struct viewing *w, struct array *v)
{
	if (!v)
		return;

	array_free(w->v);
	w->v = v;
}

static void slice(struct viewing *w, int d, long start, long step, long n)
{
	bool whole = 0 == start && 1 == step && n == w->h.dims[d];

	if (whole)
		return;

	replace(w, array_slice(w->v, d, start, step, n));
	shaping_subrange(&w->h, d, start, step, n);
	shaping_touched(&w->h, 1UL << d);
}

static void permute(struct viewing *w, const int order[DIMS])
{
	unsigned long moved = 0;

	for (int d = 0; d < DIMS; d++)
		moved |= order[d] == d ? 0 : 1UL << d;

	replace(w, array_permute(w->v, order));
	shaping_permute_grid(&w->h, order);
	shaping_touched(&w->h, moved);
	md_copy_dims(DIMS, w->h.dims, w->v->dims);
}

/* Along dim d only the elements that the index object names. */
static void pick(struct cursor *c, int d, struct index *x)
{
	struct viewing *w = c->w;
	long n = index_count(x);

	if (0 == n)
		wrong(c, "nothing is left along dimension %d, expected at least one element", d);

	if (index_is_range(x)) {
		slice(w, d, index_at(x, 0), n > 1 ? index_at(x, 1) - index_at(x, 0) : 1, n);
		index_free(x);
		return;
	}

	w->gathered = d;
	w->picks = x;
	w->h.dims[d] = n;
	w->h.spacing[d] = 1;
	w->h.origin[d] = NAN;
	shaping_touched(&w->h, 1UL << d);
}

/* ---- brackets ---- */

struct item {
	const char *at; // in the text
	char *text;
	bool list;
};

/* "[ITEM, ITEM, ..]" behind its bracket; returns how many. */
static int read_items(struct cursor *c, struct item items[DIMS + 1])
{
	int n = 0;

	do {
		if (n > DIMS)
			wrong(c, "more than %d dimensions", (int)DIMS);

		struct item *i = &items[n++];

		i->list = accept(c, '[');
		i->at = c->p + strspn(c->p, " \t\n");
		i->text = word(c, i->list ? "]" : ",]");

		if (i->list)
			expect(c, ']');
	} while (accept(c, ','));

	expect(c, ']');
	return n;
}

/* A list of numbers as dim 0, whatever dim of its file they are in. */
static struct array *line_of(struct cursor *c, const struct array *a, const char *name)
{
	if (!a)
		wrong(c, "%s is not known, expected --%s with an array", name, name);

	for (int d = 0; d < DIMS; d++)
		if (1 != a->dims[d] && array_count(a) != a->dims[d])
			wrong(c, "%s is %s, expected numbers along one dimension", name, array_shape(a));

	return array_reshape(a, 1, (const long[]){array_count(a)});
}

static struct index *index_by_array(struct cursor *c, long extent)
{
	struct array *line = line_of(c, c->w->index, "index");
	struct index *x = index_from(extent, line);

	array_free(line);
	return x;
}

static struct index *index_by_mask(struct cursor *c, long extent)
{
	struct array *line = line_of(c, c->w->mask, "mask");
	struct array *flags = array_cast(line, DT_BOOL, array_default);

	if (extent != flags->dims[0])
		wrong(c, "mask has %ld elements, expected %ld", flags->dims[0], extent);

	struct index *x = index_mask(extent, flags);

	array_free(line);
	array_free(flags);
	return x;
}

static struct index *index_by_list(const struct cursor *c, const struct item *i, long extent)
{
	long n;
	long *at = parse_index_list(i->text, extent, &n, where(c, i->at));
	struct index *x = index_list(extent, n, at);

	free(at);
	return x;
}

/* Whether it names elements one by one, whatever numbers they are. */
static bool is_choice(const struct item *i)
{
	return i->list || 0 == strcmp(i->text, "index") || 0 == strcmp(i->text, "mask");
}

static void apply_item(struct cursor *c, int d, const struct item *i)
{
	bool index = 0 == strcmp(i->text, "index"), mask = 0 == strcmp(i->text, "mask");
	long extent = c->w->h.dims[d];
	const char *end = c->p;
	long start, step, n;

	c->p = i->at;

	if (i->list)
		pick(c, d, index_by_list(c, i, extent));
	else if (index)
		pick(c, d, index_by_array(c, extent));
	else if (mask)
		pick(c, d, index_by_mask(c, extent));
	else {
		parse_range(i->text, extent, &start, &step, &n, where(c, i->at));
		slice(c->w, d, start, step, n);
	}

	c->p = end;
}

static void brackets(struct cursor *c)
{
	struct item items[DIMS + 1];
	int n = read_items(c, items);
	int dots = -1, choices = 0, rank = array_rank(c->w->v);

	for (int i = 0; i < n; i++) {
		if (is_choice(&items[i]) && 1 < ++choices) { // NumPy would take pairs of them
			c->p = items[i].at;
			wrong(c, "a second list, index or mask, expected at most one (to combine two, run "
			         "gantry view twice)");
		}

		if (0 != strcmp(items[i].text, "..."))
			continue;

		if (dots >= 0)
			wrong(c, "'...' appears twice, expected once");

		dots = i;
	}

	if (dots < 0 && n > DIMS)
		wrong(c, "%d dimensions, expected at most %d", n, (int)DIMS);

	// those behind the dots are the last
	int shift = dots < 0 ? 0 : (rank < n - 1 ? n - 1 : rank) - n;

	for (int i = 0; i < n; i++)
		if (i != dots)
			apply_item(c, i < dots || dots < 0 ? i : i + shift, &items[i]);

	for (int i = 0; i < n; i++)
		free(items[i].text);
}

/* ---- names ---- */

/* "(WORD, WORD, ..)"; none when there is no bracket. Words are malloc'd. */
static int read_words(struct cursor *c, char *words[DIMS])
{
	int n = 0;

	if (!accept(c, '('))
		return 0;

	do {
		if (n == DIMS)
			wrong(c, "more than %d values", (int)DIMS);

		words[n++] = word(c, ",)");
	} while (accept(c, ','));

	expect(c, ')');
	return n;
}

struct step {
	const char *name;
	int least, most; // words
	void (*apply)(struct cursor *c, int n, char *words[]);
};

static int dim(const struct cursor *c, const char *text)
{
	return parse_dim(text, where(c, c->p));
}

static void do_real(struct cursor *c, int n, char *words[])
{
	(void)n;
	(void)words;
	replace(c->w, array_real(c->w->v));
}

static void do_imag(struct cursor *c, int n, char *words[])
{
	(void)n;
	(void)words;
	replace(c->w, array_imag(c->w->v));
}

static void do_flip(struct cursor *c, int n, char *words[])
{
	unsigned long flags = 0;

	for (int i = 0; i < n; i++)
		flags |= 1UL << dim(c, words[i]);

	replace(c->w, array_flip(c->w->v, flags));
	shaping_touched(&c->w->h, flags);
}

/* The dims named, then those that are not, in their order. */
static void do_permute(struct cursor *c, int n, char *words[])
{
	unsigned long seen = 0;
	int order[DIMS];

	for (int i = 0; i < n; i++) {
		order[i] = dim(c, words[i]);

		if (seen & 1UL << order[i])
			wrong(c, "dimension %s twice, expected each once", words[i]);

		seen |= 1UL << order[i];
	}

	for (int d = 0; d < DIMS; d++)
		if (!(seen & 1UL << d))
			order[n++] = d;

	permute(c->w, order);
}

static void do_transpose(struct cursor *c, int n, char *words[])
{
	int a = dim(c, words[0]), b = dim(c, words[1]);
	int order[DIMS];

	(void)n;

	for (int d = 0; d < DIMS; d++)
		order[d] = a == d ? b : b == d ? a : d;

	permute(c->w, order);
}

static void do_reverse(struct cursor *c, int n, char *words[])
{
	int rank = array_rank(c->w->v);
	int order[DIMS];

	(void)n;
	(void)words;

	for (int d = 0; d < DIMS; d++)
		order[d] = d < rank ? rank - 1 - d : d;

	permute(c->w, order);
}

/* Dims of length 1 go behind the others. */
static void do_squeeze(struct cursor *c, int n, char *words[])
{
	int order[DIMS];
	int k = 0;

	(void)n;
	(void)words;

	for (int ones = 0; ones < 2; ones++)
		for (int d = 0; d < DIMS; d++)
			if (ones == (1 == c->w->h.dims[d]))
				order[k++] = d;

	permute(c->w, order);
}

static void do_diagonal(struct cursor *c, int n, char *words[])
{
	struct hdr *h = &c->w->h;
	int a = dim(c, words[0]), b = dim(c, words[1]);
	long offset = n > 2 ? parse_long(words[2], where(c, c->p)) : 0;

	if (a == b)
		wrong(c, "the diagonal of dimension %s and itself, expected two", words[0]);

	if (offset <= -h->dims[a] || offset >= h->dims[b])
		wrong(c, "diagonal %ld of dimensions %s and %s of %s, expected %ld..%ld", offset, words[0],
		        words[1], hdr_shape(h), 1 - h->dims[a], h->dims[b] - 1);

	replace(c->w, array_diagonal(c->w->v, a, b, offset));
	md_copy_dims(DIMS, h->dims, c->w->v->dims);
	h->spacing[a] = h->spacing[b] = 1;
	h->origin[a] = h->origin[b] = NAN;
	shaping_touched(h, 1UL << a | 1UL << b);
}

static void do_reshape(struct cursor *c, int n, char *words[])
{
	long dims[DIMS], product = 1;
	int open = -1;

	for (int d = 0; d < DIMS; d++) {
		dims[d] = d < n ? parse_long(words[d], where(c, c->p)) : 1;

		if (-1 == dims[d] && open < 0)
			open = d;
		else if (dims[d] < 1)
			wrong(c, "size %s, expected at least 1, or -1 once for the remaining elements",
			        words[d]);
		else
			product = mul_checked(product, dims[d], "reshape");
	}

	long count = array_count(c->w->v);

	if (open >= 0 && 0 == count % product)
		dims[open] = count / product;
	else if (open >= 0 || product != count)
		wrong(c, "%ld elements (%s), expected sizes whose product is this number", count,
		        hdr_shape(&c->w->h));

	struct array *v = array_reshape_view(c->w->v, DIMS, dims);

	if (!v)
		wrong(c, "the elements cannot be viewed with the new sizes: write this "
		         "view "
		         "first, then reshape it (gantry reshape)");

	replace(c->w, v);
	shaping_reshape(&c->w->h, dims);
}

static const struct step steps[] = {
        {"real", 0, 0, do_real},
        {"imag", 0, 0, do_imag},
        {"T", 0, 0, do_reverse},
        {"squeeze", 0, 0, do_squeeze},
        {"flip", 1, DIMS, do_flip},
        {"transpose", 2, 2, do_transpose},
        {"permute", 1, DIMS, do_permute},
        {"diagonal", 2, 3, do_diagonal},
        {"reshape", 1, DIMS, do_reshape},
};

enum { STEPS = sizeof steps / sizeof steps[0] };

static void named(struct cursor *c)
{
	size_t n = strspn(c->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	const struct step *s = steps;

	while (s < steps + STEPS && (strlen(s->name) != n || 0 != strncmp(s->name, c->p, n)))
		s++;

	if (steps + STEPS == s)
		wrong(c,
		        "'%s', expected [, real, imag, T, squeeze, flip, transpose, permute, diagonal or "
		        "reshape",
		        c->p);

	if (0 == strcmp(s->name, "imag") && !dtype_is_complex(c->w->v->type))
		wrong(c, "elements are %s, expected complex ones", dtype_name(c->w->v->type));

	struct cursor name = *c;
	char *words[DIMS];

	c->p += n;
	n = (size_t)read_words(c, words);

	if ((int)n < s->least || (int)n > s->most)
		wrong(&name, "%s takes %d to %d values in brackets, found %d", s->name, s->least, s->most,
		        (int)n);

	s->apply(&name, (int)n, words); // its messages tell of where the name stands

	for (size_t i = 0; i < n; i++)
		free(words[i]);
}

void viewing_run(struct viewing *w, const char *text)
{
	struct cursor c = {text, text, w};

	w->gathered = -1;
	w->picks = NULL;

	do {
		skip_blanks(&c);

		if (w->picks)
			wrong(&c, "a step after a list, index or mask, which must be the last step");

		if (accept(&c, '['))
			brackets(&c);
		else if (accept(&c, '.') || c.p == text + strspn(text, " \t\n"))
			named(&c);
		else
			wrong(&c, "found '%s', expected [ or a point", c.p);

		skip_blanks(&c);
	} while (*c.p);

	w->h.type = w->v->type;
}

void viewing_free(struct viewing *w)
{
	array_free(w->v);
	hdr_free(&w->h);

	if (w->picks)
		index_free(w->picks);
}

void viewing_copy(struct array *out, const struct viewing *w)
{
	if (w->picks)
		array_take(out, w->v, w->gathered, w->picks, array_default);
	else
		array_copy(out, w->v, array_default);
}
