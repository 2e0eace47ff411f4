#include "misc/formats/ome.h"

#include <stdlib.h>
#include <string.h>

#include "misc/formats/embed.h"
#include "misc/mem.h"

static const char *type_name(enum dtype t)
{
	switch (t) {
	case DT_FLOAT32:
		return "float";
	case DT_FLOAT64:
		return "double";
	case DT_COMPLEX64:
		return "complex";
	case DT_COMPLEX128:
		return "double-complex";
	case DT_BOOL:
		return "uint8";
	default:
		return dtype_name(t);
	}
}

/* Our header in one line of ASCII without XML's own characters. */
static void add_header(struct str *s, const struct hdr *h)
{
	char *text = embed_text(h), *line = embed_escape(text);

	for (const char *p = line; *p; p++)
		if (*p < ' ' || *p > '~' || strchr("<>&\"'", *p))
			str_printf(s, "\\x%02x", (unsigned)(unsigned char)*p);
		else
			str_addn(s, p, 1);

	free(line);
	free(text);
}

static void add_sizes(struct str *s, const struct hdr *h)
{
	for (int d = 0; d < 5; d++)
		str_printf(s, " Size%c=\"%ld\"", "XYZCT"[d], h -> dims[d]);

	for (int d = 0; d < 3 && h->has_spacing; d++) {
		str_printf(s, " PhysicalSize%c=\"", "XYZ"[d]);
		str_add_double(s, h->spacing[d], 15);
		str_printf(s, "\" PhysicalSize%cUnit=\"mm\"", "XYZ"[d]);
	}
}

char *ome_format(const struct hdr *h)
{
	struct str s = {0};

	str_add(&s,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
	        "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
	        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
	        "xsi:schemaLocation=\"http://www.openmicroscopy.org/Schemas/OME/2016-06 "
	        "http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd\" Creator=\"gantry " GANTRY_VERSION
	        "\"><Image ID=\"Image:0\">");
	str_printf(&s, "<Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" Type=\"%s\" BigEndian=\"false\"",
	        type_name(h->type));
	add_sizes(&s, h);
	str_add(&s, ">");

	for (long c = 0; c < h->dims[3]; c++)
		str_printf(&s, "<Channel ID=\"Channel:0:%ld\" SamplesPerPixel=\"1\"/>", c);

	str_printf(&s, "<TiffData IFD=\"0\" PlaneCount=\"%ld\"/></Pixels></Image>",
	        h->dims[2] * h->dims[3] * h->dims[4]);
	str_add(&s, "<StructuredAnnotations><CommentAnnotation ID=\"Annotation:0\"><Value>");
	add_header(&s, h);
	str_add(&s, "</Value></CommentAnnotation></StructuredAnnotations></OME>");

	return s.data;
}

char *ome_header(const char *xml)
{
	const char *at = strstr(xml, "# Dimensions\\n");

	if (!at)
		return NULL;

	char *line = mem_printf("%.*s", (int)strcspn(at, "<"), at), *text = embed_unescape(line);

	free(line);
	return text;
}
