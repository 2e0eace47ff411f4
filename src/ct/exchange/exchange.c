#include "ct/exchange/exchange.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ct/exchange/exchange_internal.h"
#include "ct/geometry/vec3.h"
#include "misc/error.h"
#include "misc/file.h"

bool exchange_same(double x, double y, double scale)
{
	return fabs(x - y) <= 1e-8 * fabs(scale);
}

struct exchange_frame exchange_frame(const struct geom *g, long view)
{
	const struct geom_view *w = g->view + view;
	struct exchange_frame f = {.pitch = {norm3(w->u), norm3(w->v)}};
	double uv[3];

	scale3(f.u, 1. / f.pitch[0], w->u);
	scale3(f.v, 1. / f.pitch[1], w->v);
	geom_normal(g, view, f.n);
	cross3(uv, f.u, f.v);
	f.right_handed = dot3(uv, f.n) > 0.;
	return f;
}

void expect_flat(const struct geom *g, const char *name, const char *form)
{
	if (g->radius > 0.)
		error("%s: %s cannot describe a curved detector (radius %g mm)", name, form, g->radius);
}

void expect_orthogonal(const struct geom *g, const char *name, const char *form)
{
	for (long k = 0; k < g->views; k++) {
		struct exchange_frame f = exchange_frame(g, k);

		if (!(fabs(dot3(f.u, f.v)) <= 1e-8))
			error("%s: view %ld: %s cannot describe columns and rows that are not at right "
			      "angles",
			        name, k, form);
	}
}

void expect_one_pitch(const struct geom *g, const char *name, const char *form)
{
	struct exchange_frame a = exchange_frame(g, 0);

	for (long k = 1; k < g->views; k++) {
		struct exchange_frame b = exchange_frame(g, k);

		for (int i = 0; i < 2; i++)
			if (!exchange_same(a.pitch[i], b.pitch[i], a.pitch[i]))
				error("%s: view %ld: %s cannot describe a pixel size that differs between "
				      "views",
				        name, k, form);
	}
}

void expect_right_handed(const struct geom *g, const char *name, const char *form)
{
	for (long k = 0; k < g->views; k++)
		if (!exchange_frame(g, k).right_handed)
			error("%s: view %ld: %s cannot describe a mirrored detector (flip u or v of the "
			      "projections and make the pitch positive)",
			        name, k, form);
}

bool exchange_is_flatland(const struct geom *g)
{
	for (long k = 0; k < g->views; k++) {
		const struct geom_view *w = g->view + k;
		double scale = norm3(w->u);

		if (!exchange_same(w->u[2], 0., scale) || !exchange_same(w->d[2], 0., scale) ||
		        !exchange_same(w->s[2], 0., g->parallel ? 1. : scale))
			return false;
	}

	return 1 == g->rows;
}

void exchange_list(struct str *out, long n, const double v[])
{
	for (long i = 0; i < n; i++) {
		str_add(out, i ? ", " : "[");
		str_add_double(out, v[i] + 0., 6);
	}

	str_add(out, "]");
}

void exchange_note(struct str *out, const struct geom *g)
{
	struct exchange_frame f = exchange_frame(g, 0);

	str_printf(out, "gantry: detector %ld %ld pitch ", g->cols, g->rows);
	str_add_double(out, f.pitch[0], 6);
	str_add(out, " ");
	str_add_double(out, f.pitch[1], 6);
}

void exchange_detector(const struct exchange_source *f, bool need_pitch, long size[2], double pitch[2])
{
	const char *note = strstr(f->text, "gantry: detector ");
	long noted[2] = {0, 0};
	double p[2] = {0., 0.};

	if (note &&
	        (4 != sscanf(note, "gantry: detector %ld %ld pitch %lf %lf", noted, noted + 1, p, p + 1) ||
	                noted[0] > 0x7fffffff || noted[1] > 0x7fffffff))
		noted[0] = noted[1] = 0;

	size[0] = f->hints->cols > 0 ? f->hints->cols : noted[0];
	size[1] = f->hints->cols > 0 ? f->hints->rows : noted[1];

	if (size[0] < 1 || size[1] < 1)
		error("%s: the number of pixels is missing (give --detector COLS:ROWS)", f->path);

	for (int i = 0; i < 2; i++)
		pitch[i] = (f->hints->pitch[0] > 0.) ? f->hints->pitch[i] : p[i];

	if (need_pitch && !(pitch[0] > 0. && pitch[1] > 0.))
		error("%s: the pixel size is missing (give --pitch PU:PV)", f->path);
}

typedef int compare_fn(const char *a, const char *b, size_t n);

