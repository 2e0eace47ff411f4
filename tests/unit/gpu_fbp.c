/* Filtered back projection on the GPU: views as files hold them, weighed, filtered and put back there,
 * against the CPU. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ct/fbp/fbp.h"
#include "ct/fbp/fbp_options.h"
#include "ct/geometry/orbit.h"
#include "ct/stream/view_read.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"
#include "num/md/rand.h"

#include "check.h"

enum { COLS = 41, ROWS = 5, VIEWS = 24 };

static struct geom *scan(const struct orbit *o, double turn)
{
	double angle[VIEWS];

	for (long k = 0; k < VIEWS; k++)
		angle[k] = 3. + turn * (double)k / VIEWS;

	return orbit_geom(o, VIEWS, angle, COLS, ROWS);
}

static void *noise(enum dtype t, long n)
{
	void *x = mem_alloc((size_t)n * dtype_size(t));

	for (long i = 0; i < n; i++) {
		const double v = rand_uniform(5, (uint64_t)i);

		if (DT_FLOAT32 == t)
			((float *)x)[i] = (float)v;
		else
			((double *)x)[i] = v;
	}

	return x;
}

/* |there - here| / |here|; there: on the device. */
static double deviation(enum dtype t, long n, const void *here, const void *there)
{
	void *d = mem_alloc((size_t)n * dtype_size(t));

	device_copy(d, there, (size_t)n * dtype_size(t));
	vec_axpby(t, n, d, 1., d, -1., here);

	const double e = vec_norm(t, n, d) / vec_norm(t, n, here);

	free(d);
	return e;
}

/* Views from the third on, and again. */
static void check_filter(const char *name, struct geom *g, enum scan_short form, enum dtype t)
{
	const struct fbp_settings set = {.filter = {.window = RAMP_HANN}, .short_scan = form};
	struct fbp *f = fbp_create(g, &set, name);
	const long first = 2, views = VIEWS - first, n = COLS * ROWS * views, m = fbp_cols(f) * ROWS * views;
	const size_t size = dtype_size(t);
	void *p = noise(t, n), *q = mem_alloc((size_t)m * size), *same[2];
	void *dp = device_alloc((size_t)n * size), *dq = device_alloc((size_t)m * size);

	device_copy(dp, p, (size_t)n * size);
	fbp_filter(f, t, q, p, first, views);

	for (int i = 0; i < 2; i++) {
		device_fill(dq, 0xff, (size_t)m * size);
		fbp_filter(f, t, dq, dp, first, views);
		same[i] = mem_alloc((size_t)m * size);
		device_copy(same[i], dq, (size_t)m * size);
	}

	const double e = deviation(t, m, q, dq);

	check(e <= (DT_FLOAT32 == t ? 1e-6 : 1e-14) && 0 == memcmp(same[0], same[1], (size_t)m * size),
	        "%s filtered, %s: differs by %.1e, and gives the same bytes again", name, dtype_name(t), e);
	free(p);
	free(q);
	free(same[0]);
	free(same[1]);
	device_free(dp);
	device_free(dq);
	fbp_free(f);
	geom_free(g);
}

static void check_filters(enum dtype t)
{
	const struct orbit level = {.parallel = true, .pitch = {1.2, 1.}, .offset = {.4, -2.3}},
	                   far = {.parallel = true, .pitch = {1.2, 1.}, .offset = {8., 0.}};
	struct orbit cone = {.sod = 80., .sdd = 120., .pitch = {1.6, 1.4}, .offset = {1.7, -2.3}};

	check_filter("parallel beam", scan(&level, 180.), SCAN_SILVER, t);
	check_filter("displaced detector", scan(&far, 360.), SCAN_SILVER, t);
	check_filter("cone beam", scan(&cone, 360.), SCAN_SILVER, t);
	check_filter("cone beam, Silver's weights", scan(&cone, 260.), SCAN_SILVER, t);
	check_filter("cone beam, Parker's weights", scan(&cone, 260.), SCAN_PARKER, t);
	cone.offset[0] = 9.;
	check_filter("cone beam, displaced detector", scan(&cone, 360.), SCAN_SILVER, t);
	cone.offset[0] = 0.;
	cone.radius = cone.sdd;
	check_filter("equiangular detector", scan(&cone, 360.), SCAN_SILVER, t);
	cone.radius = 150.;
	check_filter("detector curved otherwise", scan(&cone, 360.), SCAN_SILVER, t);
}

