#include "ct/geometry/geom_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ct/geometry/vec3.h"
#include "misc/plot/canvas.h"

enum {
	PANEL = 380, // width and height [pixels]
	TOP = 34,
	BOTTOM = 74,
	EDGE = 46,   // around what is drawn in a panel
	OTHERS = 11, // detectors drawn beside that of view 0
	STRIPS = 12  // of a curved detector
};

static const unsigned black = 0x222222, grey = 0x8a8f94, pale = 0xc9ced3, source_colour = 0xc2410c,
                      detector_colour = 0x1d4ed8, volume_colour = 0x0f766e, ray_colour = 0xe3b341;
static const unsigned axis_colour[3] = {0xdc2626, 0x15803d, 0x7c3aed};

/** A view of the scene: two directions on the paper, an origin and a scale. */
struct panel {
	const char *title;
	double right[3], up[3];
	double left;      // of the panel [pixels]
	double middle[2]; // of the scene along right and up [mm]
	double scale;     // [pixels/mm]
	double low[2], high[2];
};

struct scene {
	const struct geom *g;
	const struct grid *volume;
	double reach; // of the volume from the origin [mm]
	struct canvas *canvas;
};

static void paper(double out[2], const struct panel *p, const double x[3])
{
	out[0] = p->left + PANEL / 2. + p->scale * (dot3(p->right, x) - p->middle[0]);
	out[1] = TOP + PANEL / 2. - p->scale * (dot3(p->up, x) - p->middle[1]);
}

static void line3(const struct scene *s, const struct panel *p, const double a[3], const double b[3],
        double width, unsigned colour)
{
	double from[2], to[2];

	paper(from, p, a);
	paper(to, p, b);
	canvas_line(s->canvas, from, to, width, colour);
}

/** Where a view's source is drawn. */
static void source_place(double out[3], const struct scene *s, long view)
{
	const struct geom_view *w = s->g->view + view;

	memcpy(out, w->s, 3 * sizeof *out);

	if (s->g->parallel)
		for (int i = 0; i < 3; i++)
			out[i] = w->d[i] - 2. * s->reach * w->s[i] / norm3(w->s);
}

/** Where pixel (a, b) of a view is drawn. */
static void pixel_place(double out[3], const struct scene *s, long view, double a, double b)
{
	const struct geom_view *w = s->g->view + view;

	geom_pixel(s->g, view, a, b, out);

	if (s->g->parallel)
		for (int i = 0; i < 3; i++)
			out[i] += 1.6 * s->reach * w->s[i] / norm3(w->s);
}

static void corner(double x[3], const struct grid *v, int which)
{
	for (int i = 0; i < 3; i++)
		x[i] = v->origin[i] + ((which >> i & 1 ? (double)v->size[i] : 0.) - 0.5) * v->spacing[i];
}

static void enclose(struct panel *p, const double x[3])
{
	const double at[2] = {dot3(p->right, x), dot3(p->up, x)};

	for (int d = 0; d < 2; d++) {
		p->low[d] = fmin(p->low[d], at[d]);
		p->high[d] = fmax(p->high[d], at[d]);
	}
}

/** The view with number i of n drawn ones. */
static long drawn_view(const struct scene *s, long i, long n)
{
	return i * s->g->views / n;
}

static long drawn_detectors(const struct scene *s)
{
	return s->g->views < OTHERS + 1 ? s->g->views : OTHERS + 1;
}

static long drawn_sources(const struct scene *s)
{
	return s->g->views < 1440 ? s->g->views : 1440;
}

