/* Pictures of volumes by ray casting. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "misc/file/cfl.h"
#include "misc/plot/colormap.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/plot/png.h"
#include "volume/render/render.h"

int main_render(int argc, char *argv[]);

/* The command line. */
struct request {
	struct opt_list volumes, transfers, ranges;
	const char *out, *clip, *background, *overlay, *color;
	struct opt_doubles camera, light;
	struct opt_longs size;
	int mode, shade;
	double zoom, pixel, perspective, opacity, iso, step;
	bool mode_given, shade_given, iso_given, zoom_given, opacity_given, color_given;
};

/* What is drawn, and how values become colours. */
struct scene {
	struct render r;
	struct cfl *file[RENDER_VOLUMES], *labels;
	struct transfer *transfer[RENDER_VOLUMES];
	enum colormap map;
	double range[2]; // of projections
	double background[3];
	float *picture;
};

static double radians(double degrees)
{
	return degrees * M_PI / 180.;
}

static bool is_projection(enum render_mode m)
{
	return RENDER_VOLUME != m && RENDER_ISO != m;
}

/* ---- words ---- */

static void parse_color(double rgb[3], const char *text, const char *what)
{
	static const char *const names[] = {"black", "white", "gray", NULL};
	static const double grays[] = {0., 1., .5};
	unsigned c[3];
	char rest;

	for (int i = 0; names[i]; i++)
		if (0 == strcmp(names[i], text)) {
			rgb[0] = rgb[1] = rgb[2] = grays[i];
			return;
		}

	if (7 != strlen(text) || 3 != sscanf(text, "#%2x%2x%2x%c", &c[0], &c[1], &c[2], &rest))
		usage_error("%s: unknown colour '%s' (valid: black, white, gray, #RRGGBB)", what, text);

	for (int i = 0; i < 3; i++)
		rgb[i] = c[i] / 255.;
}

static int find_word(const char *name, const char *list, char between)
{
	for (int i = 0; *list; i++) {
		const size_t n = strcspn(list, (char[]){between, '\0'});

		if (n == strlen(name) && 0 == strncmp(name, list, n))
			return i;

		list += n + (list[n] != '\0');
	}

	return -1;
}

/* The k-th of words that may be fewer than the volumes: the last one holds for the rest; NULL: none. */
static const char *word_of(const struct opt_list *l, int k)
{
	return 0 == l->n ? NULL : l->v[k < l->n ? k : l->n - 1];
}

static void refuse(bool given, const char *option, const char *needs)
{
	if (given)
		usage_error("%s has no effect here (it needs %s)", option, needs);
}

static void check_request(struct request *q)
{
	const char *dot = strrchr(q->out, '.');

	if (q->iso_given && !q->mode_given)
		q->mode = RENDER_ISO;

	const bool volume = RENDER_VOLUME == q->mode, iso = RENDER_ISO == q->mode;

	if (0 == strcmp(q->out, "-") && isatty(STDOUT_FILENO))
		usage_error("-: a picture is not written to a terminal, expected a name or a pipe");

	if (dot && !strchr(dot, '/') && 0 != strcasecmp(dot, ".png"))
		usage_error("%s: expected a name that ends in .png", q->out);

	if (iso && !q->iso_given)
		usage_error("--mode iso needs --iso VALUE");

	refuse(q->iso_given && !iso, "--iso", "--mode iso");
	refuse(q->color_given && !iso, "--color", "--mode iso");
	refuse(q->shade_given && !volume && !iso, "--shade", "--mode volume or iso");
	refuse(q->light.n > 0 && !volume && !iso, "--light", "--mode volume or iso");
	refuse(q->light.n > 0 && RENDER_FLAT == q->shade, "--light", "--shade phong or diffuse");
	refuse(q->opacity_given && !volume, "--opacity", "--mode volume");
	refuse(q->overlay && !volume && !iso, "--overlay", "--mode volume or iso");
	refuse(q->transfers.n > 0 && iso, "--transfer", "another mode than iso");
	refuse(q->ranges.n > 0 && iso, "--range", "another mode than iso");

	if (q->zoom_given && q->pixel > 0.)
		usage_error("expected one of --zoom and --pixel");

	if (q->volumes.n > RENDER_VOLUMES)
		usage_error("%d volumes, expected at most %d", q->volumes.n, RENDER_VOLUMES);

	if (q->volumes.n > 1 && !volume)
		usage_error("%d volumes: only --mode volume draws more than one", q->volumes.n);

	if (q->transfers.n > q->volumes.n || q->ranges.n > q->volumes.n)
		usage_error("%s given %d times for %d volume%s",
		        q->transfers.n > q->volumes.n ? "--transfer" : "--range",
		        q->transfers.n > q->volumes.n ? q->transfers.n : q->ranges.n, q->volumes.n,
		        1 == q->volumes.n ? "" : "s");

	if (q->camera.n == 1 || q->camera.n > 3)
		usage_error("--camera: expected AZIMUTH:ELEVATION[:ROLL]");

	if (q->light.n != 0 && q->light.n != 2)
		usage_error("--light: expected AZIMUTH:ELEVATION");

	if (q->size.n > 2)
		usage_error("--size: expected WIDTH[:HEIGHT]");
}