static int find_word(const char *list, const char *word, compare_fn *compare)
{
	const size_t n = strlen(word);

	for (int i = 0;; i++) {
		const size_t length = strcspn(list, "|");

		if (length == n && 0 == compare(list, word, n))
			return i;

		if (!list[length])
			return -1;

		list += length + 1;
	}
}

int exchange_word(const char *list, const char *word)
{
	return find_word(list, word, strncmp);
}

char *exchange_spell(const char *list)
{
	struct str s = {0};

	for (; *list; list++)
		str_printf(&s, "%.*s", '|' == *list ? 2 : 1, '|' == *list ? ", " : list);

	return s.data;
}

int exchange_choice(const char *path, const char *key, const char *word, const char *list)
{
	if (!word)
		error("%s: %s must be a word (valid: %s)", path, key, exchange_spell(list));

	const int at = find_word(list, word, strncasecmp);

	if (at < 0)
		error("%s: %s: unknown value '%.60s' (valid: %s)", path, key, word, exchange_spell(list));

	return at;
}

void exchange_warn_degrees(const char *path, const char *key, long n, const double angle[])
{
	if (n < 16)
		return;

	const double step = (angle[n - 1] - angle[0]) / (double)(n - 1), arc = fabs(step) * (double)n;

	for (long k = 0; k < n; k++)
		if (!(fabs(angle[k] - angle[0] - step * (double)k) <= 1e-5 * arc))
			return;

	for (int ends = 0; ends < 2; ends++) {
		const double turns = (arc - ends * fabs(step)) / 180.;

		if (turns > 0.5 && fabs(turns - rint(turns)) <= 1e-6)
			warn("%s: %s span %.6g, which looks like degrees (expected radians)", path, key,
			        turns * 180.);
	}
}

long exchange_views(const struct exchange_source *f, const char *key, double x)
{
	if (!(x >= 1. && x <= EXCHANGE_MAX_VIEWS && x == floor(x)))
		error("%s: %s is %g, expected an integer from 1 to %d", f->path, key, x, EXCHANGE_MAX_VIEWS);

	return (long)x;
}

long exchange_count(const struct exchange_source *f, const char *key, double x)
{
	if (!(x >= 1. && x <= 0x7fffffff && x == floor(x)))
		error("%s: %s is %g, expected an integer from 1 to 2147483647", f->path, key, x);

	return (long)x;
}

static struct geom *read_form(enum exchange_form form, struct exchange_source *f)
{
	switch (form) {
	case EXCHANGE_ASTRA:
	case EXCHANGE_ASTRA_PLAIN:
		return astra_read(f);
	case EXCHANGE_TIGRE:
		return tigre_read(f);
	case EXCHANGE_RTK:
		return rtk_read(f);
	case EXCHANGE_CIL:
		return cil_read(f);
	case EXCHANGE_LEAP:
	case EXCHANGE_LEAP_MODULAR:
		return leap_read(f);
	case EXCHANGE_MATRIX:
		return matrix_read(f);
	case EXCHANGE_NIKON:
		return nikon_read(f);
	case EXCHANGE_SKYSCAN:
		return skyscan_read(f);
	default:
		return astra_read_table(f, form);
	}
}

struct geom *exchange_read(enum exchange_form form, const char *path, const struct exchange_hints *hints,
        struct grid *volume, bool *has_volume)
{
	char *text = file_read_text(path);
	struct exchange_source f = {.path = path, .text = text, .hints = hints};
	struct geom *g = read_form(form, &f);

	geom_check(g, path);
	*volume = f.volume;
	*has_volume = f.has_volume;
	free(text);
	return g;
}

void exchange_write(enum exchange_form form, const char *path, const struct geom *g, const char *name,
        const struct grid *volume)
{
	struct str s = {0};

	if (form != EXCHANGE_LEAP)
		geom_expect_source(g, name);

	switch (form) {
	case EXCHANGE_ASTRA:
	case EXCHANGE_ASTRA_PLAIN:
		astra_write(&s, g, name, EXCHANGE_ASTRA_PLAIN == form);
		break;
	case EXCHANGE_TIGRE:
		tigre_write(&s, g, name, volume);
		break;
	case EXCHANGE_RTK:
		rtk_write(&s, g, name);
		break;
	case EXCHANGE_CIL:
		cil_write(&s, g, name);
		break;
	case EXCHANGE_LEAP:
	case EXCHANGE_LEAP_MODULAR:
		leap_write(&s, g, name, volume, EXCHANGE_LEAP_MODULAR == form);
		break;
	case EXCHANGE_MATRIX:
		matrix_write(&s, g, name);
		break;
	default:
		astra_write_table(&s, g, name, form);
	}

	struct file_out *f = file_create(path);

	if (s.len != fwrite(s.data, 1, s.len, file_stream(f)))
		file_failed(f, NULL);

	file_commit(f);
	free(s.data);
}
