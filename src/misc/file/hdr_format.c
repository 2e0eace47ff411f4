/** Formats the text of a header. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/hdr.h"
#include "misc/mem.h"

enum { HISTORY_INSIDE = 64 << 10 }; // longer ones go beside the pair

/* Before a value that would be read as a section. */
static const char *guard(const char *text)
{
	return ('#' == *text) ? " " : "";
}

/* A section whose value is one line of text. */
static void add_line(struct str *s, const char *name, const char *text)
{
	if (!text || !*text)
		return;

	str_printf(s, "# %s\n", name);
	size_t first = s->len;

	str_add(s, guard(text));
	str_add(s, text);
	str_add(s, "\n");

	// line ends inside would make lines that look like sections
	for (size_t i = first; i + 1 < s->len; i++)
		if ('\n' == s->data[i] || '\r' == s->data[i])
			s->data[i] = ' ';
}

/* Dims that a list of grid values must cover: those in use and those that were set. */
static int grid_length(const struct hdr *h)
{
	int n = hdr_rank(h);

	for (int d = n; d < DIMS; d++)
		if (1 != h->spacing[d] || !isnan(h->origin[d]))
			n = d + 1;

	return n;
}

/* A list that ends before the first number that is not known. */
static void add_list(struct str *s, const char *name, int n, const double v[])
{
	if (0 == n || isnan(v[0]))
		return;

	str_printf(s, "# %s\n", name);

	for (int d = 0; d < n && !isnan(v[d]); d++) {
		str_add(s, d ? " " : "");
		str_add_double(s, v[d], 15);
	}

	str_add(s, "\n");
}

static void add_grid(struct str *s, const struct hdr *h)
{
	double origin[DIMS];

	for (int d = 0; d < DIMS; d++)
		origin[d] = hdr_origin(h, d) + 0.; // +0 for -0

	add_list(s, "Spacing", h->has_spacing ? grid_length(h) : 0, h->spacing);
	add_list(s, "Origin", h->has_origin ? grid_length(h) : 0, origin);
}

static void add_detector(struct str *s, const struct hdr *h)
{
	if (!h->has_detector)
		return;

	str_printf(s, "# Detector\n%ld %ld", h->detector[0], h->detector[1]);

	if (0 != h->radius) {
		str_add(s, " ");
		str_add_double(s, h->radius, 15);
	}

	str_add(s, "\n");
}

char *hdr_format(const struct hdr *h, bool *history_apart)
{
	struct str s = {0};

	str_add(&s, "# Dimensions\n");

	for (int d = 0; d < hdr_rank(h); d++)
		str_printf(&s, d ? " %ld" : "%ld", h->dims[d]);

	str_printf(&s, "\n# Type\n%s\n", dtype_name(h->type));

	if (h->big_endian)
		str_add(&s, "# Byte-Order\nbig\n");

	add_grid(&s, h);

	if (Q_UNKNOWN != h->quantity)
		add_line(&s, "Quantity", quantity_name(h->quantity));

	add_line(&s, "Unit", h->unit);
	add_detector(&s, h);
	str_add(&s, h->extra ? h->extra : "");
	add_line(&s, "Command", h->command);
	add_line(&s, "Files", h->files);
	add_line(&s, "Creator", h->creator);
	add_line(&s, "Checksum", h->checksum);

	bool apart = history_apart && h->history && strlen(h->history) > HISTORY_INSIDE;

	if (h->history && *h->history && !apart)
		str_printf(&s, "# History\n%s", h->history);

	if (history_apart)
		*history_apart = apart;

	return s.data;
}