/* ---- volumes ---- */

static void open_volumes(struct scene *s, const struct request *q)
{
	for (int i = 0; i < q->volumes.n; i++) {
		struct cfl *f = s->file[i] = cfl_open(q->volumes.v[i]);

		cfl_expect_real(f);

		if (hdr_rank(&f->hdr) > 3)
			error("%s: %s, expected a volume of three dimensions (gantry slice takes one out)",
			        f->name, hdr_shape(&f->hdr));

		if (i > 0)
			cfl_same_dims(s->file[0], f, DIMS);

		s->r.volume[i] =
		        (struct render_volume){.name = f->name, .type = f->hdr.type, .data = cfl_map(f)};
	}

	s->r.volumes = q->volumes.n;

	for (int d = 0; d < 3; d++) {
		s->r.n[d] = s->file[0]->hdr.dims[d];
		s->r.spacing[d] = fabs(s->file[0]->hdr.spacing[d]);
		s->r.clip[d][0] = -.5;
		s->r.clip[d][1] = (double)s->r.n[d] - .5;
	}

	if (!q->overlay)
		return;

	s->labels = cfl_open(q->overlay);

	if (!dtype_is_integer(s->labels->hdr.type))
		error("%s contains %s, expected labels of an integer type", q->overlay,
		        dtype_name(s->labels->hdr.type));

	cfl_same_dims(s->file[0], s->labels, DIMS);
	s->r.labels = (struct render_labels){s->labels->hdr.type, cfl_map(s->labels)};
}

/* X0:X1,Y0:Y1,Z0:Z1 in elements. */
static void set_clip(struct render *r, const char *text)
{
	char *words = mem_strdup(text), *rest = words;

	for (int d = 0; d < 3; d++) {
		char *word = strsep(&rest, ",");
		long start, step, n;

		if (!word || (2 == d && rest))
			usage_error("--clip: '%s', expected three ranges X0:X1,Y0:Y1,Z0:Z1", text);

		parse_range(word, r->n[d], &start, &step, &n, "--clip");

		if (1 != step)
			usage_error("--clip: '%s', expected ranges without a step", text);

		r->clip[d][0] = (double)start - .5;
		r->clip[d][1] = (double)(start + n) - .5;
	}

	free(words);
}

static void set_camera(struct render *r, const struct request *q)
{
	struct render_camera *c = &r->camera;
	double square = 0.;

	c->azimuth = radians(q->camera.n ? q->camera.v[0] : 30.);
	c->elevation = radians(q->camera.n ? q->camera.v[1] : 20.);
	c->roll = radians(3 == q->camera.n ? q->camera.v[2] : 0.);
	c->width = q->size.n ? q->size.v[0] : 1024;
	c->height = 2 == q->size.n ? q->size.v[1] : c->width;
	c->perspective = radians(q->perspective);

	for (int d = 0; d < 3; d++)
		square += r->spacing[d] * (double)r->n[d] * r->spacing[d] * (double)r->n[d];

	c->pixel = q->pixel > 0.
	                   ? q->pixel
	                   : sqrt(square) / q->zoom / (double)(c->width < c->height ? c->width : c->height);
	r->light_given = q->light.n > 0;
	r->light[0] = radians(q->light.v[0]);
	r->light[1] = radians(q->light.v[1]);
}

