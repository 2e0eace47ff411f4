/* Elements moved on the GPU, in slabs that its memory forces too, and files as its arrays, against the CPU.
 */

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "misc/file/cfl.h"
#include "num/array/array_as.h"
#include "num/device/device.h"
#include "num/shape/shaping.h"

static void make(const char *name, enum dtype t, int D, const long dims[])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, D, dims);
	h.type = t;

	struct cfl *f = cfl_create(name, &h);
	unsigned char *p = cfl_map_out(f);

	for (long i = 0; i < f->count * (long)dtype_size(t); i++)
		p[i] = (unsigned char)(i * 151 / 7);

	hdr_free(&h);
	cfl_close(f);
}

/** Cut, padded, transposed over, wrapped and exchanged dims at once; variant 0..3 */
static void shape(const char *in, const char *out, int variant)
{
	static const int orders[4][4] = {{2, 0, 1, 3}, {0, 2, 1, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}};
	struct shaping s;
	struct hdr h;
	int order[DIMS];
	struct cfl *f = shaping_open(&s, &h, in);

	for (int d = 0; d < DIMS; d++)
		order[d] = (d < 4) ? orders[variant][d] : d;

	s.dim[0] = (struct shaping_dim){
	        .src = 0, .start = h.dims[0] - 2, .step = -2, .at = 3, .n = 9, .size = 15};
	s.dim[1] = (struct shaping_dim){.src = 1, .start = 4, .step = 3, .at = 0, .n = 7, .size = 7};

	if (0 != variant)
		shaping_wrap(&s, 2, -5, 3 * h.dims[2] + 2);
	else
		s.dim[2] = (struct shaping_dim){.src = 2, .start = 6, .step = 1, .at = 2, .n = 4, .size = 9};

	shaping_permute(&s, &h, order);
	shaping_write(&s, &h, 0, f, out, "shaping");
}

static bool same(const char *a_name, const char *b_name)
{
	struct cfl *a = cfl_open(a_name), *b = cfl_open(b_name);
	const bool yes = md_check_equal_dims(DIMS, a->hdr.dims, b->hdr.dims, ~0ul) &&
	                 0 == memcmp(cfl_map(a), cfl_map(b), (size_t)a->count * dtype_size(a->hdr.type));

	cfl_close(a);
	cfl_close(b);

	return yes;
}

/** The file in float64, by way of an array on the device. */
static void through_array(const char *in, const char *out, enum dtype t, bool on_device)
{
	struct cfl *x = cfl_open(in);
	struct hdr h;

	hdr_copy(&h, &x->hdr);
	h.type = t;

	struct cfl *y = cfl_create(out, &h);
	struct array *a = array_open_contiguous(x, DT_FLOAT64, on_device),
	             *b = array_out_as(y, DT_FLOAT64, on_device);

	check(on_device == device_holds(a->data) && on_device == device_holds(b->data), "arrays lie %s",
	        on_device ? "on the device" : "on the host");
	md_copy2(DIMS, a->dims, b->strs, b->data, a->strs, a->data, sizeof(double));
	array_finish_as(y, b);
	array_free(a);
	hdr_free(&h);
	cfl_close(x);
	cfl_close(y);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];
	const long dims[4] = {29, 31, 11, 5};
	static const enum dtype types[] = {DT_UINT8, DT_FLOAT32, DT_COMPLEX128};

	setenv("GANTRY_GPU_MEM", "1M", 1); // less than the largest arrays: they go through in slabs

	if (0 == device_count()) {
		printf("ok gpu_shaping # SKIP %s\n", device_none_reason());
		return 0;
	}

	if (NULL == mkdtemp(folder) || 0 != chdir(folder))
		return 1;

	make("i16", DT_INT16, 4, dims);
	through_array("i16", "i8-cpu", DT_INT8, false);

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < 12; i++) {
			char in[32], a[32], b[32];

			snprintf(in, sizeof in, "in%d", i / 4);
			snprintf(a, sizeof a, "cpu%d", i);
			snprintf(b, sizeof b, "gpu%d", i);

			if (0 == pass && 0 == i % 4)
				make(in, types[i / 4], 4, dims);

			if (1 == pass && 0 == i)
				device_use(0);

			shape(in, (0 == pass) ? a : b, i % 4);

			if (1 == pass)
				check(same(a, b), "%s, order %d: the bytes of the CPU", in, i % 4);
		}

	check(array_as_device(9e5, 0.), "the GPU was asked for");
	through_array("i16", "i8-gpu", DT_INT8, true);
	check(same("i8-cpu", "i8-gpu"), "types are converted on the way, what does not fit is clipped");
	check(0 == device_taken(), "nothing is left on the device");

	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 1;

	return 0 != checks_failed;
}
