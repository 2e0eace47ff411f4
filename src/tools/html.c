/** A page that shows a volume in a browser. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <zlib.h>

#include "misc/base64.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/plan_file.h"
#include "misc/plot/colormap.h"
#include "misc/printable.h"
#include "misc/progress.h"
#include "num/stat/picture.h"

int main_html(int argc, char *argv[]);

/* src/tools/viewer.html */
static const char page[] =
#include "viewer.inc"
        ;

enum { PART_BYTES = 4 << 20, COLORS = 65, PERCENTILES = 2 };

/* A volume made smaller by whole numbers, quantised between low and high. */
struct volume {
	struct picture plane; // of dims 0 and 1, along dim 2
	long n[3], factor[3];
	double low, high;
	int bits;
	long slices, parts; // slices per part of the page
};

/* ---- numbers ---- */

/* Slice z of the small volume: means of the finite values, NaN where there is none. */
static void shrink_slice(const struct volume *v, long z, double *mean)
{
	const struct picture *p = &v->plane;
	double *line = mem_alloc((size_t)p->width * sizeof *line);
	double *seen = mem_calloc((size_t)(v->n[0] * v->n[1]), sizeof *seen);
	void *tmp = mem_alloc((size_t)p->width * 16);

	memset(mean, 0, (size_t)(v->n[0] * v->n[1]) * sizeof *mean);

	for (long k = z * v->factor[2]; k < (z + 1) * v->factor[2] && k < p->count; k++)
		for (long y = 0; y < p->height; y++) {
			long row = y / v->factor[1] * v->n[0];

			picture_line(p, k, y, line, tmp);

			for (long x = 0; x < p->width; x++)
				if (isfinite(line[x])) {
					mean[row + x / v->factor[0]] += line[x];
					seen[row + x / v->factor[0]]++;
				}
		}

	for (long i = 0; i < v->n[0] * v->n[1]; i++)
		mean[i] = seen[i] > 0. ? mean[i] / seen[i] : NAN;

	free(line);
	free(seen);
	free(tmp);
}

/* 0 .. 2^bits - 2 from low to high, 2^bits - 1: NaN. Of 16 bits the low bytes of the whole part come first,
 * which packs better. */
static void quantise(const struct volume *v, long n, const double *mean, unsigned char *out, long high_bytes)
{
	const long none = (1L << v->bits) - 1;

	for (long i = 0; i < n; i++) {
		double t = (mean[i] - v->low) / (v->high - v->low);
		long q = isnan(t) ? none : (long)(fmin(fmax(t, 0.), 1.) * (double)(none - 1) + 0.5);

		out[i] = (unsigned char)q;

		if (16 == v->bits)
			out[high_bytes + i] = (unsigned char)(q >> 8);
	}
}

/* The z-slices of one part, packed (malloc'd). */
static unsigned char *pack_part(const struct volume *v, long part, unsigned long *bytes)
{
	const long area = v->n[0] * v->n[1], first = part * v->slices;
	const long n = v->n[2] - first < v->slices ? v->n[2] - first : v->slices;
	double *mean = mem_alloc((size_t)area * sizeof *mean);
	unsigned char *raw = mem_alloc((size_t)(n * area * v->bits / 8));

	for (long z = 0; z < n; z++) {
		shrink_slice(v, first + z, mean);
		quantise(v, area, mean, raw + z * area, n * area);
	}

	*bytes = compressBound((unsigned long)(n * area * v->bits / 8));

	unsigned char *packed = mem_alloc(*bytes);

	if (compress2(packed, bytes, raw, (unsigned long)(n * area * v->bits / 8), 6) != Z_OK)
		error("zlib cannot compress %ld slices", n);

	free(mean);
	free(raw);

	return packed;
}

/* ---- the facts ---- */

/* JSON that can stand inside a script element. */
static void write_json(FILE *f, const struct str *s)
{
	for (const char *p = s->data; *p; p++) {
		if ('<' == *p)
			fputs("\\u003c", f);
		else
			fputc(*p, f);
	}
}

static void add_maps(struct str *s)
{
	char names[] = COLORMAP_CHOICES;
	char *rest = names;

	str_add(s, ",\"maps\":{");

	for (int m = 0; m < CM_COUNT; m++) {
		str_printf(s, "%s\"%s\":[", m > 0 ? "," : "", strsep(&rest, "|"));

		for (int k = 0; k < COLORS; k++) {
			double rgb[3];

			colormap_color((enum colormap)m, (double)k / (COLORS - 1), rgb);
			str_printf(s, "%s[%.0f,%.0f,%.0f]", k > 0 ? "," : "", rgb[0] * 255., rgb[1] * 255.,
			        rgb[2] * 255.);
		}

		str_add(s, "]");
	}

	str_add(s, "}");
}

static bool is_projections(const struct hdr *h)
{
	return Q_COUNTS == h->quantity || Q_TRANSMISSION == h->quantity || Q_LINE_INTEGRAL == h->quantity;
}

/* Texts of headers with control characters written out. */
static void add_text(struct str *s, const char *key, const char *text)
{
	struct str printable = {0};

	str_add_printable(&printable, text);
	str_add(s, key);
	str_add_json(s, printable.data);
	free(printable.data);
}

