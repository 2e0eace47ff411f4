/* Pictures of volumes by ray casting. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/file/cfl.h"
#include "misc/file/warn_grid.h"
#include "misc/plot/colormap.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/options/plan_file.h"
#include "misc/plot/film.h"
#include "misc/plot/png.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/device/device.h"
#include "volume/otsu.h"
#include "volume/render/annotate.h"
#include "volume/render/render.h"

int main_render(int argc, char *argv[]);

enum { SMALLEST = 16 }; // side of a picture [pixels] that --bytes makes

/* The command line. */
struct request {
	struct opt_list volumes, transfers, ranges;
	const char *out, *clip, *background, *overlay, *color, *path;
	struct opt_doubles camera, light;
	struct opt_longs size;
	long turn, bytes;
	double scale_bar, rate;
	bool axes, color_bar, rate_given;
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
	float *picture;        // of rays
	unsigned char *pixels; // three bytes each
	bool empty;            // so far, no ray has met anything
	bool outside;          // so far, all values of projections are on one side of the range
	bool ranged;           // the range has been taken from a picture
	struct render_camera *view;
	long views;
	struct render_notes notes;
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

/* Extensions of moving pictures. */
#define FILMS ".png|.gif|.mp4|.PNG|.GIF|.MP4"

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
		usage_error("%s requires %s", option, needs);
}

/* The place of a number in a file name, or NULL. */
static const char *number_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strchr(slash ? slash : path, '%');
}

/* NAME%03d.png with the number in its place; NULL: the name has no place for one. */
static char *numbered(const char *name, long i)
{
	const char *at = number_in(name);
	char *end;

	if (!at)
		return NULL;

	const long digits = strtol(at + 1, &end, 10);

	if ('d' != *end || digits < 0 || digits > 9 || end > at + 3 || strchr(end, '%'))
		return NULL;

	return mem_printf("%.*s%0*ld%s", (int)(at - name), name, (int)digits, i, end + 1);
}

static void check_name(const struct request *q)
{
	const char *dot = strrchr(q->out, '.');
	const bool series = q->turn > 0 || q->path, film = series && !number_in(q->out);
	char *first = numbered(q->out, 0);

	if (0 == strcmp(q->out, "-")) {
		if (isatty(STDOUT_FILENO))
			usage_error("-: a picture is not written to a terminal, expected a name or a pipe");

		return;
	}

	if (!dot || strchr(dot, '/') || 0 > find_word(dot, film ? FILMS : ".png|.PNG", '|'))
		usage_error("%s: expected a name that ends in %s%s", q->out,
		        film ? ".png, .gif or .mp4" : ".png (.gif, .mp4: --turn, --path)",
		        dot ? "" : "; is OUT.png missing?");

	if (number_in(q->out) && !first)
		usage_error("%s: expected one %%d or %%03d for the number of the picture", q->out);

	if (first && !series)
		usage_error("%s: numbered pictures need --turn or --path", q->out);

	free(first);
}