static void set_step(struct render *r, double step)
{
	const double unit = fmin(r->spacing[0], fmin(r->spacing[1], r->spacing[2]));
	double square = 0.;

	for (int d = 0; d < 3; d++)
		square += r->spacing[d] * (double)r->n[d] * r->spacing[d] * (double)r->n[d];

	r->step = step > 0. ? step : unit;

	if (sqrt(square) / r->step > 1e6)
		usage_error(
		        "--step %g mm: over 1e6 samples along a ray through %g mm", r->step, sqrt(square));
}

/* ---- colours ---- */

/* From --range, or smallest and largest value. */
static void set_range(
        double range[2], const struct request *q, int k, const struct render_extent *e, const char *name)
{
	const char *text = word_of(&q->ranges, k);

	render_extent_of(e, k, &range[0], &range[1]);

	if (text && (2 != parse_doubles(text, 2, range, "--range") || !(range[0] < range[1])))
		usage_error("--range: '%s', expected LO:HI with LO < HI", text);

	if (!text)
		info("%s: range %.6g:%.6g", name, range[0], range[1]);

	if (!(range[0] < range[1]))
		range[1] = range[0] + fmax(1., fabs(range[0])); // a constant volume
}

static struct transfer *open_transfer(
        const struct request *q, int k, const double range[2], const double spacing[3])
{
	const char *name = word_of(&q->transfers, k);
	struct transfer *t = transfer_named(name ? name : "surface", range[0], range[1], q->opacity);

	if (t)
		return t;

	const bool is_file = 0 == access(name, F_OK);

	if (!is_file && !transfer_is_expression(name))
		usage_error("--transfer: unknown name '%s', and no such file (names: %s)", name,
		        transfer_names());

	refuse(q->opacity_given, "--opacity", "a transfer function by name");

	/* The largest gradient of central differences along one axis. */
	if (!is_file)
		return transfer_expression(name, range[0], range[1],
		        (range[1] - range[0]) / fmin(spacing[0], fmin(spacing[1], spacing[2])));

	refuse(q->ranges.n > 0, "--range", "a transfer function by name or expression");
	return transfer_file(name);
}

static void set_colors(struct scene *s, const struct request *q, const struct render_extent *e)
{
	if (RENDER_VOLUME == s->r.mode)
		for (int k = 0; k < s->r.volumes; k++) {
			double range[2];

			set_range(range, q, k, e, s->file[k]->name);
			s->r.volume[k].transfer = s->transfer[k] = open_transfer(q, k, range, s->r.spacing);
		}

	if (!is_projection(s->r.mode))
		return;

	const char *name = q->transfers.n ? q->transfers.v[0] : "gray";
	const int map = find_word(name, COLORMAP_CHOICES, '|');

	if (0 > map)
		usage_error("--transfer: '%s', expected a colour map for this mode (valid: %s)", name,
		        COLORMAP_CHOICES);

	s->map = (enum colormap)map;

	if (RENDER_MIP == s->r.mode || RENDER_MINIP == s->r.mode || q->ranges.n)
		set_range(s->range, q, 0, e, s->file[0]->name);
}

/* Sums have a range of their own: that of the picture. */
static void find_range(struct scene *s)
{
	const long n = s->r.camera.width * s->r.camera.height;

	s->range[0] = INFINITY;
	s->range[1] = -INFINITY;

	for (long i = 0; i < n; i++)
		if (s->picture[4 * i + 3] > 0.f) {
			s->range[0] = fmin(s->range[0], (double)s->picture[4 * i]);
			s->range[1] = fmax(s->range[1], (double)s->picture[4 * i]);
		}

	info("%s: range %.6g:%.6g", s->file[0]->name, s->range[0], s->range[1]);

	if (!(s->range[0] < s->range[1]))
		s->range[1] = s->range[0] + 1.;
}