static void add_about(struct str *s, const struct cfl *x, const struct volume *v)
{
	struct str about = {0};

	str_printf(&about, "%s %s", hdr_shape(&x->hdr), dtype_name(x->hdr.type));

	if (x->hdr.quantity != Q_UNKNOWN)
		str_printf(&about, ", %s", quantity_name(x->hdr.quantity));

	if (v->factor[0] * v->factor[1] * v->factor[2] > 1)
		str_printf(&about, ", shown as means of %ld x %ld x %ld", v->factor[0], v->factor[1],
		        v->factor[2]);

	if (x->hdr.command != NULL)
		str_printf(&about, ", made by: %s", x->hdr.command);

	add_text(s, ",\"about\":", about.data);
	free(about.data);
}

static struct str facts(const struct cfl *x, const struct volume *v, const char *title,
        const double window[2], enum colormap map, bool up)
{
	static const char *const volume_axes = "\"x\",\"y\",\"z\"", *const view_axes = "\"u\",\"v\",\"view\"";
	char names[] = COLORMAP_CHOICES;
	char *name = names, *rest = names;
	struct str s = {0};

	for (int m = 0; m <= (int)map; m++)
		name = strsep(&rest, "|");

	add_text(&s, "{\"name\":", title);
	add_about(&s, x, v);
	add_text(&s, ",\"unit\":", x->hdr.unit);
	str_printf(&s, ",\"dims\":[%ld,%ld,%ld],\"bits\":%d,\"parts\":%ld", v->n[0], v->n[1], v->n[2],
	        v->bits, v->parts);
	str_printf(&s, ",\"low\":%.17g,\"high\":%.17g,\"window\":[%.9g,%.9g]", v->low, v->high, window[0],
	        window[1]);
	str_printf(&s, ",\"millimetres\":%s,\"up\":%s,\"map\":\"%s\",\"axes\":[%s]",
	        x->hdr.has_spacing ? "true" : "false", up ? "true" : "false", name,
	        is_projections(&x->hdr) ? view_axes : volume_axes);
	str_add(&s, ",\"spacing\":[");

	for (int d = 0; d < 3; d++)
		str_printf(&s, "%s%.9g", d > 0 ? "," : "", fabs(x->hdr.spacing[d]) * (double)v->factor[d]);

	str_add(&s, "],\"origin\":[");

	for (int d = 0; d < 3; d++) // the centre of the first elements that are taken together
		str_printf(&s, "%s%.9g", d > 0 ? "," : "",
		        hdr_origin(&x->hdr, d) + 0.5 * (double)(v->factor[d] - 1) * x->hdr.spacing[d]);

	str_add(&s, "]");
	add_maps(&s);
	str_add(&s, "}");

	return s;
}

/* ---- the page ---- */

static void write_parts(FILE *f, const struct volume *v)
{
	const int together = tool_threads() > 0 ? tool_threads() : 1;
	unsigned char **packed = mem_calloc((size_t)together, sizeof *packed);
	unsigned long *bytes = mem_calloc((size_t)together, sizeof *bytes);

	progress_start("packing", v->parts);

	for (long first = 0; first < v->parts; first += together) {
		long n = v->parts - first < together ? v->parts - first : together;

#pragma omp parallel for schedule(dynamic)
		for (long k = 0; k < n; k++)
			packed[k] = pack_part(v, first + k, &bytes[k]);

		for (long k = 0; k < n; k++) {
			fprintf(f, "<script type=\"application/octet-stream\" id=\"part%ld\">", first + k);

			char *text = base64(packed[k], (long)bytes[k]);

			fputs(text, f);
			fputs("</script>\n", f);
			free(text);
			free(packed[k]);
		}

		progress_update(first + n);
	}

	progress_end();
	free(packed);
	free(bytes);
}

static void write_page(const char *out, const struct volume *v, const struct str *json)
{
	struct file_out *o = file_create(out);
	FILE *f = file_stream(o);

	fputs(page, f);
	fputs("<script type=\"application/json\" id=\"facts\">", f);
	write_json(f, json);
	fputs("</script>\n", f);
	write_parts(f, v);
	fputs("</body>\n</html>\n", f);
	file_commit(o);
}

/* How much smaller, and in how many parts. */
static void choose_size(struct volume *v, long most, long bits)
{
	const long n[3] = {v->plane.width, v->plane.height, v->plane.count};
	long count = 1;

	for (int d = 0; d < 3; d++) {
		v->factor[d] = (n[d] + most - 1) / most;
		v->n[d] = (n[d] + v->factor[d] - 1) / v->factor[d];
		count *= v->n[d];
	}

	v->bits = bits > 0 ? (int)bits : (count <= 1L << 24 ? 16 : 8);
	v->slices = PART_BYTES / (v->n[0] * v->n[1] * v->bits / 8);
	v->slices = v->slices < 1 ? 1 : v->slices;
	v->parts = (v->n[2] - 1) / v->slices + 1;
}

