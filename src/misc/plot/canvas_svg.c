#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/plot/canvas_internal.h"
#include "misc/printable.h"

static void put_text(FILE *out, const struct canvas_item *i)
{
	static const char *const anchor[] = {"start", "middle", "end"};

	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\">",
	        i->p[0][0], i->p[0][1], i->size, anchor[i->anchor + 1], i->colour);

	struct str text = {0};

	str_add_printable(&text, i->text); // XML has no control characters

	for (const char *p = text.data; *p; p++) {
		if ('<' == *p)
			fputs("&lt;", out);
		else if ('&' == *p)
			fputs("&amp;", out);
		else
			fputc(*p, out);
	}

	free(text.data);
	fputs("</text>\n", out);
}

/** Whether line b continues line a with the same attributes. */
static bool continues(const struct canvas_item *b, const struct canvas_item *a)
{
	return ITEM_LINE == b->kind && b->colour == a->colour && b->size == a->size &&
	       b->p[0][0] == a->p[1][0] && b->p[0][1] == a->p[1][1];
}

/** A line and those that continue it, as one path; returns how many. */
static long put_lines(FILE *out, const struct canvas_item *i, long left)
{
	long n = 1;

	fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f", i->p[0][0], i->p[0][1], i->p[1][0], i->p[1][1]);

	for (; n < left && continues(i + n, i + n - 1); n++)
		fprintf(out, " %.1f %.1f", i[n].p[1][0], i[n].p[1][1]);

	fprintf(out, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\"/>\n", i->colour, i->size);
	return n;
}

/** Writes the first of the items that are left; returns how many it took. */
static long put_item(FILE *out, const struct canvas_item *i, long left)
{
	switch (i->kind) {
	case ITEM_LINE:
		return put_lines(out, i, left);
	case ITEM_POLYGON:
		fputs("<path d=\"", out);

		for (int k = 0; k < i->n; k++)
			fprintf(out, "%c%.1f %.1f", k ? 'L' : 'M', i->p[k][0], i->p[k][1]);

		fprintf(out, "z\" fill=\"#%06x\" fill-opacity=\"%.2f\"/>\n", i->colour, i->opacity);
		break;
	case ITEM_DISC:
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\"/>\n", i->p[0][0],
		        i->p[0][1], i->size, i->colour);
		break;
	case ITEM_TEXT:
		put_text(out, i);
	}

	return 1;
}

void canvas_svg(const struct canvas *c, struct file_out *f)
{
	FILE *out = file_stream(f);

	fprintf(out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
	        "font-family=\"Helvetica, Arial, sans-serif\" stroke-linecap=\"round\">\n"
	        "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
	        c->width, c->height, c->width, c->height, c->width, c->height);

	for (long i = 0; i < c->n;)
		i += put_item(out, c->item + i, c->n - i);

	fputs("</svg>\n", out);

	if (ferror(out))
		file_failed(f, NULL);
}