static void check_request(struct request *q)
{
	const bool film = (q->turn > 0 || q->path) && !number_in(q->out);

	if (q->iso_given && !q->mode_given)
		q->mode = RENDER_ISO;

	const bool volume = RENDER_VOLUME == q->mode, iso = RENDER_ISO == q->mode;

	check_name(q);

	refuse(q->bytes > 0 && (!film || 0 == strcmp(q->out, "-")), "--bytes", "an animation in a file");

	refuse(q->iso_given && !iso, "--iso", "--mode iso");
	refuse(q->color_given && !iso, "--color", "--mode iso");
	refuse(q->shade_given && !volume && !iso, "--shade", "--mode volume or iso");
	refuse(q->light.n > 0 && !volume && !iso, "--light", "--mode volume or iso");
	refuse(q->light.n > 0 && RENDER_FLAT == q->shade, "--light", "--shade phong or diffuse");
	refuse(q->opacity_given && !volume, "--opacity", "--mode volume");
	refuse(q->overlay && !volume && !iso, "--overlay", "--mode volume or iso");
	refuse(q->transfers.n > 0 && iso, "--transfer", "another mode than iso");
	refuse(q->ranges.n > 0 && iso, "--range", "another mode than iso");

	refuse(q->color_bar && iso, "--colorbar", "another mode than iso");
	refuse(q->color_bar && q->volumes.n > 1, "--colorbar", "a single volume");
	refuse(q->rate_given && 0 == q->turn && !q->path, "--rate", "--turn or --path");

	if (q->path && (q->turn > 0 || q->camera.n || q->zoom_given || q->pixel > 0.))
		usage_error("--path defines the cameras and excludes --turn, --camera, --zoom and --pixel");

	if (q->zoom_given && q->pixel > 0.)
		usage_error("expected one of --zoom and --pixel");

	if (q->volumes.n > RENDER_VOLUMES)
		usage_error("%d volumes, expected at most %d", q->volumes.n, RENDER_VOLUMES);

	if (q->volumes.n > 1 && !volume)
		usage_error("%d volumes: only --mode volume draws more than one", q->volumes.n);

	if (q->transfers.n > q->volumes.n || q->ranges.n > q->volumes.n)
		usage_error("%s is given %d times for %d volume%s, expected at most once per volume",
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
			error("%s is %s, expected a volume of three dimensions (gantry slice extracts one)",
			        f->name, hdr_shape(&f->hdr));

		if (i > 0) {
			cfl_same_dims(s->file[0], f, DIMS);
			cfl_warn_grid(f, &s->file[0]->hdr, s->file[0]->name);
		}

		s->r.volume[i] =
		        (struct render_volume){.name = f->name, .type = f->hdr.type, .data = cfl_map(f)};
	}

	s->r.volumes = q->volumes.n;

	for (int d = 0; d < 3; d++) {
		s->r.n[d] = s->file[0]->hdr.dims[d];
		s->r.spacing[d] = fabs(s->file[0]->hdr.spacing[d]);
		s->r.place[d][0] = hdr_origin(&s->file[0]->hdr, d);
		s->r.place[d][1] = s->file[0]->hdr.spacing[d];
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
	cfl_warn_grid(s->labels, &s->file[0]->hdr, s->file[0]->name);
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

/* The length of the volume's diagonal [mm]. */
static double diagonal(const struct render *r)
{
	double square = 0.;

	for (int d = 0; d < 3; d++)
		square += r->spacing[d] * (double)r->n[d] * r->spacing[d] * (double)r->n[d];

	return sqrt(square);
}

static double pixel_at_zoom(const struct render *r, double zoom)
{
	const struct render_camera *c = &r->camera;

	return diagonal(r) / zoom / (double)(c->width < c->height ? c->width : c->height);
}

static void set_camera(struct render *r, const struct request *q)
{
	struct render_camera *c = &r->camera;

	c->azimuth = radians(q->camera.n ? q->camera.v[0] : 30.);
	c->elevation = radians(q->camera.n ? q->camera.v[1] : 20.);
	c->roll = radians(3 == q->camera.n ? q->camera.v[2] : 0.);
	c->width = q->size.n ? q->size.v[0] : 1024;
	c->height = 2 == q->size.n ? q->size.v[1] : c->width;
	c->perspective = radians(q->perspective);
	c->pixel = q->pixel > 0. ? q->pixel : pixel_at_zoom(r, q->zoom);
	r->light_given = q->light.n > 0;
	r->light[0] = radians(q->light.v[0]);
	r->light[1] = radians(q->light.v[1]);
}

/* Cameras of a file: four numbers each. */
static void read_path(struct scene *s, const char *path)
{
	long n;
	double *v = file_read_numbers(path, &n);

	if (0 == n || 0 != n % 4)
		error("%s contains %ld numbers, expected four for each view: AZIMUTH ELEVATION ROLL ZOOM",
		        path, n);

	s->views = n / 4;
	s->view = mem_alloc((size_t)s->views * sizeof *s->view);

	for (long i = 0; i < s->views; i++) {
		if (!(v[4 * i + 3] > 0.))
			error("%s: view %ld has a zoom of %g, expected more than 0", path, i + 1,
			        v[4 * i + 3]);

		s->view[i] = s->r.camera;
		s->view[i].azimuth = radians(v[4 * i]);
		s->view[i].elevation = radians(v[4 * i + 1]);
		s->view[i].roll = radians(v[4 * i + 2]);
		s->view[i].pixel = pixel_at_zoom(&s->r, v[4 * i + 3]);
	}

	free(v);
}

static void set_views(struct scene *s, const struct request *q)
{
	if (q->path) {
		read_path(s, q->path);
		return;
	}

	s->views = q->turn > 0 ? q->turn : 1;
	s->view = mem_alloc((size_t)s->views * sizeof *s->view);

	for (long i = 0; i < s->views; i++) {
		s->view[i] = s->r.camera;
		s->view[i].azimuth += 2. * M_PI * (double)i / (double)s->views;
	}
}

static void set_step(struct render *r, double step)
{
	r->step = step > 0. ? step : fmin(r->spacing[0], fmin(r->spacing[1], r->spacing[2]));

	if (r->step > diagonal(r))
		usage_error(
		        "--step %g mm is longer than the diagonal of the volume, %g mm", step, diagonal(r));

	if (diagonal(r) / r->step > 1e6)
		usage_error("--step %g mm makes over 1e6 samples along a ray through %g mm", r->step,
		        diagonal(r));
}

/* ---- colours ---- */

/* The level between air and object. */
static double object_level(const struct render *r, int k, const double range[2])
{
	const struct render_volume *v = &r->volume[k];
	const double level =
	        range[0] < range[1] ? otsu_sample(v->type, v->data, r->n, range[0], range[1]) : NAN;

	return isfinite(level) ? level : range[0];
}

/* From --range, or smallest and largest value; where the transfer function is chosen here, without the air.
 */
static void set_range(double range[2], const struct scene *s, const struct request *q, int k,
        const struct render_extent *e, const char *name)
{
	const char *text = word_of(&q->ranges, k);

	range[0] = 0.;
	range[1] = 1.;

	if (!s->r.range_known)
		render_extent_of(e, k, &range[0], &range[1]);

	if (!text && RENDER_VOLUME == q->mode && 0 == q->transfers.n)
		range[0] = fmax(range[0], transfer_surface_start(object_level(&s->r, k, range), range[1]));

	if (text && (2 != parse_doubles(text, 2, range, "--range") || !(range[0] < range[1])))
		usage_error("--range: '%s', expected LO:HI with LO < HI", text);

	if (!text && !s->r.range_known)
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
	if (!is_file) {
		t = transfer_expression(name, range[0], range[1],
		        (range[1] - range[0]) / fmin(spacing[0], fmin(spacing[1], spacing[2])));
		refuse(q->ranges.n > 0 && t->program, "--range", "a transfer function without x, y, z");
		refuse(q->color_bar && t->program, "--colorbar", "a transfer function without x, y, z");
		return t;
	}

	refuse(q->ranges.n > 0, "--range", "a transfer function by name or expression");
	return transfer_file(name);
}

/* The level of the surface that is drawn unless one is given. */
static void set_level(struct scene *s, const struct render_extent *e)
{
	double range[2];

	render_extent_of(e, 0, &range[0], &range[1]);

	if (!(range[0] < range[1]))
		error("%s: every voxel is %g, so there is no surface (give --iso VALUE)", s->file[0]->name,
		        range[0]);

	s->r.iso = object_level(&s->r, 0, range);
	info("%s: level %.6g (Otsu)", s->file[0]->name, s->r.iso);
}

static void set_colors(struct scene *s, const struct request *q, const struct render_extent *e)
{
	if (RENDER_VOLUME == s->r.mode)
		for (int k = 0; k < s->r.volumes; k++) {
			double range[2];

			set_range(range, s, q, k, e, s->file[k]->name);
			s->r.volume[k].transfer = s->transfer[k] = open_transfer(q, k, range, s->r.spacing);
		}

	if (RENDER_ISO == s->r.mode && !q->iso_given)
		set_level(s, e);

	if (!is_projection(s->r.mode))
		return;

	const char *name = q->transfers.n ? q->transfers.v[0] : "gray";
	const int map = find_word(name, COLORMAP_CHOICES, '|');

	if (0 > map)
		usage_error("--transfer: '%s', expected a colour map for this mode (valid: %s)", name,
		        COLORMAP_CHOICES);

	s->map = (enum colormap)map;

	if (RENDER_MIP == s->r.mode || RENDER_MINIP == s->r.mode || q->ranges.n)
		set_range(s->range, s, q, 0, e, s->file[0]->name);
}

static void check_sums(const struct scene *s)
{
	const long n = s->r.camera.width * s->r.camera.height;

	for (long i = 0; i < n; i++)
		if (isinf(s->picture[4 * i]))
			error("%s: sums along the rays do not fit into float32 (scale the volume: gantry "
			      "scale)",
			        s->file[0]->name);
}

/* Sums have a range of their own: that of the first picture that shows the volume. */
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

static void bar_color(const void *ctx, double v, double rgb[3])
{
	const struct scene *s = ctx;

	if (is_projection(s->r.mode))
		colormap_color(s->map, (v - s->range[0]) / (s->range[1] - s->range[0]), rgb);
	else
		transfer_color(s->transfer[0], v, rgb);
}

static void set_notes(struct scene *s, const struct request *q)
{
	const double bright = .3 * s->background[0] + .6 * s->background[1] + .1 * s->background[2];

	s->notes = (struct render_notes){.scale_bar = q->scale_bar,
	        .axes = q->axes,
	        .color_bar = q->color_bar,
	        .color = bar_color,
	        .ctx = s,
	        .unit = s->file[0]->hdr.unit,
	        .ink = bright > .5 ? 0x202020 : 0xe0e0e0};

	for (long i = 0; i < s->views; i++)
		if (q->scale_bar > s->view[i].pixel * (double)s->view[i].width)
			usage_error("--scale-bar %g: longer than the %g mm that are shown", q->scale_bar,
			        s->view[i].pixel * (double)s->view[i].width);
}

/* ---- pictures ---- */

static void paint(struct scene *s)
{
	const long pixels = s->r.camera.width * s->r.camera.height;

#pragma omp parallel for num_threads(threads_for(20. * (double)pixels))
	for (long i = 0; i < pixels; i++) {
		double rgb[3];

		pixel_color(s, s->picture + 4 * i, rgb);

		for (int c = 0; c < 3; c++)
			s->pixels[3 * i + c] = (unsigned char)(fmin(fmax(rgb[c], 0.), 1.) * 255. + 0.5);
	}

	if (!s->notes.color_bar && !s->notes.axes && !(s->notes.scale_bar > 0.))
		return;

	for (int i = 0; i < 2 && s->notes.color_bar; i++)
		s->notes.range[i] = is_projection(s->r.mode) ? s->range[i]
		                    : 0 == i                 ? s->transfer[0]->lo
		                                             : s->transfer[0]->hi;

	render_annotate(s->pixels, &s->r.camera, &s->notes);
}

static bool is_empty(const struct scene *s)
{
	const long n = s->r.camera.width * s->r.camera.height;

	for (long i = 0; i < n; i++)
		if (s->picture[4 * i + 3] > 0.f)
			return false;

	return true;
}

/* Whether all values of a projection are on one side of its range. */
static bool is_outside(const struct scene *s)
{
	const long n = s->r.camera.width * s->r.camera.height;
	bool below = true, above = true;

	for (long i = 0; i < n; i++)
		if (s->picture[4 * i + 3] > 0.f) {
			below = below && (double)s->picture[4 * i] < s->range[0];
			above = above && (double)s->picture[4 * i] > s->range[1];
		}

	return below || above;
}

static void draw_view(struct scene *s, const struct request *q, struct render_extent *e, long i)
{
	s->r.camera = s->view[i];
	render_run(&s->r, e, s->picture);

	const bool sums = RENDER_MEAN == s->r.mode || RENDER_XRAY == s->r.mode, empty = is_empty(s);

	if (sums)
		check_sums(s);

	if (sums && 0 == q->ranges.n && !s->ranged && !empty) {
		find_range(s);
		s->ranged = true;
	}

	s->empty = s->empty && empty;
	s->outside = s->outside && (empty || (is_projection(s->r.mode) && is_outside(s)));

	paint(s);
	progress_update(i + 1);
}

static void put_row(void *ctx, long y, void *row)
{
	const struct scene *s = ctx;
	const size_t bytes = 3 * (size_t)s->r.camera.width;

	memcpy(row, s->pixels + (size_t)y * bytes, bytes);
}

static struct png_format format_of(const struct scene *s)
{
	return (struct png_format){
	        .width = s->r.camera.width, .height = s->r.camera.height, .bits = 8, .rgb = true};
}

static void write_numbered(struct scene *s, const struct request *q, struct render_extent *e)
{
	const struct png_format format = format_of(s);

	for (long i = 0; i < s->views; i++) {
		char *number = numbered(q->out, i), *name = number ? number : mem_strdup(q->out);

		draw_view(s, q, e, i);

		struct file_out *f = file_create(name);

		png_write(f, name, &format, put_row, s);
		file_commit(f);
		free(name);
	}
}

/* Pictures of width x height pixels that show the same. */
static void resize_views(struct scene *s, long width, long height)
{
	for (long i = 0; i < s->views; i++) {
		struct render_camera *c = &s->view[i];

		c->pixel *= (double)(c->width < c->height ? c->width : c->height) /
		            (double)(width < height ? width : height);
		c->width = width;
		c->height = height;
	}
}

/* The whole film: its size in bytes. */
static long draw_film(struct scene *s, const struct request *q, struct render_extent *e, struct film *f)
{
	film_start(f, s->view[0].width, s->view[0].height);

	for (long i = 0; i < s->views; i++) {
		draw_view(s, q, e, i);
		film_frame(f, s->pixels);
	}

	return film_end(f);
}

/* Smaller pictures until the file is as small as asked for. */
static void write_film(struct scene *s, const struct request *q, struct render_extent *e)
{
	struct film *f = film_create(q->out, s->views, q->rate);

	for (long bytes; (bytes = draw_film(s, q, e, f)) > q->bytes && q->bytes > 0;) {
		const double shrink = fmin(.9, .95 * sqrt((double)q->bytes / (double)bytes));
		const long w = (long)((double)s->view[0].width * shrink),
		           h = (long)((double)s->view[0].height * shrink);

		if (w < SMALLEST || h < SMALLEST)
			error("%s has %ld bytes at %ld x %ld pixels, expected at most %ld (raise --bytes, "
			      "or render fewer views)",
			        q->out, bytes, s->view[0].width, s->view[0].height, q->bytes);

		info("%s has %ld bytes: rendering again with %ld x %ld pixels", q->out, bytes, w, h);
		resize_views(s, w, h);
	}

	film_commit(f);
}

/* ---- the command ---- */

/* Colours and levels are given: they do not depend on the values of the volumes. */
static bool range_known(const struct request *q)
{
	for (int k = 0; k < q->volumes.n && RENDER_VOLUME == q->mode; k++) {
		const char *name = word_of(&q->transfers, k);
		const bool is_file =
		        name && 0 > find_word(name, transfer_names(), ' ') && 0 == access(name, F_OK);

		if (!is_file && !word_of(&q->ranges, k))
			return false;
	}

	return RENDER_ISO == q->mode                              ? q->iso_given
	       : RENDER_MIP == q->mode || RENDER_MINIP == q->mode ? q->ranges.n > 0
	                                                          : true;
}

static void draw(struct scene *s, const struct request *q)
{
	const long pixels = s->r.camera.width * s->r.camera.height;
	char *first = numbered(q->out, 0);

	tool_needs(pixels * 19 + render_memory(&s->r), 0.);

	if (tool_plan() && 0 <= device_used())
		info("%ld of %ld slices fit into GPU memory", render_device_fits(&s->r), s->r.n[2]);

	if (tool_plan())
		tool_plan_file(
		        mem_printf("%s, %ld x %ld pixels, %ld picture%s, before compression", q->out,
		                s->r.camera.width, s->r.camera.height, s->views, 1 == s->views ? "" : "s"),
		        3 * pixels * s->views);

	s->r.range_known = 1 == s->views && range_known(q);

	struct render_extent *e = render_extent_create(&s->r);

	set_colors(s, q, e);
	render_extent_to_device(e, &s->r);
	s->picture = mem_alloc((size_t)pixels * 4 * sizeof *s->picture);
	s->pixels = mem_alloc((size_t)pixels * 3);

	if (1 < s->views)
		progress_start("drawing", s->views);

	if (1 == s->views || first)
		write_numbered(s, q, e);
	else
		write_film(s, q, e);

	progress_end();
	render_extent_free(e);
	free(first);
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
	free(s->pixels);
	free(s->view);
}

int main_render(int argc, char *argv[])
{
	struct request q = {
	        .zoom = 1., .rate = 12., .opacity = .6, .background = "black", .color = "#e8d8b8"};
	struct scene s = {0};

	const struct opt opts[] = {
	        {'m', "mode", OPT_KIND_CHOICE, &q.mode, RENDER_MODES,
	                "composited volume, largest, smallest, mean value, surface, line integral", 0, 0, 0,
	                &q.mode_given},
	        OPT_DOUBLES(0, "camera", &q.camera, "AZ:EL[:ROLL]", -1e4, 1e4,
	                "camera direction [degrees] (default: 30:20)"),
	        {0, "zoom", OPT_KIND_DOUBLE, &q.zoom, "F",
	                "magnification; at 1 the volume fits from every side", 0, 1e-6, 1e6, &q.zoom_given},
	        OPT_DOUBLE(0, "pixel", &q.pixel, "MM", 0, 1e300, "side of a pixel, instead of --zoom"),
	        OPT_DOUBLE(0, "perspective", &q.perspective, "DEG", 0, 170,
	                "opening angle of the smaller side (0: parallel rays)"),
	        OPT_LONGS(0, "size", &q.size, "W[:H]", 1, 32767,
	                "size of the picture [pixels] (default: 1024:1024)"),
	        {'t', "transfer", OPT_KIND_STRING, &q.transfers, "NAME|FILE|EXPR",
	                "colours and opacities (default: surface; projections: gray); one per volume",
	                OPT_MANY, 0, 0, NULL},
	        {0, "opacity", OPT_KIND_DOUBLE, &q.opacity, "F",
	                "opacity at the upper end of a named transfer function", 0, 0, 1, &q.opacity_given},
	        OPT_STRINGS('r', "range", &q.ranges, "LO:HI",
	                "range of the colours (default: smallest to largest; without --transfer, values up "
	                "to about Otsu's level are transparent)"),
	        {0, "iso", OPT_KIND_DOUBLE, &q.iso, "VALUE", "level of the surface (default: Otsu's)", 0, 0,
	                0, &q.iso_given},
	        {0, "color", OPT_KIND_STRING, &q.color, "COLOUR", "colour of the surface", 0, 0, 0,
	                &q.color_given},
	        {0, "shade", OPT_KIND_CHOICE, &q.shade, RENDER_SHADES, "light on surfaces", 0, 0, 0,
	                &q.shade_given},
	        OPT_DOUBLES(0, "light", &q.light, "AZ:EL", -1e4, 1e4,
	                "direction of the light [degrees] (default: from the camera)"),
	        OPT_DOUBLE(0, "step", &q.step, "MM", 0, 1e300,
	                "distance of samples along a ray (default: smallest spacing)"),
	        OPT_STRING(0, "clip", &q.clip, "X0:X1,Y0:Y1,Z0:Z1", "draw these elements only"),
	        OPT_STRING('b', "background", &q.background, "COLOUR", "black, white, gray or #RRGGBB"),
	        OPT_ARRAY(0, "overlay", &q.overlay, "LABELS", "colour samples by the labels of this array"),
	        OPT_LONG(0, "turn", &q.turn, "N", 2, 3600,
	                "number of views around the object: an animation, or numbered pictures"),
	        OPT_INFILE(0, "path", &q.path, "FILE", "camera path: a file of AZ EL ROLL ZOOM per view"),
	        {0, "rate", OPT_KIND_DOUBLE, &q.rate, "FPS", "pictures per second of an animation", 0, 0.1,
	                100, &q.rate_given},
	        OPT_DOUBLE(0, "scale-bar", &q.scale_bar, "MM", 0, 1e300,
	                "scale bar of this length, in the plane of the centre"),
	        OPT_LONG(0, "bytes", &q.bytes, "N", 1, 1L << 62,
	                "largest size of an animation, reached by smaller pictures"),
	        OPT_FLAG(0, "axes", &q.axes, "arrows along x, y and z"),
	        OPT_FLAG(0, "colorbar", &q.color_bar, "a bar with colours and values"),
	        ARG_IN_MANY("VOL", &q.volumes, "volumes of the same dims"),
	        ARG_OUTFILE("OUT.png", &q.out,
	                "the picture; - for standard output; with --turn an animation (.png, .gif, .mp4 by "
	                "ffmpeg), or "
	                "NAME%03d.png"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){.name = "render",
	                .group = GROUP_LOOK,
	                .synonyms = "raycast volren volume-rendering mip drr isosurface",
	                .about = "Render a volume in three dimensions",
	                .details = "The command casts one ray per pixel through the volume. No display is "
	                           "needed. The camera looks at the centre of the volume. The azimuth AZ "
	                           "of the camera is measured from +x towards +y, and the elevation EL "
	                           "towards +z. The modes of --mode are:\n\n"
	                           "volume: colours and opacities of a transfer function, composited from "
	                           "front to back.\n"
	                           "mip, minip, mean: the largest, smallest or mean value along each "
	                           "ray.\n"
	                           "iso: the surface at the level of --iso.\n"
	                           "xray: the line integral along each ray.\n\n"
	                           "The option --transfer accepts a name, a file or an expression:\n\n"
	                           "name: surface, fog, shells or a colour map. The opacity of a colour "
	                           "map increases with the value.\n"
	                           "file: one point per line, as VALUE OPACITY RED GREEN BLUE. Opacities "
	                           "and colours are numbers from 0 to 1.\n"
	                           "expression: the opacity, or opacity and colour as in 'opacity = E; "
	                           "red = E; green = E; blue = E'. An expression without colours gives "
	                           "white. An expression may use the value v, the gradient magnitude g "
	                           "per mm, and the position x, y, z [mm].\n\n"
	                           "A layer as thick as the smallest voxel spacing has the given opacity. "
	                           "The picture is the same for any number of threads.",
	                .examples =
	                        "gantry render volume picture.png\n"
	                        "gantry render --transfer bone --range 0.01:0.06 --camera 120:10 volume "
	                        "a.png\n"
	                        "gantry render --transfer 'opacity = 0.2*g; red = v/0.05; green = 0.5; blue "
	                        "= 1 - v/0.05' volume b.png\n"
	                        "gantry render --transfer '0.1*(v > 0.02)*(x < 0)' volume half.png\n"
	                        "gantry render --iso 0.02 --perspective 40 --clip :,:100,: volume cut.png\n"
	                        "gantry render --turn 36 --size 256 --axes volume turning.png\n"
	                        "gantry render --turn 180 --rate 25 volume turning.mp4\n"
	                        "gantry render --mode mip --camera 0:0 volume mip.png",
	                .memory = "19 bytes per pixel and 1/50 byte per element. Element types other "
	                          "than uint8, uint16, int16 and float32 are converted in slabs of up to "
	                          "512 MiB",
	                .by_parts = true,
	                .opts = opts},
	        argc, argv);

	check_request(&q);
	parse_color(s.background, q.background, "--background");
	parse_color(s.r.color, q.color, "--color");
	s.r.mode = (enum render_mode)q.mode;
	s.r.shade = (enum render_shade)q.shade;
	s.empty = s.outside = true;
	s.r.iso = q.iso;
	s.r.memory = tool_memory();
	open_volumes(&s, &q);
	set_camera(&s.r, &q);
	set_step(&s.r, q.step);
	set_views(&s, &q);
	set_notes(&s, &q);

	if (q.clip)
		set_clip(&s.r, q.clip);

	draw(&s, &q);

	if (s.empty)
		warn("%s shows only the background: no ray meets a %s (check %s)", q.out,
		        (RENDER_ISO == s.r.mode)      ? "surface at this level"
		        : (RENDER_VOLUME == s.r.mode) ? "voxel with an opacity above 0"
		                                      : "voxel",
		        (RENDER_ISO == s.r.mode)      ? "--iso and --clip"
		        : (RENDER_VOLUME == s.r.mode) ? "--transfer, --range and --clip"
		                                      : "--camera and --clip");
	else if (s.outside)
		warn("%s has one colour: all values are outside the range %.6g:%.6g (check --range)", q.out,
		        s.range[0], s.range[1]);

	close_scene(&s);
	leave(EXIT_DONE);
}