static void fit(struct panel *p, const struct scene *s)
{
	const double cols = (double)s->g->cols, rows = (double)s->g->rows;
	double x[3], extent;

	for (int d = 0; d < 2; d++) {
		p->low[d] = INFINITY;
		p->high[d] = -INFINITY;
	}

	for (int c = 0; c < 8; c++) {
		corner(x, s->volume, c);
		enclose(p, x);
	}

	for (long i = 0; i < drawn_sources(s); i++) {
		source_place(x, s, drawn_view(s, i, drawn_sources(s)));
		enclose(p, x);
	}

	for (long i = 0; i < drawn_detectors(s); i++)
		for (int c = 0; c < 6; c++) {
			pixel_place(x, s, drawn_view(s, i, drawn_detectors(s)), -0.5 + 0.5 * (c % 3) * cols,
			        c < 3 ? -0.5 : rows - 0.5);
			enclose(p, x);
		}

	extent = fmax(p->high[0] - p->low[0], p->high[1] - p->low[1]);
	p->scale = (PANEL - 2. * EDGE) / fmax(extent, 1e-300);

	for (int d = 0; d < 2; d++)
		p->middle[d] = 0.5 * (p->low[d] + p->high[d]);
}

static void draw_detector(const struct scene *s, const struct panel *p, long view, bool first)
{
	const double cols = (double)s->g->cols, rows = (double)s->g->rows;
	const int strips = (s->g->radius > 0.) ? STRIPS : 1;
	const unsigned colour = first ? detector_colour : pale;
	const double width = first ? 1.6 : 1.;

	for (int i = 0; i < strips; i++) {
		double x[4][3], quad[4][2];

		for (int c = 0; c < 4; c++) {
			pixel_place(x[c], s, view, -0.5 + cols * (i + (c == 1 || c == 2)) / strips,
			        c < 2 ? -0.5 : rows - 0.5);
			paper(quad[c], p, x[c]);
		}

		if (first)
			canvas_polygon(s->canvas, 4, (const double(*)[2])quad, colour, 0.15);

		line3(s, p, x[0], x[1], width, colour);
		line3(s, p, x[2], x[3], width, colour);

		if (0 == i)
			line3(s, p, x[0], x[3], width, colour);

		if (strips - 1 == i)
			line3(s, p, x[1], x[2], width, colour);
	}
}

/** Words beside a place, on the side away from the middle of the panel where there is room. */
static void label(
        const struct scene *s, const struct panel *p, const double x[3], unsigned colour, const char *text)
{
	const double letter = 8.;
	double at[2];

	paper(at, p, x);

	const double side = at[0] - (p->left + PANEL / 2.), needed = letter * (double)strlen(text) + 14.;
	const bool room = fabs(side) + needed < PANEL / 2.;
	int anchor = 0;

	if (room && fabs(side) > 30.) {
		anchor = (side > 0.) ? -1 : 1;
		at[0] += (side > 0.) ? 9. : -9.;
		at[1] += 4.;
	} else {
		at[1] += (at[1] > TOP + PANEL / 2. - 20.) ? 20. : -11.;
		at[0] = fmin(fmax(at[0], p->left + 0.5 * needed), p->left + PANEL - 0.5 * needed);
	}

	canvas_text(s->canvas, at, 13., anchor, colour, text);
}

static void draw_volume(const struct scene *s, const struct panel *p)
{
	for (int c = 0; c < 8; c++)
		for (int d = 0; d < 3; d++)
			if (!(c >> d & 1)) {
				double a[3], b[3];

				corner(a, s->volume, c);
				corner(b, s->volume, c | 1 << d);
				line3(s, p, a, b, 1.2, volume_colour);
			}
}

static void draw_axes(const struct scene *s, const struct panel *p)
{
	static const char *const name[3] = {"x", "y", "z"};
	const double length = fmax(0.75 * s->reach, 34. / p->scale);
	const double origin[3] = {0., 0., 0.};
	double from[2];

	paper(from, p, origin);

	for (int i = 0; i < 3; i++) {
		double tip[3] = {0., 0., 0.}, to[2];

		tip[i] = length;
		paper(to, p, tip);

		const double x = to[0] - from[0], y = to[1] - from[1], far = hypot(x, y);

		if (far < 6.)
			continue;

		canvas_arrow(s->canvas, from, to, 1.6, axis_colour[i]);
		to[0] += 9. * x / far;
		to[1] += 9. * y / far + 4.;
		canvas_text(s->canvas, to, 13., 0, axis_colour[i], name[i]);
	}

	canvas_disc(s->canvas, from, 2.2, black);
}