static void pixel_color(const struct scene *s, const float p[4], double rgb[3])
{
	if (!is_projection(s->r.mode))
		for (int c = 0; c < 3; c++)
			rgb[c] = (double)p[c] + (1. - (double)p[3]) * s->background[c];
	else if (p[3] > 0.f)
		colormap_color(s->map, ((double)p[0] - s->range[0]) / (s->range[1] - s->range[0]), rgb);
	else
		memcpy(rgb, s->background, sizeof s->background);
}

static void draw_row(void *ctx, long y, void *row)
{
	const struct scene *s = ctx;
	unsigned char *to = row;

	for (long x = 0; x < s->r.camera.width; x++) {
		double rgb[3];

		pixel_color(s, s->picture + 4 * (y * s->r.camera.width + x), rgb);

		for (int c = 0; c < 3; c++)
			to[3 * x + c] = (unsigned char)(fmin(fmax(rgb[c], 0.), 1.) * 255. + 0.5);
	}
}

static void write_picture(struct scene *s, const char *out)
{
	const struct png_format format = {
	        .width = s->r.camera.width, .height = s->r.camera.height, .bits = 8, .rgb = true};
	struct file_out *f = file_create(out);

	png_write(f, out, &format, draw_row, s);
	file_commit(f);
}

/* ---- the command ---- */

static void draw(struct scene *s, const struct request *q)
{
	const long pixels = s->r.camera.width * s->r.camera.height;

	tool_needs(pixels * 16 + render_memory(&s->r), 0.);

	if (tool_plan())
		tool_print_plan(mem_printf("%s, %ld x %ld pixels, before compression", q->out,
		                        s->r.camera.width, s->r.camera.height),
		        3 * pixels);

	struct render_extent *e = render_extent_create(&s->r);

	set_colors(s, q, e);
	s->picture = mem_alloc((size_t)pixels * 4 * sizeof *s->picture);
	render_run(&s->r, e, s->picture);

	if ((RENDER_MEAN == s->r.mode || RENDER_XRAY == s->r.mode) && 0 == q->ranges.n)
		find_range(s);

	write_picture(s, q->out);
	render_extent_free(e);
}

static void close_scene(struct scene *s)
{
	for (int k = 0; k < s->r.volumes; k++) {
		transfer_free(s->transfer[k]);
		cfl_close(s->file[k]);
	}

	if (s->labels)
		cfl_close(s->labels);

	free(s->picture);
}

