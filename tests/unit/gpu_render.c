/* Pictures by the GPU: the bits of the CPU's, for all modes, types of elements, slabs and views. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/kern/convert.h"
#include "volume/render/extent.h"

enum { NX = 21, NY = 18, NZ = 26, N = NX * NY * NZ, WIDTH = 37, HEIGHT = 30 };

static const double spacing[3] = {1., 1.2, .8};

/* Two balls in a ramp, whole numbers from 0 to 199. */
static float *make_volume(void)
{
	float *v = mem_alloc(N * sizeof *v);

	for (int z = 0, i = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++)
			for (int x = 0; x < NX; x++, i++) {
				const double a = hypot(hypot(x - 7, y - 8), z - 8),
				             b = hypot(hypot(x - 14, y - 9), z - 18);

				v[i] = (float)floor(fmin(199., 3. * x + fmax(0., 130. - 20. * fmin(a, b))));
			}

	return v;
}

static void start(struct render *r, enum render_mode mode, enum dtype type, const void *data)
{
	*r = (struct render){.mode = mode,
	        .camera = {.azimuth = .6, .elevation = .35, .width = WIDTH, .height = HEIGHT, .pixel = 1.1},
	        .step = .8,
	        .iso = 100.,
	        .color = {.5, .6, .7},
	        .volumes = 1,
	        .volume = {{.name = "balls", .type = type, .data = data}},
	        .memory = 1L << 30};

	const long n[3] = {NX, NY, NZ};

	for (int d = 0; d < 3; d++) {
		r->n[d] = n[d];
		r->spacing[d] = spacing[d];
		r->place[d][1] = spacing[d];
		r->clip[d][0] = -.5;
		r->clip[d][1] = (double)n[d] - .5;
	}
}

static void draw(const struct render *r, bool gpu, float *picture)
{
	struct render_extent *e = render_extent_create(r);

	if (gpu)
		render_extent_to_device(e, r);

	const struct device_crossings before = device_crossed();

	render_run(r, e, picture);
	check(gpu == (before.back < device_crossed().back), "drawn by the %s", gpu ? "GPU" : "CPU");

	if (gpu) { // with the volumes that are there
		float again[4 * WIDTH * HEIGHT];

		render_run(r, e, again);
		check(0 == memcmp(again, picture, sizeof again), "the second picture is the first");
	}

	render_extent_free(e);
}

static void compare(const struct render *r, const char *what)
{
	float found[4 * WIDTH * HEIGHT], expected[4 * WIDTH * HEIGHT];
	double sum = 0.;

	draw(r, false, expected);
	draw(r, true, found);

	for (int i = 0; i < 4 * WIDTH * HEIGHT; i++)
		sum += (double)expected[i];

	check(0 < sum && 0 == memcmp(found, expected, sizeof found), "%s: the bits of the CPU", what);
}

static void check_modes(const float *v)
{
	static const enum dtype types[] = {DT_UINT8, DT_UINT16, DT_INT16, DT_FLOAT32, DT_FLOAT64};
	static const char *const modes[] = {"volume", "mip", "minip", "mean", "iso", "xray"};
	struct transfer *t = transfer_named("shells", 0., 200., .4);
	void *data[5];
	struct render r;

	for (int i = 0; i < 5; i++) {
		data[i] = mem_alloc(N * dtype_size(types[i]));
		convert(types[i], data[i], DT_FLOAT32, v, N, NARROW_SATURATE);
	}

	for (int m = 0; m < 6; m++)
		for (int i = 0; i < 5; i++) {
			char what[80];

			start(&r, (enum render_mode)m, types[i], data[i]);
			r.volume[0].transfer = t;
			r.shade = i % 2 ? RENDER_PHONG : RENDER_FLAT;
			r.camera.perspective = i > 2 ? .9 : 0.;
			r.camera.pixel = i > 2 ? .3 : .9; // in perspective with the eye inside
			snprintf(what, sizeof what, "%s of %s", modes[m], dtype_name(types[i]));
			compare(&r, what);

			if (i > 2)
				continue;

			r.range_known = true;
			r.memory = 1;
			snprintf(what, sizeof what, "%s of %s in slabs", modes[m], dtype_name(types[i]));
			compare(&r, what);
		}

	for (int i = 0; i < 5; i++)
		free(data[i]);

	transfer_free(t);
}

/* Several volumes, tables of gradients, labels, cut faces. */
static void check_scenes(const float *v)
{
	struct transfer *t = transfer_named("shells", 0., 200., .4);
	struct transfer *g =
	        transfer_expression("opacity = 0.01*g; red = v/200; green = 0.2", 0., 200., 300.);
	unsigned char *w = mem_alloc(N);
	struct render r;

	convert(DT_UINT8, w, DT_FLOAT32, v, N, NARROW_SATURATE);
	start(&r, RENDER_VOLUME, DT_FLOAT32, v);
	r.volume[0].transfer = g;
	compare(&r, "a table of gradients");
	r.volume[1] = (struct render_volume){.name = "second", .type = DT_UINT8, .data = w, .transfer = t};
	r.volumes = 2;
	compare(&r, "two volumes");
	r.labels = (struct render_labels){DT_UINT8, w};
	r.clip[1][1] = 8.5;
	compare(&r, "two volumes with labels, cut");
	r.range_known = true;
	r.memory = 1;
	compare(&r, "the same in slabs");
	start(&r, RENDER_ISO, DT_UINT8, w);
	r.labels = (struct render_labels){DT_UINT8, w};
	r.shade = RENDER_DIFFUSE;
	compare(&r, "a surface with labels");
	free(w);
	transfer_free(t);
	transfer_free(g);
}

/* GPU memory for 9 of the slices; and for too few of them. */
static void check_little_memory(const float *v)
{
	struct render r;
	char *bytes = mem_printf("%d", 16 * WIDTH * HEIGHT + 10 * 3 * 3 * 4 + 10 * 4 * NX * NY);

	start(&r, RENDER_MIP, DT_FLOAT32, v);
	setenv("GANTRY_GPU_MEM", bytes, 1);
	compare(&r, "slabs that fit into GPU memory");
	setenv("GANTRY_GPU_MEM", "20000", 1);

	struct render_extent *e = render_extent_create(&r);

	render_extent_to_device(e, &r);
	check(NULL == e->device, "slabs that do not fit are left to the CPU");
	render_extent_free(e);
	unsetenv("GANTRY_GPU_MEM");
	free(bytes);
}

int main(void)
{
	if (0 == device_count()) {
		printf("ok gpu_render # SKIP %s\n", device_none_reason());
		return 0;
	}

	device_use(0);

	float *v = make_volume();

	check_modes(v);
	check_scenes(v);
	check_little_memory(v);
	check(0 == device_taken(), "nothing is left on the device");
	free(v);

	return checks_failed > 0;
}
