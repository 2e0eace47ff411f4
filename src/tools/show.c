#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/checksum.h"
#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/printable.h"
#include "num/kern/convert.h"

int main_show(int argc, char *argv[]);

enum { SHOW_LIMIT = 1000 };

/* ---- numbers as text ---- */

static bool reads_back(const char *text, double v, bool single)
{
	return single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
}

/* The shortest decimal number that reads back as v (`single`: as the float that v is), without an exponent
 * for whole numbers that are not large. */
static void add_number(struct str *s, double v, bool single)
{
	char text[40];
	int digits = 1;

	do
		snprintf(text, sizeof text, "%.*g", digits, v);
	while (++digits <= 17 && !reads_back(text, v, single));

	if (strchr(text, 'e') && fabs(v) >= 1. && fabs(v) < 1e15)
		snprintf(text, sizeof text, "%.0f", v);

	str_add(s, text);
}

static void add_complex(struct str *s, double re, double im, bool single)
{
	add_number(s, re, single);

	if (!signbit(im) && !isnan(im))
		str_add(s, "+");

	add_number(s, im, single);
	str_add(s, "i");
}

/* One element, in its own precision. */
static void add_element(struct str *s, enum dtype t, const void *p)
{
	bool single = 4 >= dtype_size(dtype_real(t));

	if (dtype_is_complex(t)) {
		complex double z;

		convert(DT_COMPLEX128, &z, t, p, 1, NARROW_SATURATE);
		add_complex(s, creal(z), cimag(z), single);
	} else if (DT_UINT64 == t) {
		str_printf(s, "%" PRIu64, *(const uint64_t *)p);
	} else if (dtype_is_integer(t)) {
		int64_t i;

		convert(DT_INT64, &i, t, p, 1, NARROW_SATURATE);
		str_printf(s, "%" PRId64, i);
	} else {
		double v;

		convert(DT_FLOAT64, &v, t, p, 1, NARROW_SATURATE);
		add_number(s, v, single);
	}
}

/* ---- fields ---- */

static void add_dims(struct str *s, const struct hdr *h, const char *between)
{
	for (int d = 0; d < hdr_rank(h); d++)
		str_printf(s, "%s%ld", d ? between : "", h->dims[d]);
}

/* How many dims have a place in mm worth telling: also those of length 1 that are not centred. */
static int grid_rank(const struct hdr *h)
{
	int rank = hdr_rank(h);

	for (int d = rank; d < DIMS; d++)
		if (!isnan(h->origin[d]) && 0. != h->origin[d])
			rank = d + 1;

	return rank;
}

static void add_grid(struct str *s, const struct hdr *h, bool origin, const char *between)
{
	for (int d = 0; d < grid_rank(h); d++) {
		str_add(s, d ? between : "");
		add_number(s, origin ? hdr_origin(h, d) : h->spacing[d], false);
	}
}

enum field {
	F_DIMS,
	F_RANK,
	F_TYPE,
	F_COUNT,
	F_BYTES,
	F_SPACING,
	F_ORIGIN,
	F_QUANTITY,
	F_UNIT,
	F_DETECTOR,
	F_RADIUS,
	F_CREATOR,
	F_COMMAND,
	F_FILES,
	F_NONE
};

#define FIELD_CHOICES                                                                                        \
	"dims|rank|type|count|bytes|spacing|origin|quantity|unit|detector|radius|creator|command|files"

/* The value of a field, as an option of another command would take it; empty when it is unknown. */
static char *field_text(const struct cfl *x, enum field field)
{
	const struct hdr *h = &x->hdr;
	struct str s = {0};

	str_add(&s, "");

	switch (field) {
	case F_DIMS:
		add_dims(&s, h, ":");
		break;
	case F_RANK:
		str_printf(&s, "%d", hdr_rank(h));
		break;
	case F_TYPE:
		str_add(&s, dtype_name(h->type));
		break;
	case F_COUNT:
		str_printf(&s, "%ld", x->count);
		break;
	case F_BYTES:
		str_printf(&s, "%ld", hdr_bytes(h, x->name));
		break;
	case F_SPACING:
	case F_ORIGIN:
		add_grid(&s, h, F_ORIGIN == field, ":");
		break;
	case F_QUANTITY:
		str_add(&s, quantity_name(h->quantity));
		break;
	case F_UNIT:
		str_add(&s, h->unit);
		break;
	case F_DETECTOR:
		if (h->has_detector)
			str_printf(&s, "%ld:%ld", h->detector[0], h->detector[1]);
		break;
	case F_RADIUS:
		if (h->has_detector)
			add_number(&s, h->radius, false);
		break;
	case F_CREATOR:
		str_add(&s, h->creator ? h->creator : "");
		break;
	case F_COMMAND:
		str_add(&s, h->command ? h->command : "");
		break;
	case F_FILES:
		str_add(&s, h->files ? h->files : "");
		break;
	case F_NONE:
		break;
	}

	return s.data;
}

/* ---- the page ---- */

/* A header may come from anybody: nothing that steers a terminal gets through. */
static void print_text(const char *text, bool lines)
{
	struct str s = {0};

	if (lines)
		str_add_printable_lines(&s, text);
	else
		str_add_printable(&s, text);

	fputs(s.data, stdout);
	free(s.data);
}

static void line(const char *label, const char *text)
{
	if (!text || !*text)
		return;

	printf("%-9s ", label);
	print_text(text, false);
	putchar('\n');
}

static void print_field(const struct cfl *x, enum field field)
{
	char *text = field_text(x, field);

	print_text(text, false);
	putchar('\n');
	free(text);
}

static void __attribute__((format(printf, 2, 3))) line_printf(const char *label, const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	line(label, s.data);
	free(s.data);
}

