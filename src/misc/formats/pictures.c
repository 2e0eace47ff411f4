#include "misc/formats/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/formats/embed.h"
#include "misc/formats/source.h"
#include "misc/mem.h"

/* The value of a line "key=value" of a comment (malloc'd), or NULL. */
static char *value_of(const char *comment, const char *key)
{
	const size_t n = strlen(key);

	for (const char *line = comment; line; line = strchr(line, '\n'), line += !!line)
		if (0 == strncmp(line, key, n) && '=' == line[n])
			return mem_printf("%.*s", (int)strcspn(line + n + 1, "\r\n"), line + n + 1);

	return NULL;
}

/* [mm], 0 = no length */
static double unit_length(const char *unit)
{
	static const struct {
		const char *name;
		double mm;
	} units[] = {{"nm", 1e-6}, {"um", 1e-3}, {"micron", 1e-3}, {"microns", 1e-3}, {"\xc2\xb5m", 1e-3},
	        {"\\u00B5m", 1e-3}, {"mm", 1.}, {"cm", 10.}, {"m", 1e3}, {"inch", 25.4}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (0 == strcmp(unit, units[i].name))
			return units[i].mm;

	return 0.;
}

/* What the values mean, a straight line: ImageJ keeps signed numbers in uint16 that way. */
static void calibration(struct hdr *h, const struct tiff_about *a, const char *name)
{
	char *kind = value_of(a->description, "cf"), *zero = value_of(a->description, "c0"),
	     *slope = value_of(a->description, "c1");
	const double v[2] = {slope ? atof(slope) : 0., zero ? atof(zero) : 0.};

	if (kind && 0 == atoi(kind) && zero && isfinite(v[1]) && isfinite(v[0]) && 0. != v[0] &&
	        (1. != v[0] || 0. != v[1])) {
		struct str text = {0};

		str_add_double(&text, v[0], 15);
		str_add(&text, " ");
		str_add_double(&text, v[1], 15);
		source_section(h, "Rescale", text.data);
		free(text.data);
		info("%s: values as stored; times %g plus %g is what they mean (gantry expr applies it)",
		        name, v[0], v[1]);
	}

	free(kind);
	free(zero);
	free(slope);
}

static void imagej(struct hdr *h, const struct tiff_about *a)
{
	char *unit = value_of(a->description, "unit"), *step = value_of(a->description, "spacing");
	const double mm = unit ? unit_length(unit) : 0.;

	for (int d = 0; d < 2; d++)
		if (mm > 0. && a->resolution[d] > 0. && isfinite(a->resolution[d])) {
			h->spacing[d] = mm / a->resolution[d];
			h->has_spacing = true;
		}

	const double z = step ? mm * atof(step) : 0.;

	if (h->has_spacing && z > 0. && isfinite(z))
		h->spacing[2] = z;

	free(unit);
	free(step);
}

void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name)
{
	const char *text = embed_find(a->description);

	if (0 == strncmp(a->description, "ImageJ=", 7)) {
		imagej(h, a);
		calibration(h, a, name);
	}

	if (text)
		embed_apply(h, text, name, 2);
}
