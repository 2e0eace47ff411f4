#include "misc/formats/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/embed.h"
#include "misc/formats/ome.h"
#include "misc/formats/source.h"
#include "misc/mem.h"

/* The value of a line "key=value" of a comment (malloc'd), or NULL. */
static char *value_of(const char *comment, const char *key)
{
	const size_t n = strlen(key);

	for (const char *line = comment; *line; line += '\n' == *line) {
		if (0 == strncmp(line, key, n) && '=' == line[n])
			return mem_printf("%.*s", (int)strcspn(line + n + 1, "\r\n"), line + n + 1);

		line += strcspn(line, "\n");
	}

	return NULL;
}

/* [mm], 0 = no length */
static double unit_length(const char *unit)
{
	static const struct {
		const char *name;
		double mm;
	} units[] = {{"nm", 1e-6}, {"um", 1e-3}, {"micron", 1e-3}, {"microns", 1e-3}, {"\xc2\xb5m", 1e-3},
	        {"\\u00B5m", 1e-3}, {"\xce\xbcm", 1e-3}, {"&#181;m", 1e-3}, {"&#xB5;m", 1e-3},
	        {"&#xb5;m", 1e-3}, {"&#956;m", 1e-3}, {"mm", 1.}, {"cm", 10.}, {"m", 1e3}, {"inch", 25.4}};

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
		hdr_set_section(h, "Rescale", text.data);
		free(text.data);
		info("%s: values are kept as stored: true value = stored * %g + %g (gantry expr applies "
		     "this)",
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
	else
		source_no_spacing(h, 2);

	free(unit);
	free(step);
}

/* The value of an XML attribute NAME="value" (malloc'd), or NULL. */
static char *attribute(const char *xml, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = strstr(xml, name); at; at = strstr(at + n, name))
		if ('=' == at[n] && '"' == at[n + 1])
			return mem_printf("%.*s", (int)strcspn(at + n + 2, "\""), at + n + 2);

	return NULL;
}

/* OME-TIFF: of the first picture; micrometres unless it says another unit. */
static void ome(struct hdr *h, const char *xml)
{
	static const char *const names[3][2] = {{"PhysicalSizeX", "PhysicalSizeXUnit"},
	        {"PhysicalSizeY", "PhysicalSizeYUnit"}, {"PhysicalSizeZ", "PhysicalSizeZUnit"}};

	bool known[3] = {false};

	for (int d = 0; d < 3; d++) {
		char *size = attribute(xml, names[d][0]), *unit = attribute(xml, names[d][1]);
		const double mm = size ? atof(size) * (unit ? unit_length(unit) : 1e-3) : 0.;

		known[d] = mm > 0. && isfinite(mm);

		if (known[d]) {
			h->spacing[d] = mm;
			h->has_spacing = true;
		}

		free(size);
		free(unit);
	}

	for (int d = 0; d < 3; d++)
		if (!known[d])
			source_no_spacing(h, d);
}

static long number_of(char *text)
{
	const long v = text ? atol(text) : 0;

	free(text);
	return v;
}

/* Pages that are not one stack of slices have no distance. */
static void check_pages(struct hdr *h, const struct tiff_about *a, bool is_ome, const char *name)
{
	const char *text = a->description;
	const long c = number_of(is_ome ? attribute(text, "SizeC") : value_of(text, "channels")),
	           t = number_of(is_ome ? attribute(text, "SizeT") : value_of(text, "frames")),
	           z = number_of(is_ome ? attribute(text, "SizeZ") : value_of(text, "slices"));
	const char *first = is_ome ? strstr(text, "<Image ") : NULL;
	const bool several = first && strstr(first + 1, "<Image ");

	// ImageJ's files of one kind of page may be volumes that their writer called channels or times
	const bool one = is_ome ? c <= 1 && t <= 1 : (c > 1) + (t > 1) + (z > 1) <= 1;

	if (one && !several)
		return;

	source_no_spacing(h, 2);

	if (several)
		warn("%s: the pages of several images are stacked along dimension 2, one image after the "
		     "other",
		        name);
	else
		warn("%s: %ld x %ld x %ld pages (channels, slices, times) are stacked along dimension 2 in "
		     "file order (gantry reshape splits dimension 2)",
		        name, c > 1 ? c : 1, z > 1 ? z : 1, t > 1 ? t : 1);
}

/* Of a file that says no more: pixels of 1 nm to 5 mm, but not what programs write for screens and printers.
 */
static void plain(struct hdr *h, const struct tiff_about *a)
{
	static const double usual[] = {72., 90., 96., 100., 120., 144., 150., 180., 200., 240., 300., 350.,
	        360., 400., 600., 720., 1200., 2400.};
	const double unit = (2 == a->unit) ? 25.4 : (3 == a->unit) ? 10. : 0.;
	double step[2];

	for (int d = 0; d < 2; d++) {
		step[d] = (a->resolution[d] > 0.) ? unit / a->resolution[d] : 0.;

		if (!(step[d] >= 1e-6 && step[d] <= 5.))
			return;

		for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
			if (fabs(25.4 / step[d] - usual[i]) < 2e-3 * usual[i])
				return;
	}

	memcpy(h->spacing, step, sizeof step);
	h->has_spacing = true;
	source_no_spacing(h, 2);
}

void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name)
{
	const char *said = a->description ? a->description : "", *text = embed_find(said);
	const bool is_imagej = 0 == strncmp(said, "ImageJ=", 7), is_ome = NULL != strstr(said, "<OME ");
	char *ours = is_ome ? ome_header(said) : text ? mem_strdup(text) : NULL;

	if (is_imagej) {
		imagej(h, a);
		calibration(h, a, name);
	} else if (is_ome) {
		ome(h, said);
	} else if (!ours) {
		plain(h, a);
	}

	if (ours)
		embed_apply(h, ours, name, (struct said){.dims = is_imagej || is_ome ? 3 : 2});
	else if (is_imagej || is_ome)
		check_pages(h, a, is_ome, name);

	free(ours);
}
