#include "volume/render/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/plot/canvas.h"
#include "misc/plot/ticks.h"
#include "volume/render/render_kern.h"

struct sheet {
	struct canvas *canvas;
	const struct render_camera *camera;
	const struct render_notes *notes;
	double size, width, height; // of letters, of the picture
};

static void draw_scale_bar(const struct sheet *s)
{
	const double length = s->notes->scale_bar / s->camera->pixel, x = s->size,
	             y = s->height - 2.6 * s->size;
	char *text = mem_printf("%.4g mm", s->notes->scale_bar);

	canvas_line(s->canvas, (double[2]){x, y}, (double[2]){x + length, y}, fmax(2., .25 * s->size),
	        s->notes->ink);
	canvas_text(s->canvas, (double[2]){x, y + 1.5 * s->size}, s->size, -1, s->notes->ink, text);
	free(text);
}

/* The arrow of axis i, as the camera sees it. */
static void draw_axis(const struct sheet *s, const struct render_view *v, int i)
{
	static const unsigned inks[3] = {0xe05040, 0x50b050, 0x5090f0};
	const double length = 3. * s->size, centre[2] = {s->width - 5. * s->size, s->height - 5. * s->size};
	const double x = v->right[i] / s->camera->pixel, y = v->down[i] / s->camera->pixel;
	const double tip[2] = {centre[0] + length * x, centre[1] + length * y};

	if (hypot(x, y) > .05)
		canvas_arrow(s->canvas, centre, tip, fmax(1.5, .15 * s->size), inks[i]);

	canvas_text(s->canvas,
	        (double[2]){centre[0] + 1.3 * length * x, centre[1] + 1.3 * length * y + .4 * s->size},
	        s->size, 0, inks[i], (const char *[]){"x", "y", "z"}[i]);
}

/* From the farthest tip to the nearest. */
static void draw_axes(const struct sheet *s)
{
	struct render_view v;
	int order[3] = {0, 1, 2};

	render_view_make(&v, s->camera, (const long[3]){1, 1, 1}, (const double[3]){1., 1., 1.}, 1.);

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			if (v.ahead[order[k]] < v.ahead[order[k + 1]]) {
				const int swap = order[k];

				order[k] = order[k + 1];
				order[k + 1] = swap;
			}

	for (int i = 0; i < 3; i++)
		draw_axis(s, &v, order[i]);
}

static unsigned packed(const double rgb[3])
{
	unsigned c = 0;

	for (int i = 0; i < 3; i++)
		c = c << 8 | (unsigned)(fmin(fmax(rgb[i], 0.), 1.) * 255. + .5);

	return c;
}

static void draw_color_bar(const struct sheet *s)
{
	const struct render_notes *n = s->notes;
	const double size = s->size, left = s->width - 7. * size, top = 2.5 * size, height = .5 * s->height;
	double first, step;
	const int count = ticks(n->range[0], n->range[1], (int)fmax(2., height / size / 2.), &first, &step);

	for (double y = 0.; y < height; y += 1.) {
		const double v = n->range[1] + (n->range[0] - n->range[1]) * (y + .5) / height;
		double rgb[3];

		n->color(n->ctx, v, rgb);
		canvas_polygon(s->canvas, 4,
		        (const double[4][2]){{left, top + y}, {left + size, top + y},
		                {left + size, top + y + 1.}, {left, top + y + 1.}},
		        packed(rgb), 1.);
	}

	for (int k = 0; k < count; k++) {
		const double v = first + k * step,
		             y = top + height * (n->range[1] - v) / (n->range[1] - n->range[0]);
		char *text = mem_printf("%.4g", fabs(v) < 1e-9 * step ? 0. : v);

		canvas_line(s->canvas, (double[2]){left + size, y}, (double[2]){left + 1.3 * size, y}, 1.,
		        n->ink);
		canvas_text(
		        s->canvas, (double[2]){left + 1.6 * size, y + .35 * size}, size, -1, n->ink, text);
		free(text);
	}

	if (n->unit && n->unit[0] != '\0')
		canvas_text(s->canvas, (double[2]){left, top - size}, size, -1, n->ink, n->unit);
}

void render_annotate(unsigned char *pixels, const struct render_camera *c, const struct render_notes *n)
{
	const double side = (double)(c->width < c->height ? c->width : c->height);
	struct sheet s = {.canvas = canvas_create((int)c->width, (int)c->height),
	        .camera = c,
	        .notes = n,
	        .size = fmin(fmax(side / 40., 8.), 40.),
	        .width = (double)c->width,
	        .height = (double)c->height};

	if (n->scale_bar > 0.)
		draw_scale_bar(&s);

	if (n->axes)
		draw_axes(&s);

	if (n->color_bar)
		draw_color_bar(&s);

	canvas_paint(s.canvas, pixels);
	canvas_free(s.canvas);
}