/* What is quantised, and the window to begin with. */
static void choose_range(
        struct volume *v, const struct opt_doubles *window, double shown[2], const char *name)
{
	static const double percent[PERCENTILES] = {0.1, 99.9};
	const long n = v->plane.count;
	long bad = picture_extent(&v->plane, 0, 1, n, &v->low, &v->high);

	if (bad > 0)
		warn("%s: %ld values are not finite, shown in magenta", name, bad);

	if (!(v->low < v->high))
		v->high = v->low + fmax(1., fabs(v->low));

	for (int k = 0; k < PERCENTILES; k++)
		shown[k] = window->n > 0 ? window->v[k] : picture_percentile(&v->plane, 0, 1, n, percent[k]);

	if (!(shown[0] < shown[1])) {
		shown[0] = v->low;
		shown[1] = v->high;
	}
}

static void check_output(const char *out)
{
	const char *slash = strrchr(out, '/'), *dot = strrchr(slash ? slash : out, '.');

	struct stat st;

	if (0 == stat(out, &st) && !S_ISREG(st.st_mode)) // a device or a pipe
		return;

	if (0 != strcmp(out, "-") &&
	        (!dot || (0 != strcasecmp(dot, ".html") && 0 != strcasecmp(dot, ".htm"))))
		usage_error("%s: a web page is written, expected a name that ends in .html", out);
}

int main_html(int argc, char *argv[])
{
	struct opt_doubles window = {0};
	const char *in = NULL, *out = NULL, *title = NULL;
	long most = 512, bits = 0;
	int map = CM_GRAY, part = PART_MAGNITUDE;
	bool up = false;

	const struct opt opts[] = {
	        OPT_DOUBLES('w', "window", &window, "LO:HI", 0, 0,
	                "initial window (default: from percentile 0.1 to 99.9)"),
	        OPT_CHOICE('c', "colormap", &map, COLORMAP_CHOICES, "initial colour map"),
	        OPT_FLAG('u', "up", &up, "draw the second dimension upwards"),
	        OPT_LONG(0, "max", &most, "N", 16, 1024, "largest side; larger volumes are averaged"),
	        OPT_LONG(0, "bits", &bits, "8|16", 8, 16,
	                "bits per element (default: 16 up to 256 x 256 x 256 elements, else 8)"),
	        OPT_STRING(0, "title", &title, "TEXT", "heading (default: the array's name)"),
	        OPT_CHOICE(0, "part", &part, PICTURE_PARTS, "part of complex elements that is shown"),
	        ARG_IN("IN", &in, "any array; the page shows dimensions 0 to 2"),
	        ARG_OUTFILE("OUT.html", &out, "the page; - for standard output"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "html",
	                  .group = GROUP_LOOK,
	                  .synonyms = "viewer web",
	                  .about = "Write a self-contained web page that shows a volume",
	                  .details = "The page is a single file that contains the volume and a viewer. Any "
	                             "browser from 2023 or later can display the file. The file can be "
	                             "sent by mail or published with a paper.\n\n"
	                             "The viewer shows three planes with a cross-hair. The mouse wheel "
	                             "changes the slice. The viewer also has controls for window, level "
	                             "and colour map, and a profile along any axis. Values are shown in "
	                             "their unit, and positions in mm. A button, the key 3, or #3d at the "
	                             "end of the address opens a 3-D view. The 3-D view has at most 256 "
	                             "elements along each side, and needs WebGL 2.\n\n"
	                             "If a side of the volume is longer than --max, neighbouring elements "
	                             "are averaged. Values are rounded to 1/65534 of their range. With 8 "
	                             "bits, values are rounded to 1/254 of their range.",
	                  .examples = "gantry html --window 0:0.03 volume volume.html\n"
	                              "gantry html --max 256 --title 'Rod, 90 views' volume small.html",
	                  .memory = "about 50 MiB per thread",
	                  .opts = opts},
	        argc, argv);

	if (window.n > 0 && (2 != window.n || !(window.v[0] < window.v[1])))
		usage_error("--window: expected LO:HI with LO < HI");

	check_output(out);

	if (bits != 0 && 8 != bits && 16 != bits)
		usage_error("--bits %ld, expected 8 or 16", bits);

	struct cfl *x = cfl_open(in);
	struct volume v = {0};
	double shown[PERCENTILES];

	picture_init(&v.plane, &x->hdr, 2, (enum picture_part)part, cfl_map(x));

	if (v.plane.rest)
		info("%s: shown at index 0 of %d further dimension%s (gantry slice picks others)", in,
		        v.plane.rest, 1 == v.plane.rest ? "" : "s");

	choose_size(&v, most, bits);

	if (tool_plan())
		tool_plan_file(mem_printf("%s, %ld x %ld x %ld elements of %d bits, before compression", out,
		                       v.n[0], v.n[1], v.n[2], v.bits),
		        v.n[0] * v.n[1] * v.n[2] * v.bits / 8 * 4 / 3);

	choose_range(&v, &window, shown, in);

	struct str json = facts(x, &v, title != NULL ? title : in, shown, (enum colormap)map, up);

	write_page(out, &v, &json);
	free(json.data);
	cfl_close(x);
	leave(EXIT_DONE);
}
