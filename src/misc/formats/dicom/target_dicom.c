/** DICOM: CT images, explicit little-endian, one slice per file. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/dicom/dicom_internal.h"
#include "misc/formats/embed.h"
#include "misc/formats/target.h"
#include "misc/mem.h"

static const char ct_image[] = "1.2.840.10008.5.1.4.1.1.2";

static void put_number(struct str *s, unsigned long v, int bytes)
{
	for (int i = 0; i < bytes; i++) {
		const char c = (char)(v >> 8 * i);

		str_addn(s, &c, 1);
	}
}

static void put_head(struct str *s, uint32_t tag, const char *vr, size_t n)
{
	put_number(s, tag >> 16, 2);
	put_number(s, tag & 0xffff, 2);
	str_add(s, vr);

	if (dicom_has_long_length(vr)) {
		put_number(s, 0, 2);
		put_number(s, n, 4);
	} else {
		put_number(s, n, 2);
	}
}

static void put_text(struct str *s, uint32_t tag, const char *vr, const char *text)
{
	const size_t n = strlen(text);

	put_head(s, tag, vr, (n + 1) & ~(size_t)1);
	str_add(s, text);

	if (n % 2)
		str_addn(s, 0 == strcmp(vr, "UI") ? "" : " ", 1);
}

static void put_short(struct str *s, uint32_t tag, unsigned long v)
{
	put_head(s, tag, "US", 2);
	put_number(s, v, 2);
}

/* Decimal strings have at most 16 characters. */
static void put_decimals(struct str *s, uint32_t tag, const double v[], int n)
{
	struct str text = {0};

	for (int i = 0; i < n; i++) {
		char number[64];

		for (int digits = 15; digits > 0; digits--)
			if (snprintf(number, sizeof number, "%.*g", digits, v[i] + 0.) <= 16)
				break;

		str_printf(&text, "%s%s", i ? "\\" : "", number);
	}

	put_text(s, tag, "DS", text.data);
	free(text.data);
}

/* A unique name of a thing that is described by these words: 2.25 and a number of 128 bits, made of their
 * hash. */
static char *unique_name(const char *what, const char *words, long number)
{
	char *all = mem_printf("%s %ld %s", what, number, words);
	const XXH128_hash_t hash = XXH3_128bits(all, strlen(all));
	unsigned __int128 v = (unsigned __int128)hash.high64 << 64 | hash.low64;
	char digits[48];
	int i = sizeof digits - 1;

	digits[i] = '\0';

	do {
		digits[--i] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v > 0);

	free(all);
	return mem_printf("2.25.%s", digits + i);
}

static void put_name(struct str *s, uint32_t tag, const struct target *t, const char *what, long number)
{
	char *name = unique_name(what, t->o->series ? t->o->series : t->path, number);

	put_text(s, tag, "UI", name);
	free(name);
}

