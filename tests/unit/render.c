/* Pictures of a sphere against the closed form; the same bits for any cut, type of element and number of
 * threads. */

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "misc/mem.h"
#include "volume/render/render.h"

enum { SIDE = 49, PIXELS = 64 };

static const double radius = 16.;

/* radius - |r|, scaled to unit steps of `step`: a ramp through 100 at the surface. */
static float *make_sphere(const double spacing[3])
{
	float *v = mem_alloc(sizeof(float) * SIDE * SIDE * SIDE);
	long i = 0;

	for (int z = 0; z < SIDE; z++)
		for (int y = 0; y < SIDE; y++)
			for (int x = 0; x < SIDE; x++) {
				const double a = (x - SIDE / 2) * spacing[0], b = (y - SIDE / 2) * spacing[1],
				             c = (z - SIDE / 2) * spacing[2];

				v[i++] = (float)fmin(
				        fmax(100. + 10. * (radius - sqrt(a * a + b * b + c * c)), 0.), 250.);
			}

	return v;
}

static void start(struct render *r, enum dtype type, const void *data, const double spacing[3])
{
	*r = (struct render){.mode = RENDER_ISO,
	        .camera =
	                {.azimuth = 0.6, .elevation = 0.35, .width = PIXELS, .height = PIXELS, .pixel = 0.75},
	        .step = fmin(spacing[0], fmin(spacing[1], spacing[2])),
	        .iso = 100.,
	        .color = {.5, .5, .5},
	        .volumes = 1,
	        .volume = {{.name = "sphere", .type = type, .data = data}},
	        .memory = 1L << 30};

	for (int d = 0; d < 3; d++) {
		r->n[d] = SIDE;
		r->spacing[d] = spacing[d];
		r->clip[d][0] = -.5;
		r->clip[d][1] = SIDE - .5;
	}
}

static float *draw(const struct render *r)
{
	float *p = mem_alloc(sizeof(float) * 4 * PIXELS * PIXELS);
	struct render_extent *e = render_extent_create(r);

	render_run(r, e, p);
	render_extent_free(e);
	return p;
}

/* Radius [pixels] of the disc of pixels that a ray ends in. */
static double disc_radius(const float *p)
{
	long n = 0;

	for (long i = 0; i < PIXELS * PIXELS; i++)
		n += p[4 * i + 3] > 0.5f;

	return sqrt((double)n / M_PI);
}

static void check_silhouette(const double spacing[3], const char *what)
{
	float *v = make_sphere(spacing);
	struct render r;

	start(&r, DT_FLOAT32, v, spacing);

	float *p = draw(&r);
	const double parallel = disc_radius(p);

	check(fabs(parallel - radius / 0.75) < 0.5, "silhouette, %s: %.2f pixels, closed form %.2f", what,
	        parallel, radius / 0.75);
	free(p);

	r.camera.perspective = 0.7;
	p = draw(&r);

	/* The cone that touches the sphere, where it meets the plane of the centre. */
	const double far = 0.5 * PIXELS * 0.75 / tan(0.35);
	const double want = far * tan(asin(radius / far)) / 0.75, seen = disc_radius(p);

	check(fabs(seen - want) < 0.6, "silhouette in perspective, %s: %.2f pixels, closed form %.2f", what,
	        seen, want);
	free(p);
	free(v);
}