/** Whether most views stand near the one before. */
static bool is_path(const struct scene *s, long n)
{
	long near = 0;

	for (long i = 1; i < n; i++) {
		double a[3], b[3], step[3];

		source_place(a, s, drawn_view(s, i - 1, n));
		source_place(b, s, drawn_view(s, i, n));
		sub3(step, b, a);
		near += norm3(step) < 0.4 * norm3(b);
	}

	return 2 * near > n;
}

/** Dots where views are few or jump about (golden angles, a sphere), a line where they follow each other. */
static void draw_sources(const struct scene *s, const struct panel *p)
{
	const long n = drawn_sources(s);
	const bool path = is_path(s, n);
	double before[3], x[3], at[2];

	for (long i = 0; i < n; i++) {
		source_place(x, s, drawn_view(s, i, n));
		paper(at, p, x);

		if (i && path)
			line3(s, p, before, x, s->g->views <= 60 ? 0.6 : 1.6, source_colour);

		if (s->g->views <= 60 || !path)
			canvas_disc(s->canvas, at, s->g->views <= 60 ? 2.4 : 1.6, source_colour);

		memcpy(before, x, sizeof x);
	}
}

/** The rays of view 0 to the corners of its detector. */
static void draw_rays(const struct scene *s, const struct panel *p)
{
	for (int c = 0; c < 4; c++) {
		const double a = (c & 1) ? (double)s->g->cols - 0.5 : -0.5,
		             b = (c & 2) ? (double)s->g->rows - 0.5 : -0.5;
		double from[3], to[3];

		pixel_place(to, s, 0, a, b);
		source_place(from, s, 0);

		if (s->g->parallel)
			for (int i = 0; i < 3; i++)
				from[i] += to[i] -
				           1.6 * s->reach * s->g->view[0].s[i] / norm3(s->g->view[0].s) -
				           s->g->view[0].d[i];

		for (int i = 0; i < 3 && s->g->stack; i++)
			from[i] += (b - (double)(s->g->rows - 1) / 2.) * s->g->view[0].v[i];

		line3(s, p, from, to, 1., ray_colour);
	}
}

/** From pixel (0, 0) of view 0 along the columns and along the rows. */
static void draw_directions(const struct scene *s, const struct panel *p)
{
	const double cols = (double)s->g->cols, rows = (double)s->g->rows;
	const double part[2] = {fmax(0.3 * cols, 1.), fmax(0.3 * rows, 1.)};
	static const char *const name[2] = {"u", "v"};
	double start[3], from[2], middle[2], x[3];

	pixel_place(start, s, 0, 0., 0.);
	paper(from, p, start);
	pixel_place(x, s, 0, 0.5 * (cols - 1.), 0.5 * (rows - 1.));
	paper(middle, p, x);

	for (int i = 0; i < 2; i++) {
		double to[2];

		pixel_place(x, s, 0, i ? 0. : part[0], i ? part[1] : 0.);
		paper(to, p, x);

		const double dx = to[0] - from[0], dy = to[1] - from[1], far = hypot(dx, dy);

		if (far < 7.)
			continue;

		canvas_arrow(s->canvas, from, to, 2., detector_colour);

		/* The letter stands outside the detector. */
		const double out = (dx * (middle[1] - from[1]) - dy * (middle[0] - from[0]) > 0.) ? -1. : 1.;

		to[0] += (-out * dy / far) * 10. - 0.3 * dx;
		to[1] += (out * dx / far) * 10. - 0.3 * dy + 4.;
		canvas_text(s->canvas, to, 13., 0, detector_colour, name[i]);
	}
}

/** A round length of about a quarter of the panel. */
static void draw_scale(const struct scene *s, const struct panel *p)
{
	const double about = 0.3 * (PANEL - 2. * EDGE) / p->scale, ten = pow(10., floor(log10(about)));
	const double length = ten * (about >= 5. * ten ? 5. : about >= 2. * ten ? 2. : 1.);
	const double y = TOP + PANEL + 4., x = p->left + EDGE;
	char text[40];

	canvas_line(s->canvas, (double[]){x, y}, (double[]){x + length * p->scale, y}, 2., black);
	snprintf(text, sizeof text, "%g mm", length);
	canvas_text(s->canvas, (double[]){x + length * p->scale + 8., y + 4.}, 13., -1, black, text);
}