static void put_image(struct str *s, const struct target *t, const char *ours)
{
	double c[3][3], origin[3], v[2], rescale[2] = {1., 0.};
	const bool is_signed = DT_INT16 == t->h.type || DT_INT8 == t->h.type;
	const unsigned long bits = 8 * dtype_size(t->h.type);

	hdr_rescale(&t->h, rescale);
	hdr_direction(&t->h, c);

	for (int d = 0; d < 3; d++)
		origin[d] = hdr_origin(&t->h, d);

	put_text(s, TAG(0x0008, 0x0008), "CS", "DERIVED\\SECONDARY\\AXIAL");
	put_text(s, TAG(0x0008, 0x0016), "UI", ct_image);
	put_name(s, TAG(0x0008, 0x0018), t, "image", t->o->slice);
	put_text(s, TAG(0x0008, 0x0020), "DA", "");
	put_text(s, TAG(0x0008, 0x0030), "TM", "");
	put_text(s, TAG(0x0008, 0x0050), "SH", "");
	put_text(s, TAG(0x0008, 0x0060), "CS", "CT");
	put_text(s, TAG(0x0008, 0x0070), "LO", "");
	put_text(s, TAG(0x0008, 0x0090), "PN", "");
	put_text(s, TAG(0x0009, 0x0010), "LO", "GANTRY");
	put_text(s, OURS, "UT", ours);
	put_text(s, TAG(0x0010, 0x0010), "PN", "");
	put_text(s, TAG(0x0010, 0x0020), "LO", "");
	put_text(s, TAG(0x0010, 0x0030), "DA", "");
	put_text(s, TAG(0x0010, 0x0040), "CS", "");
	put_decimals(s, TAG(0x0018, 0x0050), &t->h.spacing[2], 1);
	put_text(s, TAG(0x0018, 0x0060), "DS", "");
	put_name(s, TAG(0x0020, 0x000d), t, "study", 0);
	put_name(s, TAG(0x0020, 0x000e), t, "series", 0);
	put_text(s, TAG(0x0020, 0x0010), "SH", "");
	put_text(s, TAG(0x0020, 0x0011), "IS", "1");
	put_text(s, TAG(0x0020, 0x0012), "IS", "");

	char *text = mem_printf("%ld", t->o->slice + 1);

	put_text(s, TAG(0x0020, 0x0013), "IS", text);
	free(text);
	put_decimals(s, TAG(0x0020, 0x0032), origin, 3);
	put_decimals(s, TAG(0x0020, 0x0037), &c[0][0], 6);
	put_name(s, TAG(0x0020, 0x0052), t, "frame", 0);
	put_text(s, TAG(0x0020, 0x1040), "LO", "");
	put_short(s, TAG(0x0028, 0x0002), 1);
	put_text(s, TAG(0x0028, 0x0004), "CS", "MONOCHROME2");
	put_short(s, TAG(0x0028, 0x0010), (unsigned long)t->h.dims[1]);
	put_short(s, TAG(0x0028, 0x0011), (unsigned long)t->h.dims[0]);
	v[0] = t->h.spacing[1];
	v[1] = t->h.spacing[0];
	put_decimals(s, TAG(0x0028, 0x0030), v, 2);
	put_short(s, TAG(0x0028, 0x0100), bits);
	put_short(s, TAG(0x0028, 0x0101), bits);
	put_short(s, TAG(0x0028, 0x0102), bits - 1);
	put_short(s, TAG(0x0028, 0x0103), is_signed);
	put_decimals(s, TAG(0x0028, 0x1052), &rescale[1], 1);
	put_decimals(s, TAG(0x0028, 0x1053), &rescale[0], 1);
	put_text(
	        s, TAG(0x0028, 0x1054), "LO", Q_HOUNSFIELD == t->h.quantity || rescale[1] < 0. ? "HU" : "US");
}

static void dicom_finish(struct target *t)
{
	if ((hdr_bytes(&t->h, t->path) & 1) != 0) { // values have even lengths
		t->h.type = DT_UINT8;
		t->write(t, "", 1);
	}

	t->last(t);
}

void target_dicom(struct target *t)
{
	const long bytes = hdr_bytes(&t->h, t->path);
	struct str meta = {0}, s = {0};
	char *text = embed_text(&t->h), *ours = mem_printf("%s\x01", text);

	if (t->h.dims[0] > UINT16_MAX || t->h.dims[1] > UINT16_MAX || bytes > UINT32_MAX - 1)
		error("%s: the image is %s, expected at most 65535 x 65535 pixels and 4 GiB", t->path,
		        hdr_shape(&t->h));

	put_head(&meta, TAG(0x0002, 0x0001), "OB", 2);
	str_addn(&meta, "\0\1", 2);
	put_text(&meta, TAG(0x0002, 0x0002), "UI", ct_image);
	put_name(&meta, TAG(0x0002, 0x0003), t, "image", t->o->slice);
	put_text(&meta, SYNTAX, "UI", "1.2.840.10008.1.2.1");
	put_text(&meta, TAG(0x0002, 0x0012), "UI", "2.25.217399811064321706543299331735215213");

	for (int i = 0; i < 128; i++)
		str_addn(&s, "", 1);

	str_add(&s, "DICM");
	put_head(&s, TAG(0x0002, 0x0000), "UL", 4);
	put_number(&s, meta.len, 4);
	str_addn(&s, meta.data, meta.len);
	put_image(&s, t, ours);
	put_head(&s, PIXELS, 1 == dtype_size(t->h.type) ? "OB" : "OW", (size_t)(bytes + 1) & ~(size_t)1);
	target_plain(t, s.data, (long)s.len, PACK_NONE);
	t->last = t->finish;
	t->finish = dicom_finish;
	free(meta.data);
	free(s.data);
	free(ours);
	free(text);
}