/* Where the light is mirrored into the eye: the normal is half way between both. */
static void check_highlight(void)
{
	const double spacing[3] = {1., 1., 1.};
	float *v = make_sphere(spacing);
	struct render r;

	start(&r, DT_FLOAT32, v, spacing);
	r.light_given = true;
	r.light[0] = 1.1;
	r.light[1] = 0.8;

	struct render dull = r;

	dull.shade = RENDER_DIFFUSE;

	float *p = draw(&r), *q = draw(&dull);
	double sum = 0., x = 0., y = 0.;

	for (long i = 0; i < PIXELS * PIXELS; i++) {
		const double s = pow(fmax((double)p[4 * i] - (double)q[4 * i], 0.), 4.);

		sum += s;
		x += s * (double)(i % PIXELS);
		y += s * (double)(i / PIXELS);
	}

	struct render_view w;
	double h[3], square = 0., want[2] = {0., 0.};
	const double light[3] = {cos(0.8) * cos(1.1), cos(0.8) * sin(1.1), sin(0.8)};

	render_view_make(&w, &r.camera, r.n, r.spacing, r.step);

	for (int d = 0; d < 3; d++) {
		h[d] = light[d] - w.ahead[d];
		square += h[d] * h[d];
	}

	for (int d = 0; d < 3; d++) {
		want[0] += radius * h[d] / sqrt(square) * w.right[d] / 0.5625;
		want[1] += radius * h[d] / sqrt(square) * w.down[d] / 0.5625;
	}

	check(fabs(x / sum - want[0] - 0.5 * (PIXELS - 1)) < 1. &&
	                fabs(y / sum - want[1] - 0.5 * (PIXELS - 1)) < 1.,
	        "highlight at %.2f, %.2f, closed form %.2f, %.2f", x / sum, y / sum,
	        want[0] + 0.5 * (PIXELS - 1), want[1] + 0.5 * (PIXELS - 1));
	free(p);
	free(q);
	free(v);
}

static bool same(const float *a, const float *b)
{
	return 0 == memcmp(a, b, sizeof(float) * 4 * PIXELS * PIXELS);
}

/* Values that are integers, in every type. */
static void *as_type(enum dtype t, const float *v)
{
	const long n = (long)SIDE * SIDE * SIDE;
	void *p = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < n; i++)
		switch (t) {
		case DT_UINT8:
			((unsigned char *)p)[i] = (unsigned char)v[i];
			break;
		case DT_UINT16:
			((unsigned short *)p)[i] = (unsigned short)v[i];
			break;
		case DT_INT16:
			((short *)p)[i] = (short)v[i];
			break;
		case DT_FLOAT32:
			((float *)p)[i] = floorf(v[i]);
			break;
		case DT_INT64:
			((long *)p)[i] = (long)v[i];
			break;
		default:
			((double *)p)[i] = floor((double)v[i]);
		}

	return p;
}

static void check_cuts(struct render *r, const char *what)
{
	float *want = draw(r);
	bool slabs = true, one = true;

	for (long memory = 1; memory < 1 << 20; memory *= 64) {
		r->memory = memory;

		float *p = draw(r);

		slabs = slabs && same(p, want);
		free(p);
	}

	r->memory = 1L << 30;
	omp_set_num_threads(3);

	float *p = draw(r);

	one = same(p, want);
	omp_set_num_threads(1);
	check(slabs, "%s: the same bits for any slabs", what);
	check(one, "%s: the same bits for any number of threads", what);
	free(p);
	free(want);
}

static void check_same_bits(void)
{
	static const enum dtype types[] = {DT_UINT8, DT_UINT16, DT_INT16, DT_FLOAT32, DT_INT64, DT_FLOAT64};
	static const char *const modes[] = {"volume", "mip", "minip", "mean", "iso", "xray"};
	const double spacing[3] = {1., 1.2, 0.8};
	float *v = make_sphere(spacing);
	void *data[6];
	struct transfer *t = transfer_named("shells", 0., 250., 0.4);
	struct render r;

	for (int i = 0; i < 6; i++)
		data[i] = as_type(types[i], v);

	for (int m = 0; m < 6; m++) {
		float *first = NULL;
		bool alike = true;

		for (int i = 0; i < (short_tests() ? 2 : 6); i++) {
			start(&r, types[i], data[i], spacing);
			r.mode = (enum render_mode)m;
			r.volume[0].transfer = t;
			r.camera.perspective = m % 2 ? 0.9 : 0.;
			r.camera.pixel = m % 2 ? 0.2 : 0.6; // in perspective with the eye inside

			float *p = draw(&r);

			if (0 == i)
				first = p;
			else {
				alike = alike && same(p, first);
				free(p);
			}
		}

		check(alike, "%s: the same bits for all types", modes[m]);
		free(first);
		check_cuts(&r, modes[m]);
	}

	for (int i = 0; i < 6; i++)
		free(data[i]);

	transfer_free(t);
	free(v);
}

int main(void)
{
	omp_set_num_threads(1); // but where threads are compared
	check_silhouette((const double[3]){1., 1., 1.}, "cubes");
	check_silhouette((const double[3]){1., 1.4, 0.9}, "other voxels");
	check_highlight();
	check_same_bits();
	return checks_failed > 0;
}
