#include "misc/formats/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/hdr_sections.h"
#include "misc/mem.h"

char *embed_text(const struct hdr *h)
{
	struct hdr bare;

	hdr_init(&bare);
	hdr_copy(&bare, h);

	char *text = hdr_format(&bare, NULL);

	hdr_free(&bare);
	return text;
}

char *embed_escape(const char *text)
{
	struct str s = {0};

	for (; *text; text++) {
		if ('\\' == *text)
			str_add(&s, "\\\\");
		else if ('\n' == *text)
			str_add(&s, "\\n");
		else if (strchr(";{}", *text))
			str_printf(&s, "\\x%02x", (unsigned)*text);
		else
			str_addn(&s, text, 1);
	}

	return s.data ? s.data : mem_strdup("");
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

char *embed_unescape(const char *line)
{
	char *text = mem_alloc(strlen(line) + 1), *out = text;

	while (*line) {
		if ('\\' == line[0] && 'n' == line[1]) {
			*out++ = '\n';
			line += 2;
		} else if ('\\' == line[0] && '\\' == line[1]) {
			*out++ = '\\';
			line += 2;
		} else if ('\\' == line[0] && 'x' == line[1] && hex(line[2]) >= 0 && hex(line[3]) >= 0) {
			*out++ = (char)(16 * hex(line[2]) + hex(line[3]));
			line += 4;
		} else {
			*out++ = *line++;
		}
	}

	*out = '\0';
	return text;
}

const char *embed_find(const char *comment)
{
	return strstr(comment, "# Dimensions\n");
}

static bool close_to(double a, double b, double scale)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(scale), fmax(fabs(a), fabs(b)));
}

static void apply_grid(struct hdr *h, const struct hdr *e, int dims)
{
	for (int d = 0; d < DIMS; d++) {
		if (e->has_spacing && (!h->has_spacing || d >= dims || isnan(h->spacing[d]) ||
		                              close_to(h->spacing[d], e->spacing[d], 0.)))
			h->spacing[d] = e->spacing[d];

		if (e->has_origin && (!h->has_origin || d >= dims ||
		                             close_to(hdr_origin(h, d), hdr_origin(e, d), h->spacing[d])))
			h->origin[d] = e->origin[d];
	}

	// a centred grid stays one although the file's field had to say numbers
	if (h->has_origin && !e->has_origin) {
		bool centred = true;

		for (int d = 0; d < DIMS; d++)
			centred &= isnan(h->origin[d]) ||
			           close_to(h->origin[d], -0.5 * (double)(h->dims[d] - 1) * h->spacing[d],
			                   h->spacing[d]);

		for (int d = 0; d < DIMS && centred; d++)
			h->origin[d] = NAN;

		h->has_origin = !centred;
	}

	h->has_spacing |= e->has_spacing;
	h->has_origin |= e->has_origin;
}

/* Also writes all digits of a direction into the fields of the file. */
static void apply_direction(struct hdr *h, const struct hdr *e)
{
	double a[3][3], b[3][3];
	bool same = hdr_direction(h, a) && hdr_direction(e, b);

	for (int i = 0; i < 9; i++)
		same &= fabs(a[i / 3][i % 3] - b[i / 3][i % 3]) <= 1e-6;

	if (!same)
		return;

	char *text = hdr_section(e, "Direction");

	hdr_set_section(h, "Direction", text);
	free(text);
}

/* Every section of `extra` that h has not got, and that the fields of the file do not say. */
static void apply_extra(struct hdr *h, const char *extra, struct said said)
{
	while (extra && *extra) {
		const size_t n = strcspn(extra, "\n");
		const char *text = extra + n + ('\n' == extra[n]), *end = text;

		while (*end && '#' != *end) {
			end += strcspn(end, "\n");
			end += '\n' == *end;
		}

		const bool closed = end > text && '\n' == end[-1];
		char *title = mem_printf("%.*s", (int)n, extra);
		char *value = mem_printf("%.*s", (int)(end - text) - closed, text);

		const bool field = (said.direction && 0 == strcmp(title, "# Direction")) ||
		                   (said.rescale && 0 == strcmp(title, "# Rescale"));

		if (0 == strncmp(title, "# ", 2) && !field) {
			char *there = hdr_section(h, title + 2);

			if (!there)
				hdr_set_section(h, title + 2, value);

			free(there);
		}

		free(title);
		free(value);
		extra = end;
	}
}

void embed_apply(struct hdr *h, const char *text, const char *name, struct said said)
{
	struct hdr e;

	hdr_init(&e);
	hdr_parse(&e, text, strlen(text), name);

	if (e.dims[0] == h->dims[0] && e.dims[1] == h->dims[1] && hdr_count(&e, name) == hdr_count(h, name))
		memcpy(h->dims, e.dims, sizeof h->dims);

	if (DT_BOOL == e.type && DT_UINT8 == h->type)
		h->type = DT_BOOL;

	apply_grid(h, &e, said.dims);

	if (Q_UNKNOWN == h->quantity)
		h->quantity = e.quantity;

	if (!h->unit[0])
		memcpy(h->unit, e.unit, sizeof h->unit);

	h->has_detector = e.has_detector;
	memcpy(h->detector, e.detector, sizeof h->detector);
	h->radius = e.radius;

	if (said.direction)
		apply_direction(h, &e);

	apply_extra(h, e.extra, said);
	hdr_free(&e);
}