/** The corner of view 0's detector that is farthest from the middle of the panel. */
static void outer_corner(double x[3], const struct scene *s, const struct panel *p)
{
	double most = -1.;

	for (int c = 0; c < 4; c++) {
		double y[3], at[2];

		pixel_place(y, s, 0, (c & 1) ? (double)s->g->cols - 0.5 : -0.5,
		        (c & 2) ? (double)s->g->rows - 0.5 : -0.5);
		paper(at, p, y);

		const double far = hypot(at[0] - p->left - PANEL / 2., at[1] - TOP - PANEL / 2.);

		if (far > most + 0.5) {
			most = far;
			memcpy(x, y, sizeof y);
		}
	}
}

static void draw_panel(const struct scene *s, struct panel *p)
{
	double x[3];

	fit(p, s);
	canvas_text(s->canvas, (double[]){p->left + PANEL / 2., 22.}, 15., 0, black, p->title);

	for (long i = drawn_detectors(s) - 1; i > 0; i--)
		draw_detector(s, p, drawn_view(s, i, drawn_detectors(s)), false);

	draw_rays(s, p);
	draw_volume(s, p);
	draw_sources(s, p);
	draw_detector(s, p, 0, true);
	draw_directions(s, p);
	draw_axes(s, p);
	source_place(x, s, 0);

	double at[2];

	paper(at, p, x);
	canvas_disc(s->canvas, at, 5., source_colour);
	label(s, p, x, source_colour, s->g->parallel ? "beam" : "source");
	outer_corner(x, s, p);
	label(s, p, x, detector_colour, "detector");
	draw_scale(s, p);
}

static void describe(const struct scene *s)
{
	const struct geom *g = s->g;
	const struct grid *v = s->volume;
	const char *kind = g->parallel ? "parallel" : g->rows > 1 && !g->stack ? "cone" : "fan";
	char text[2][200];

	snprintf(text[0], sizeof text[0],
	        "%s beam, %ld views (the first in colour); detector %ld x %ld pixels of %.5g x %.5g mm%s",
	        kind, g->views, g->cols, g->rows, norm3(g->view[0].u), norm3(g->view[0].v),
	        g->radius > 0. ? ", curved" : "");
	snprintf(text[1], sizeof text[1], "volume %ld x %ld x %ld voxels of %.5g x %.5g x %.5g mm",
	        v->size[0], v->size[1], v->size[2], v->spacing[0], v->spacing[1], v->spacing[2]);

	for (int i = 0; i < 2; i++)
		canvas_text(s->canvas, (double[]){EDGE, TOP + PANEL + 40. + 19. * i}, 12., -1, grey, text[i]);
}

void geom_draw(const char *path, const struct geom *g, const struct grid *volume)
{
	const double az = M_PI / 6., el = M_PI / 7.;
	struct panel panel[3] = {{.title = "from above", .right = {1., 0., 0.}, .up = {0., 1., 0.}},
	        {.title = "from the side", .right = {0., 1., 0.}, .up = {0., 0., 1.}},
	        {.title = "obliquely",
	                .right = {cos(az), sin(az), 0.},
	                .up = {-sin(az) * sin(el), cos(az) * sin(el), cos(el)}}};
	struct scene s = {.g = g, .volume = volume, .canvas = canvas_create(3 * PANEL, TOP + PANEL + BOTTOM)};

	for (int c = 0; c < 8; c++) {
		double x[3];

		corner(x, volume, c);
		s.reach = fmax(s.reach, norm3(x));
	}

	for (int i = 0; i < 3; i++) {
		panel[i].left = i * PANEL;
		draw_panel(&s, panel + i);
	}

	describe(&s);
	canvas_write(s.canvas, path);
	canvas_free(s.canvas);
}