int main_render(int argc, char *argv[])
{
	struct request q = {.zoom = 1., .opacity = .6, .background = "black", .color = "#e8d8b8"};
	struct scene s = {0};

	const struct opt opts[] = {
	        {'m', "mode", OPT_KIND_CHOICE, &q.mode, RENDER_MODES,
	                "composited volume, largest, smallest, mean value, surface, line integral", 0, 0, 0,
	                &q.mode_given},
	        OPT_DOUBLES(0, "camera", &q.camera, "AZ:EL[:ROLL]", -1e4, 1e4,
	                "where the eye is [degrees] (default: 30:20)"),
	        {0, "zoom", OPT_KIND_DOUBLE, &q.zoom, "F", "at 1 the volume fits from every side", 0, 1e-6,
	                1e6, &q.zoom_given},
	        OPT_DOUBLE(0, "pixel", &q.pixel, "MM", 0, 1e300, "side of a pixel, instead of --zoom"),
	        OPT_DOUBLE(0, "perspective", &q.perspective, "DEG", 0, 170,
	                "angle of the view's smaller side (0: parallel rays)"),
	        OPT_LONGS(0, "size", &q.size, "W[:H]", 1, 32767,
	                "of the picture [pixels] (default: 1024:1024)"),
	        {'t', "transfer", OPT_KIND_STRING, &q.transfers, "NAME|FILE|EXPR",
	                "colours and opacities (default: surface; projections: gray); one per volume",
	                OPT_MANY, 0, 0, NULL},
	        {0, "opacity", OPT_KIND_DOUBLE, &q.opacity, "F",
	                "of a voxel where a named transfer function ends", 0, 0, 1, &q.opacity_given},
	        OPT_STRINGS('r', "range", &q.ranges, "LO:HI",
	                "values that colours reach over (default: smallest and largest)"),
	        {0, "iso", OPT_KIND_DOUBLE, &q.iso, "VALUE", "level of the surface", 0, 0, 0, &q.iso_given},
	        {0, "color", OPT_KIND_STRING, &q.color, "COLOUR", "of the surface", 0, 0, 0, &q.color_given},
	        {0, "shade", OPT_KIND_CHOICE, &q.shade, RENDER_SHADES, "light on surfaces", 0, 0, 0,
	                &q.shade_given},
	        OPT_DOUBLES(0, "light", &q.light, "AZ:EL", -1e4, 1e4,
	                "where it comes from [degrees] (default: with the camera)"),
	        OPT_DOUBLE(0, "step", &q.step, "MM", 0, 1e300,
	                "distance of samples along a ray (default: smallest spacing)"),
	        OPT_STRING(0, "clip", &q.clip, "X0:X1,Y0:Y1,Z0:Z1", "draw these elements only"),
	        OPT_STRING('b', "background", &q.background, "COLOUR", "black, white, gray or #RRGGBB"),
	        OPT_ARRAY(0, "overlay", &q.overlay, "LABELS", "colour samples by the labels of an array"),
	        ARG_IN_MANY("VOL", &q.volumes, "volumes of the same dims"),
	        ARG_OUTFILE("OUT.png", &q.out, "the picture; - for standard output"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "render",
	                .group = GROUP_LOOK,
	                .synonyms = "raycast volren volume-rendering mip drr isosurface",
	                .about = "Draw a volume in three dimensions as a PNG picture",
	                .details =
	                        "Casts a ray per pixel through the volume, without a display. The eye looks "
	                        "at "
	                        "the centre from azimuth AZ (from +x towards +y) and elevation EL (towards "
	                        "+z). "
	                        "--mode volume composites the colours and opacities of a transfer function "
	                        "front to back: the name of a colour map, whose opacity grows with the "
	                        "value, "
	                        "surface, fog or shells, all over the range; or a file with a point per "
	                        "line, "
	                        "VALUE OPACITY RED GREEN BLUE, the last four from 0 to 1; or an expression "
	                        "of v, the value, and g, the length of the gradient per mm: OPACITY, or "
	                        "'opacity = E; red = E; green = E; blue = E'. Opacities are "
	                        "those "
	                        "of a layer as thick as the smallest spacing. iso draws the surface at a "
	                        "level; "
	                        "mip, minip and mean the largest, smallest and mean value; xray the line "
	                        "integral. The same picture for any number of threads.",
	                .examples =
	                        "gantry render volume picture.png\n"
	                        "gantry render --transfer bone --range 0.01:0.06 --camera 120:10 volume "
	                        "a.png\n"
	                        "gantry render --transfer 'opacity = 0.2*g; red = v/0.05; green = 0.5; blue "
	                        "= 1 - v/0.05' volume b.png\n"
	                        "gantry render --iso 0.02 --perspective 40 --clip :,:100,: volume cut.png\n"
	                        "gantry render --mode mip --camera 0:0 volume mip.png",
	                .memory = "16 bytes per pixel, 1/50 of an element's byte; elements other than uint8, "
	                          "uint16, int16 and float32 in slabs of up to 512 MiB",
	                .opts = opts},
	        argc, argv);

	check_request(&q);
	parse_color(s.background, q.background, "--background");
	parse_color(s.r.color, q.color, "--color");
	s.r.mode = (enum render_mode)q.mode;
	s.r.shade = (enum render_shade)q.shade;
	s.r.iso = q.iso;
	s.r.memory = tool_memory();
	open_volumes(&s, &q);
	set_camera(&s.r, &q);
	set_step(&s.r, q.step);

	if (q.clip)
		set_clip(&s.r, q.clip);

	draw(&s, &q);
	close_scene(&s);
	leave(EXIT_DONE);
}