static void print_grid(const struct hdr *h)
{
	struct str spacing = {0}, origin = {0};

	add_grid(&spacing, h, false, "  ");
	add_grid(&origin, h, true, "  ");
	str_add(&spacing, " mm");
	str_printf(&origin, " mm%s", h->has_origin ? "" : " (centred)");

	if (h->has_spacing || h->has_origin) {
		line("spacing", spacing.data);
		line("origin", origin.data);
	}

	free(spacing.data);
	free(origin.data);
}

static void print_header(const struct cfl *x)
{
	const struct hdr *h = &x->hdr;
	long bytes = hdr_bytes(h, x->name);

	line("name", x->name);
	line("dims", hdr_shape(h));
	line("type", dtype_name(h->type));
	line_printf("size", "%ld elements, %s", x->count, human_bytes((double)bytes));
	print_grid(h);
	line("quantity", h->quantity ? quantity_name(h->quantity) : NULL);
	line("unit", h->unit);

	if (h->has_detector)
		line_printf("detector",
		        h->radius > 0. ? "%ld columns, %ld rows, radius %g mm" : "%ld columns, %ld rows",
		        h->detector[0], h->detector[1], h->radius);

	line("creator", h->creator);
	line("command", h->command);

	if (h->extra && *h->extra) {
		print_text(h->extra, true);

		if ('\n' != h->extra[strlen(h->extra) - 1])
			putchar('\n');
	}

	if (Q_GEOMETRY == h->quantity)
		line_printf("see", "gantry geom %s", x->name);
}

/* ---- elements ---- */

/* Where the positions of dims 1, 2, ... are after the element i: how many of them wrapped around. */
static int ends_of_dims(const struct hdr *h, long i)
{
	int wrapped = 0;

	for (int d = 0; d < hdr_rank(h) && 0 == (i + 1) % h->dims[d]; d++) {
		i = (i + 1) / h->dims[d] - 1;
		wrapped++;
	}

	return wrapped;
}

/* All elements: a line per line of dim 0, an empty line after each plane. */
static void print_all(struct cfl *x)
{
	const char *p = cfl_map(x);
	struct str s = {0};

	for (long i = 0; i < x->count; i++) {
		int ends = ends_of_dims(&x->hdr, i);

		add_element(&s, x->hdr.type, p + i * (long)dtype_size(x->hdr.type));
		str_add(&s, ends ? "\n" : " ");

		if (ends > 1 && i + 1 < x->count)
			str_add(&s, "\n");

		if (ends || s.len > 1 << 16) {
			fputs(s.data, stdout);
			s.len = 0;
		}
	}

	free(s.data);
}

static void print_range(struct cfl *x, long start, long step, long n)
{
	const char *p = cfl_map(x);

	for (long k = 0; k < n; k++) {
		struct str s = {0};

		add_element(&s, x->hdr.type, p + (start + k * step) * (long)dtype_size(x->hdr.type));
		printf("%s\n", s.data);
		free(s.data);
	}
}

static void print_data(struct cfl *x, const char *range, long limit)
{
	long start = 0, step = 1, n = x->count;

	if (range)
		parse_range(range, x->count, &start, &step, &n, "--range");

	if (n > limit)
		error("%s has %ld elements to print, expected at most %ld (raise --limit, or select elements "
		      "with --range START:STOP or gantry extract)",
		        x->name, n, limit);

	if (range)
		print_range(x, start, step, n);
	else
		print_all(x);
}

int main_show(int argc, char *argv[])
{
	const char *in = NULL, *range = NULL;
	bool data = false, history = false, verify = false;
	int field = F_NONE;
	long limit = SHOW_LIMIT;

	const struct opt opts[] = {
	        OPT_CHOICE(0, "field", &field, FIELD_CHOICES, "print only this value, for scripts"),
	        OPT_FLAG('d', "data", &data, "print the elements, a line per line of dimension 0"),
	        OPT_STRING(0, "range", &range, "START:STOP[:STEP]",
	                "print these elements, one per line, counted from 0 in storage order"),
	        OPT_LONG(0, "limit", &limit, "N", 1, 0x1p62, "largest number of elements to print"),
	        OPT_FLAG(0, "history", &history, "print the steps that made the array"),
	        OPT_FLAG(0, "verify", &verify, "verify the checksum of data and header"),
	        ARG_IN("IN", &in, "any array"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "show",
	                  .group = GROUP_LOOK,
	                  .synonyms = "info header dump print",
	                  .about = "Print the header or the elements of an array",
	                  .details = "Spacing and origin are in mm. The option --field prints sizes and "
	                             "positions with colons between the numbers. The options --size, "
	                             "--spacing and --origin of other commands read the output of --field. "
	                             "For an unknown value, --field prints an empty line. Elements are "
	                             "printed with as many digits as are needed to read them back exactly. "
	                             "Complex elements are printed as in 1+2i.",
	                  .examples = "gantry show volume\ngantry show --field dims volume\ngantry show "
	                              "--data small\n"
	                              "gantry show --range 0:10 volume",
	                  .opts = opts},
	        argc, argv);

	data = data || range;

	if ((F_NONE != field) + data + history + verify > 1)
		usage_error("--field, --data (or --range), --history and --verify exclude each other");

	struct cfl *x = cfl_open(in);

	tool_plan_text();

	if (data)
		print_data(x, range, limit);
	else if (verify)
		checksum_verify(in);
	else if (history)
		print_text(x->hdr.history ? x->hdr.history : "", true);
	else if (F_NONE != field)
		print_field(x, (enum field)field);
	else
		print_header(x);

	cfl_close(x);
	leave(EXIT_DONE);
}
