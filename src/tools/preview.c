/** A slice in the terminal. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/plot/colormap.h"
#include "misc/plot/terminal.h"
#include "num/stat/picture.h"

int main_preview(int argc, char *argv[]);

enum { LEVELS = 254, NOT_FINITE = 254 }; // palette indices; sixel has no more than 255

static void make_palette(struct terminal_picture *t, enum colormap map)
{
	for (int k = 0; k < 256; k++) {
		double rgb[3] = {1., 0., 1.};

		if (k < LEVELS)
			colormap_color(map, (double)k / (LEVELS - 1), rgb);

		for (int c = 0; c < 3; c++)
			t->palette[k][c] = (unsigned char)(rgb[c] * 255. + 0.5);
	}
}

/* Elements a .. b - 1 that cell i of `cells` shows of n: at least one. */
static void cell_range(int i, int cells, long n, long *a, long *b)
{
	*a = (long)floor((double)i * (double)n / cells);
	*b = (long)ceil((double)(i + 1) * (double)n / cells);

	if (cells >= n) { // enlarged: the nearest
		*a = (long)floor(((double)i + 0.5) * (double)n / cells);
		*b = *a + 1;
	}

	*b = *b > n ? n : *b;
}

/* Means of the finite elements under each cell, as palette indices. */
static unsigned char *shrink(
        const struct picture *p, long slice, int width, int height, const double window[2], bool up)
{
	unsigned char *out = mem_alloc((size_t)width * (size_t)height);
	double *line = mem_alloc((size_t)p->width * sizeof *line);
	void *tmp = mem_alloc((size_t)p->width * 16);
	double *sum = mem_alloc((size_t)width * sizeof *sum), *seen = mem_alloc((size_t)width * sizeof *seen);

	for (int y = 0; y < height; y++) {
		long y0, y1, x0, x1;

		cell_range(up ? height - 1 - y : y, height, p->height, &y0, &y1);

		for (int x = 0; x < width; x++)
			sum[x] = seen[x] = 0.;

		for (long j = y0; j < y1; j++) {
			picture_line(p, slice, j, line, tmp);

			for (int x = 0; x < width; x++) {
				cell_range(x, width, p->width, &x0, &x1);

				for (long i = x0; i < x1; i++)
					if (isfinite(line[i])) {
						sum[x] += line[i];
						seen[x]++;
					}
			}
		}

		for (int x = 0; x < width; x++) {
			double t = (sum[x] / seen[x] - window[0]) / (window[1] - window[0]);

			out[y * width + x] =
			        seen[x] > 0. ? (unsigned char)(fmin(fmax(t, 0.), 1.) * (LEVELS - 1) + 0.5)
			                     : NOT_FINITE;
		}
	}

	free(line);
	free(tmp);
	free(sum);
	free(seen);

	return out;
}

/* As large as fits, pixels of `aspect` = width over height each. */
static void fit(const struct picture *p, const struct hdr *h, int room_x, int room_y, double aspect,
        int *width, int *height)
{
	double sx = (double)p->width * fabs(h->spacing[p->across]);
	double sy = (double)p->height * fabs(h->spacing[p->down]) * aspect;
	double scale = fmin(room_x / sx, room_y / sy);

	*width = (int)fmax(1., floor(sx * scale + 1e-9));
	*height = (int)fmax(1., floor(sy * scale + 1e-9));
}

static void choose_window(double window[2], const struct opt_doubles *given,
        const struct opt_doubles *percentile, const struct picture *p, long slice)
{
	double low = percentile->n > 0 ? percentile->v[0] : 0.;

	picture_extent(p, slice, 1, 1, &window[0], &window[1]);

	if (percentile->n > 0) {
		window[0] = picture_percentile(p, slice, 1, 1, low);
		window[1] = picture_percentile(
		        p, slice, 1, 1, 2 == percentile->n ? percentile->v[1] : 100. - low);
	}

	if (given->n > 0)
		memcpy(window, given->v, 2 * sizeof *window);

	if (!(window[0] < window[1]))
		window[1] = window[0] + fmax(1., fabs(window[0]));
}