/* ---- views as files hold them ---- */

static const long dims[] = {COLS, ROWS, VIEWS};
static char room[SCRATCH], *file;

static double element(long i)
{
	return (double)((i * 37) % 4001);
}

static void write_views(enum dtype t, bool broken)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 3, dims);
	h.type = t;

	struct cfl *f = cfl_create(file, &h);
	void *p = cfl_map_out(f);

	for (long i = 0; i < f->count; i++) {
		if (DT_UINT16 == t)
			((uint16_t *)p)[i] = (uint16_t)element(i);
		else
			for (int k = 0; k < 2; k++)
				((double *)p)[2 * i + k] = element(2 * i + k);
	}

	if (broken)
		((double *)p)[2 * (3 * COLS * ROWS + 7) + 1] = NAN;

	cfl_close(f);
	hdr_free(&h);
}

/* Views 4 to 9 of the file, at both places. */
static void read_views(enum dtype real, double *most)
{
	struct cfl *f = cfl_open(file);
	const long size = COLS * ROWS, n = 6 * size;
	const size_t bytes = (size_t)n * dtype_size(real);
	void *here[2] = {NULL, NULL}, *there[2] = {NULL, NULL};

	*most = 0.;

	const int parts = dtype_is_complex(f->hdr.type) ? 2 : 1;

	for (int k = 0; k < parts; k++) {
		here[k] = mem_alloc(bytes);
		there[k] = device_alloc(bytes);
	}

	view_read_at(f, real, size, 4, 0, n, here);
	view_read_at(f, real, size, 4, 0, n, there);

	for (int k = 0; k < parts; k++) {
		*most = fmax(*most, deviation(real, n, here[k], there[k]));
		free(here[k]);
		device_free(there[k]);
	}

	cfl_close(f);
}

static void read_all(void)
{
	device_use(0);

	struct cfl *f = cfl_open(file);
	const size_t bytes = (size_t)f->count * sizeof(float);

	view_read(f, NULL, DT_FLOAT32, COLS * ROWS, 0, f->count / (COLS * ROWS),
	        (void *[]){device_alloc(bytes), device_alloc(bytes)});
}

static void check_views(void)
{
	static const enum dtype types[] = {DT_UINT16, DT_COMPLEX128};
	double most;

	for (int i = 0; i < 2; i++) {
		write_views(types[i], false);
		read_views(DT_FLOAT32, &most);
		check(0. == most, "views of %s are converted on the GPU", dtype_name(types[i]));
		read_views(DT_FLOAT64, &most);
		check(0. == most, "and to float64");
	}

	char *data = mem_printf("%s.cfl", file), *header = mem_printf("%s.hdr", file);

	unlink(data);
	unlink(header);
	free(data);
	free(header);
}

static void find_none(void)
{
	if (0 != device_count())
		return;

	fputs(device_none_reason(), stderr);
	_exit(0);
}

int main(void)
{
	char said[256];

	// in children until the last fork: CUDA does not survive one
	if (0 == status_of(find_none, said, sizeof said)) {
		printf("ok gpu_fbp # SKIP %s\n", said);
		return 0;
	}

	file = scratch_name(room);

	const int fd = mkstemp(file);

	close(fd);
	unlink(file);
	write_views(DT_COMPLEX128, true);
	check_ends(1, "element 7 of view 3 is not finite", read_all, "a value that is not finite is named");
	device_use(0);
	check_filters(DT_FLOAT32);
	check_filters(DT_FLOAT64);
	check_views();
	check(0 == device_taken(), "no memory of the device is left taken: %zu bytes", device_taken());

	return checks_failed > 0;
}
