/** The header of an array as plain settings: grid, quantity, strings. Reading and writing its text:
 * hdr_parse.c, hdr_format.c. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/hdr.h"
#include "misc/file/hdr_sections.h"
#include "misc/mem.h"

static const char *const quantities[] = {
        [Q_UNKNOWN] = "unknown",
        [Q_COUNTS] = "counts",
        [Q_TRANSMISSION] = "transmission",
        [Q_LINE_INTEGRAL] = "line-integral",
        [Q_ATTENUATION] = "attenuation",
        [Q_HOUNSFIELD] = "hounsfield",
        [Q_WEIGHTS] = "weights",
        [Q_MASK] = "mask",
        [Q_GEOMETRY] = "geometry",
};

const char *quantity_name(enum quantity q)
{
	assert(q <= Q_GEOMETRY);
	return quantities[q];
}

int quantity_parse(const char *name)
{
	for (int q = 0; q <= Q_GEOMETRY; q++)
		if (0 == strcmp(quantities[q], name))
			return q;

	return -1;
}

void hdr_init(struct hdr *h)
{
	memset(h, 0, sizeof *h);
	h->type = DT_FLOAT32;

	for (int d = 0; d < DIMS; d++) {
		h->dims[d] = 1;
		h->spacing[d] = 1;
		h->origin[d] = NAN;
	}
}

void hdr_free(struct hdr *h)
{
	free(h->command);
	free(h->files);
	free(h->creator);
	free(h->extra);
	free(h->history);
	hdr_init(h);
}

void hdr_copy(struct hdr *dst, const struct hdr *src)
{
	*dst = *src;
	dst->big_endian = false;
	dst->checksum[0] = '\0';
	dst->command = NULL;
	dst->files = NULL;
	dst->creator = NULL;
	dst->history = NULL;
	dst->extra = src->extra ? mem_strdup(src->extra) : NULL;
}

void hdr_set_dims(struct hdr *h, int n, const long dims[])
{
	assert(n >= 0 && n <= DIMS);

	for (int d = 0; d < DIMS; d++)
		h->dims[d] = d < n ? dims[d] : 1;
}

long hdr_count(const struct hdr *h, const char *name)
{
	long count = 1;

	for (int d = 0; d < DIMS; d++)
		count = mul_checked(count, h->dims[d], name);

	return count;
}

long hdr_bytes(const struct hdr *h, const char *name)
{
	return mul_checked(hdr_count(h, name), (long)dtype_size(h->type), name);
}

int hdr_rank(const struct hdr *h)
{
	int rank = DIMS;

	while (rank > 1 && 1 == h->dims[rank - 1])
		rank--;

	return rank;
}

static double centred(long n, double spacing)
{
	return -0.5 * (double)(n - 1) * spacing;
}

double hdr_origin(const struct hdr *h, int d)
{
	return isnan(h->origin[d]) ? centred(h->dims[d], h->spacing[d]) : h->origin[d];
}

void hdr_set_grid(struct hdr *h, int d, double spacing, double origin)
{
	h->spacing[d] = spacing;
	h->origin[d] = origin;
	h->has_spacing = true;
	h->has_origin = true;
}

/* Along axis d alone; step > 0. */
static void subrange(struct hdr *h, int d, long start, long step, long n)
{
	if (isnan(h->spacing[d])) { // unknown: so is the place of what is kept
		h->origin[d] = NAN;
		h->dims[d] = n;
		return;
	}

	double spacing = 1 == n ? h->spacing[d] : h->spacing[d] * (double)step;
	double origin = hdr_origin(h, d) + (double)start * h->spacing[d];
	bool stays = isnan(h->origin[d]) && 2 * start + (n - 1) * step == h->dims[d] - 1;

	h->dims[d] = n;

	if (spacing != h->spacing[d]) {
		h->spacing[d] = spacing;
		h->has_spacing = true;
	}

	if (!stays) {
		h->origin[d] = origin;
		h->has_origin = true;
	}
}

void hdr_subrange(struct hdr *h, int d, long start, long step, long n)
{
	assert(n >= 1 && 0 != step);

	if (step < 0) {
		start += (n - 1) * step;
		step = -step;
	}

	const struct hdr from = *h;
	double c[3][3], origin[3];

	subrange(h, d, start, step, n);

	// the first element's place in the world, along its axis
	if ((from.has_origin || h->has_origin) && hdr_turned(&from, c, origin))
		for (int i = 0; i < 3; i++)
			h->origin[i] = origin[i] + (d < 3 ? (double)start * from.spacing[d] * c[d][i] : 0.);
}

const char *hdr_shape(const struct hdr *h)
{
	enum { LENGTH = DIMS * 24, ROTATION = 4 };
	static char buffers[ROTATION][LENGTH];
	static int next;
	char *text = buffers[next++ % ROTATION];
	int used = 0;

	for (int d = 0; d < hdr_rank(h); d++)
		used += snprintf(text + used, (size_t)(LENGTH - used), d ? " x %ld" : "%ld", h->dims[d]);

	return text;
}