int main_preview(int argc, char *argv[])
{
	struct opt_doubles window = {0}, percentile = {0};
	const char *in = NULL, *slice_text = NULL;
	int dim = -1, map = CM_GRAY, part = PART_MAGNITUDE, mode = TERMINAL_AUTO;
	long columns = 0;
	bool up = false;

	const struct opt opts[] = {
	        OPT_DOUBLES('w', "window", &window, "LO:HI", 0, 0,
	                "values drawn black and white (default: smallest and largest)"),
	        OPT_DOUBLES(0, "percentile", &percentile, "P[:Q]", 0, 100,
	                "window from percentile P to Q (default of Q: 100-P)"),
	        {0, "dim", OPT_KIND_DIM, &dim, "DIM",
	                "cut across this dimension (default: the third one larger than 1)", 0, 0, 0, 0},
	        OPT_STRING('s', "slice", &slice_text, "N",
	                "index of the slice, negative from the end (default: the middle)"),
	        OPT_FLAG('u', "up", &up, "draw the second dimension upwards"),
	        OPT_CHOICE('c', "colormap", &map, COLORMAP_CHOICES, "colour map"),
	        OPT_CHOICE(0, "part", &part, PICTURE_PARTS, "part of complex elements that is drawn"),
	        OPT_CHOICE('m', "mode", &mode, TERMINAL_CHOICES, "drawing mode of the terminal"),
	        OPT_LONG(0, "columns", &columns, "N", 4, 4096,
	                "width in characters (default: the terminal's)"),
	        ARG_IN("IN", &in, "any array"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "preview",
	                  .group = GROUP_LOOK,
	                  .synonyms = "imshow display",
	                  .about = "Show a slice in the terminal",
	                  .details = "The slice is drawn with coloured half blocks, so that each character "
	                             "shows two pixels. If the terminal supports sixel or kitty graphics, "
	                             "these graphics are used. If the output is not a terminal, plain "
	                             "characters are used. The horizontal and the vertical scale are "
	                             "equal. If several elements share a pixel, their mean is shown. NaN "
	                             "and infinite elements are left out of the mean. A pixel without "
	                             "finite elements is magenta. In plain characters, a pixel without "
	                             "finite elements is drawn like the largest value.",
	                  .examples = "gantry preview volume\n"
	                              "gantry preview --dim y --up --colormap viridis volume\n"
	                              "gantry preview --mode sixel --window 0:0.03 volume",
	                  .opts = opts},
	        argc, argv);

	if (window.n > 0 && (2 != window.n || !(window.v[0] < window.v[1])))
		usage_error("--window: expected LO:HI with LO < HI");

	if (percentile.n > 2 ||
	        (percentile.n > 0 &&
	                !(percentile.v[0] < (2 == percentile.n ? percentile.v[1] : 100. - percentile.v[0]))))
		usage_error("--percentile: expected LO:HI with LO < HI, or one number P below 50 (LO = P, HI "
		            "= 100 - P)");

	struct cfl *x = cfl_open(in);
	struct picture p;
	struct terminal_picture t;
	struct str text = {0};
	double shown[2];
	int width, height, cell_width, cell_height;

	picture_init(&p, &x->hdr, dim, (enum picture_part)part, cfl_map(x));
	tool_plan_text();

	long slice = slice_text != NULL ? parse_long(slice_text, "--slice") : p.count / 2;

	if (slice < -p.count || slice >= p.count)
		usage_error("--slice %ld, expected 0..%ld (or -%ld..-1 from the end)", slice, p.count - 1,
		        p.count);

	slice += slice < 0 ? p.count : 0;
	choose_window(shown, &window, &percentile, &p, slice);

	if (TERMINAL_AUTO == mode)
		mode = terminal_detect(STDOUT_FILENO);

	terminal_size(STDOUT_FILENO, &width, &height, &cell_width, &cell_height);

	width = columns > 0 ? (int)columns : width;
	height = columns > 0 ? 1 << 16 : height - 2;

	if (TERMINAL_BLOCKS == mode)
		fit(&p, &x->hdr, width, 2 * height, 1., &width, &height);
	else if (TERMINAL_ASCII == mode)
		fit(&p, &x->hdr, width, height, 0.5, &width, &height);
	else
		fit(&p, &x->hdr, width * cell_width, height * cell_height, 1., &width, &height);

	unsigned char *index = shrink(&p, slice, width, height, shown, up);
	const char *color = getenv("COLORTERM");

	t.width = width;
	t.height = height;
	t.index = index;
	make_palette(&t, (enum colormap)map);

	if (TERMINAL_BLOCKS == mode)
		terminal_blocks(
		        &text, &t, color != NULL && (!strcmp(color, "truecolor") || !strcmp(color, "24bit")));
	else if (TERMINAL_ASCII == mode)
		terminal_ascii(&text, &t);
	else if (TERMINAL_SIXEL == mode)
		terminal_sixel(&text, &t);
	else
		terminal_kitty(&text, &t);

	fwrite(text.data, 1, text.len, stdout);
	info("%s: slice %ld of %ld, window %.6g:%.6g", in, slice, p.count, shown[0], shown[1]);
	free(text.data);
	free(index);
	cfl_close(x);
	leave(EXIT_DONE);
}
