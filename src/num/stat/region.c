#include "num/stat/region.h"

#include <math.h>
#include <string.h>

#include "misc/error.h"
#include "misc/options/parse.h"

static const struct form {
	const char *name;
	int numbers; // without the limits along z
	bool may_be_limited;
} forms[] = {{"cyl", 3, true}, {"ring", 4, true}, {"sphere", 4, false}, {"box", 4, true}};

static void expect_order(double low, double high, const char *text, const char *what)
{
	if (!(low <= high))
		usage_error("%s: found '%s', where %g is above %g, expected the smaller number first", what,
		        text, low, high);
}

static void check_numbers(const struct region *r, const char *what)
{
	int n = forms[r->shape].numbers;

	if (REGION_BOX == r->shape)
		expect_order(r->v[0], r->v[1], r->text, what);

	if (REGION_BOX == r->shape || REGION_RING == r->shape)
		expect_order(r->v[2], r->v[3], r->text, what);

	if (r->limited)
		expect_order(r->v[n], r->v[n + 1], r->text, what);

	double radius = REGION_CYL == r->shape || REGION_RING == r->shape ? r->v[2] : r->v[3];

	if (REGION_BOX != r->shape && radius < 0.)
		usage_error("%s: found '%s' with radius %g, expected at least 0", what, r->text, radius);
}

void region_parse(struct region *r, const char *text, const char *what)
{
	const char *colon = strchr(text, ':');

	for (int k = 0; colon != NULL && k < (int)(sizeof forms / sizeof forms[0]); k++) {
		const struct form *f = &forms[k];

		if (strlen(f->name) != (size_t)(colon - text) || strncmp(f->name, text, strlen(f->name)) != 0)
			continue;

		*r = (struct region){.shape = k, .text = text};

		int n = parse_doubles(colon + 1, 6, r->v, what);

		r->limited = f->may_be_limited && n == f->numbers + 2;

		if (n != f->numbers && !r->limited)
			break;

		check_numbers(r, what);
		return;
	}

	usage_error("%s: found '%s', expected %s [mm]", what, text, REGION_FORMS);
}

/* Whether a region meets a row, and its interval [x0, x1], with a hole [h0, h1] open at its ends. */
struct cut {
	bool met, hole;
	double x0, x1, h0, h1;
};

static struct cut chord(double x, double distance2, double radius)
{
	double half2 = radius * radius - distance2;
	double half = half2 >= 0. ? sqrt(half2) : 0.;

	return (struct cut){.met = half2 >= 0., .x0 = x - half, .x1 = x + half};
}

static struct cut cut_row(const struct region *r, double y, double z)
{
	const double *v = r->v;
	int n = forms[r->shape].numbers;
	struct cut c = {0}, inner;

	if (r->limited && (z < v[n] || z > v[n + 1]))
		return c;

	switch (r->shape) {
	case REGION_CYL:
		return chord(v[0], (y - v[1]) * (y - v[1]), v[2]);
	case REGION_RING:
		c = chord(v[0], (y - v[1]) * (y - v[1]), v[3]);
		inner = chord(v[0], (y - v[1]) * (y - v[1]), v[2]);
		c.hole = inner.met;
		c.h0 = inner.x0;
		c.h1 = inner.x1;
		return c;
	case REGION_SPHERE:
		return chord(v[0], (y - v[1]) * (y - v[1]) + (z - v[2]) * (z - v[2]), v[3]);
	default:
		return (struct cut){.met = y >= v[2] && y <= v[3], .x0 = v[0], .x1 = v[1]};
	}
}

void region_fill(const struct region *r, const struct hdr *h, long first, long n, unsigned char *held)
{
	const long nx = h->dims[0], ny = h->dims[1], nz = h->dims[2];

	for (long done = 0; done < n;) {
		long i = (first + done) % nx, row = (first + done) / nx;
		long count = nx - i < n - done ? nx - i : n - done;
		struct cut c =
		        cut_row(r, region_position(h, 1, row % ny), region_position(h, 2, row / ny % nz));

		for (long k = 0; k < count; k++) {
			double x = region_position(h, 0, i + k);

			held[done + k] = c.met && x >= c.x0 && x <= c.x1 && !(c.hole && x > c.h0 && x < c.h1);
		}

		done += count;
	}
}
