/** Sections of the header that most commands only pass on; two of them give directions and a scale. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/hdr_sections.h"
#include "misc/mem.h"

/* Where the section begins in the text of the unknown ones, or NULL; *end behind its value. */
static char *find_section(char *extra, const char *name, char **end)
{
	char *title = mem_printf("# %s\n", name);
	const size_t n = strlen(title);
	char *found = NULL;

	for (char *line = extra; line && *line && !found; line += '\n' == *line) {
		if (0 == strncmp(line, title, n))
			found = line;

		line += strcspn(line, "\n");
	}

	free(title);

	if (!found)
		return NULL;

	*end = found + n;

	while (**end && '#' != **end) {
		*end += strcspn(*end, "\n");
		*end += '\n' == **end;
	}

	return found;
}

void hdr_set_section(struct hdr *h, const char *name, const char *value)
{
	struct str s = {0};
	char *end, *old = find_section(h->extra, name, &end);

	if (h->extra) {
		str_addn(&s, h->extra, old ? (size_t)(old - h->extra) : strlen(h->extra));
		str_add(&s, old ? end : "");
	}

	if (value)
		str_printf(&s, "# %s\n%s%s", name, value, *value ? "\n" : "");

	free(h->extra);
	h->extra = s.data;
}

char *hdr_section(const struct hdr *h, const char *name)
{
	char *end, *found = find_section(h->extra, name, &end);

	if (!found)
		return NULL;

	found += strlen(name) + 3;

	return mem_printf("%.*s", (int)strcspn(found, "\n"), found);
}

void hdr_set_direction(struct hdr *h, const double cosines[3][3])
{
	struct str s = {0};
	bool identity = true;

	for (int i = 0; i < 9; i++) {
		const double v = cosines[i / 3][i % 3], c = fabs(v - round(v)) < 1e-7 ? round(v) : v;

		if (!isfinite(c)) {
			free(s.data);
			return;
		}

		identity &= fabs(c - (i / 3 == i % 3)) < 1e-7;
		str_add(&s, i ? " " : "");
		str_add_double(&s, c + 0., 15);
	}

	hdr_set_section(h, "Direction", identity ? NULL : s.data);
	free(s.data);
}

bool hdr_rescale(const struct hdr *h, double v[2])
{
	char *text = hdr_section(h, "Rescale");
	double x[2];
	const bool good = text && 2 == sscanf(text, "%lf %lf", &x[0], &x[1]) && isfinite(x[0]) &&
	                  isfinite(x[1]) && 0. != x[0];

	if (good)
		memcpy(v, x, sizeof x);

	free(text);
	return good;
}

bool hdr_has_direction(const struct hdr *h)
{
	char *text = hdr_section(h, "Direction");

	free(text);

	return text != NULL;
}

bool hdr_direction(const struct hdr *h, double cosines[3][3])
{
	char *text = hdr_section(h, "Direction"), *p = text;

	for (int i = 0; i < 9; i++)
		cosines[i / 3][i % 3] = i / 3 == i % 3;

	bool good = true;

	for (int i = 0; i < 9 && p && good; i++) {
		char *end;

		cosines[i / 3][i % 3] = strtod(p, &end);
		good = end > p && isfinite(cosines[i / 3][i % 3]);
		p = end;
	}

	free(text);
	return good;
}

bool hdr_turned(const struct hdr *h, double cosines[3][3], double origin[3])
{
	if (!hdr_has_direction(h) || !hdr_direction(h, cosines))
		return false;

	for (int i = 0; i < 3; i++) {
		double centred = 0.;

		for (int d = 0; d < 3; d++)
			centred -= 0.5 * (double)(h->dims[d] - 1) * h->spacing[d] * cosines[d][i];

		origin[i] = isnan(h->origin[i]) ? centred : h->origin[i];
	}

	return true;
}
