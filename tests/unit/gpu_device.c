/* The device layer: what kernels rest on, memory, where an address lies, copies. */

#include <stdatomic.h>
#include <unistd.h>

#include "check.h"
#include "misc/mem.h"
#include "num/device/device.h"
#include "num/md/multind.h"

static float *ramp(long n)
{
	float *p = mem_alloc((size_t)n * sizeof *p);

	for (long i = 0; i < n; i++)
		p[i] = (float)(i % 8191);

	return p;
}

static void check_places(void)
{
	char *a = device_alloc(1000), *b = device_alloc(1000), on_stack;

	check(device_holds(a) && device_holds(a + 999) && device_holds(b),
	        "device memory is known by any address");
	check(!device_holds(&on_stack) && !device_holds(NULL) && !device_holds(a - 1 - (b < a) * 5000),
	        "other addresses are not");
	check(device_taken() >= 2000, "what is taken is counted");

	long dims[2] = {10, 20};
	void *c = md_alloc_sameplace(2, dims, 4, a + 10), *d = md_alloc_sameplace(2, dims, 4, dims);

	check(device_holds(c) && !device_holds(d), "md_alloc_sameplace() follows its reference");
	md_free(c);
	md_free(d);
	device_free(a);
	check(!device_holds(a), "freed memory is none of it");
	device_free(b);
	check(0 == device_taken(), "nothing is left");
}

/** To the device and back, n floats. */
static void check_copy(long n)
{
	float *in = ramp(n), *out = mem_calloc((size_t)n, sizeof *out);
	float *there = device_alloc((size_t)n * sizeof *there),
	      *again = device_alloc((size_t)n * sizeof *again);

	device_copy(there, in, (size_t)n * sizeof *in);
	device_copy(again, there, (size_t)n * sizeof *in);
	device_copy(out, again, (size_t)n * sizeof *in);
	check(0 == memcmp(in, out, (size_t)n * sizeof *in), "%ld floats go to the device and come back", n);
	device_free(there);
	device_free(again);
	free(in);
	free(out);
}

/** Rows of `width` floats, `step` apart on the host. */
static void check_rows(long width, long step, long rows)
{
	float *in = ramp(step * rows), *out = mem_calloc((size_t)(step * rows), sizeof *out);
	const long there_step = (width + 5) * 4;
	float *there = device_alloc((size_t)(there_step * rows));
	bool good = true;

	device_copy2((size_t)width * 4, rows, there, there_step, in, step * 4);
	device_copy2((size_t)width * 4, rows, out, step * 4, there, there_step);

	for (long i = 0; i < step * rows; i++)
		good &= out[i] == ((i % step < width) ? in[i] : 0.f);

	check(good, "%ld rows of %ld floats, %ld apart", rows, width, step);
	device_free(there);
	free(in);
	free(out);
}

static void check_md_copy(void)
{
	const long dims[3] = {7, 5, 3};
	float *in = ramp(105), *out = mem_calloc(105, sizeof *out);
	float *there = md_alloc_sameplace(3, dims, 4, NULL), *gpu = device_alloc(105 * 4);

	md_copy(3, dims, gpu, in, 4);
	md_copy(3, dims, out, gpu, 4);
	check(0 == memcmp(in, out, 105 * 4), "md_copy() goes between places");
	md_free(there);
	md_free(gpu);
	free(in);
	free(out);
}

/** Slabs of a strided array: the second input is the same for all, the output has the first one's rows. */
struct halves {
	float *in, *out;
	long width, step, rows, per;
};

static void describe_halves(void *ctx, long slab, struct device_slab *s)
{
	const struct halves *h = ctx;
	const long first = slab * h->per, rows = (h->rows - first < h->per) ? h->rows - first : h->per;

	*s = (struct device_slab){.inputs = 2,
	        .outputs = 1,
	        .in = {{.host = h->in + first * h->step,
	                       .width = (size_t)h->width * 4,
	                       .rows = rows,
	                       .step = h->step * 4},
	                {.width = 64, .rows = 1, .step = 64}}};
	s->out[0] = s->in[0];
	s->out[0].host = h->out + first * h->step;
}

static void compute_halves(void *ctx, long slab, void *const in[], void *const out[])
{
	struct device_slab s;

	describe_halves(ctx, slab, &s);
	device_copy(out[0], in[0], s.in[0].width * (size_t)s.in[0].rows);
}

static void check_pipeline(long width, long step, long rows, long per)
{
	struct halves h = {ramp(step * rows), mem_calloc((size_t)(step * rows), 4), width, step, rows, per};
	const struct device_pipeline p = {.slabs = (rows + per - 1) / per,
	        .describe = describe_halves,
	        .compute = compute_halves,
	        .ctx = &h};
	bool good = true;

	device_run_pipeline(&p);

	for (long i = 0; i < step * rows; i++)
		good &= h.out[i] == ((i % step < width) ? h.in[i] : 0.f);

	check(good && 0 == device_taken(),
	        "%ld slabs of %ld rows of %ld floats pass through the device, %zu bytes of it", p.slabs, per,
	        width, device_pipeline_bytes(&p));
	free(h.in);
	free(h.out);
}

/** Slabs that are read and written by functions; a slab is computed once the next one has been asked for, and
 * the one before last has been taken back. */
struct ahead {
	long slabs, bytes;
	atomic_long asked, took; // slabs
	bool good, in_order;
};

static void ask(void *file, long at, long n, void *buffer)
{
	struct ahead *a = file;

	for (long i = 0; i < n; i++)
		((unsigned char *)buffer)[i] = (unsigned char)((at + i) / 3);

	if (0 == (at + n) % a->bytes)
		atomic_fetch_add(&a->asked, 1);
}

static void take(void *file, long at, long n, void *buffer)
{
	struct ahead *a = file;

	for (long i = 0; i < n; i++)
		if (((unsigned char *)buffer)[i] != (unsigned char)((at + i) / 3))
			a->good = false;

	if (0 == (at + n) % a->bytes)
		atomic_fetch_add(&a->took, 1);
}

static void describe_ahead(void *ctx, long slab, struct device_slab *s)
{
	struct ahead *a = ctx;
	struct device_part p = {.width = (size_t)a->bytes,
	        .rows = 1,
	        .file = a,
	        .at = slab * a->bytes,
	        .in_order = a->in_order};

	*s = (struct device_slab){.inputs = 1, .outputs = 1, .in = {p}, .out = {p}};
	s->in[0].move = ask;
	s->out[0].move = take;
}

/** Waits for the other threads, 20 s at most. */
static bool has_come(atomic_long *count, long n)
{
	for (int i = 0; i < 20000 && atomic_load(count) < n; i++)
		usleep(1000);

	return atomic_load(count) >= n;
}

static void compute_ahead(void *ctx, long slab, void *const in[], void *const out[])
{
	struct ahead *a = ctx;

	if (slab + 1 < a->slabs && !has_come(&a->asked, slab + 2))
		a->good = false;

	if (slab > 0 && !has_come(&a->took, slab))
		a->good = false;

	device_copy(out[0], in[0], (size_t)a->bytes);
}

static void check_ahead(bool in_order, long bytes)
{
	struct ahead a = {.slabs = 7, .bytes = bytes, .good = true, .in_order = in_order};

	device_run_pipeline(&(const struct device_pipeline){
	        .slabs = a.slabs, .describe = describe_ahead, .compute = compute_ahead, .ctx = &a});
	check(a.good && a.slabs == atomic_load(&a.took) && 0 == device_taken(),
	        "slabs of %ld bytes are brought before and taken back after others are computed%s", bytes,
	        in_order ? ", in order" : "");
}

static void work_of(void *ctx, int worker)
{
	float *in = ramp(1 << 20), *there = device_alloc(4 << 20);

	device_copy(there, in, 4 << 20);
	device_copy(in, there, 4 << 20);
	device_free(there);
	((float *)ctx)[worker] = in[5 + worker];
	free(in);
}

static void check_workers(void)
{
	float got[3] = {0};

	device_for_workers(work_of, got);
	check(3 == device_workers() && 5.f == got[0] && 6.f == got[1] && 7.f == got[2],
	        "one GPU is presented as three workers");
}

static void ask_too_much(void)
{
	device_use(0);
	device_alloc((size_t)1 << 60);
}

static void ask_beyond_limit(void)
{
	setenv("GANTRY_GPU_MEM", "1M", 1);
	device_use(0);
	device_alloc(600 << 10);
	device_alloc(600 << 10);
}

static void use_missing(void)
{
	device_use(200);
}

static void touch(void)
{
	device_use(0);
	*(volatile char *)device_alloc(100) = 1;
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
		printf("ok gpu_device # SKIP %s\n", said);
		return 0;
	}

	check_ends(1, "out of memory", ask_too_much, "asking for too much");
	check_ends(1, "under GANTRY_GPU_MEM", ask_beyond_limit, "asking beyond GANTRY_GPU_MEM");
	check_ends(1, "GPU number 200, expected 0..", use_missing, "a GPU that is not there");

	check(100 != status_of(touch, said, sizeof said), "host code that touches device memory crashes");
	setenv("GANTRY_GPU_WORKERS", "3", 1);
	device_use(0);
	check(0 == device_used() && device_capability(0) >= 70 && device_left() > 0, "a device is in use");
	check_places();
	check_copy(1);
	check_copy(10000);
	check_copy(3 << 20);
	check_copy((13l << 20) + 17);
	check_rows(100, 130, 50);
	check_rows(3000, 5000, 3000);
	check_rows(1, 2, 100000);
	check_md_copy();
	check_pipeline(1000, 1000, 100, 100);
	check_pipeline(1000, 1000, 100, 7);
	check_pipeline(3000, 3100, 2000, 300);
	check_pipeline(5l << 20, 5l << 20, 2, 1);
	check_ahead(false, 100000);
	check_ahead(false, (17l << 20) + 123);
	check_ahead(true, 100000);
	check_workers();

	return 0 != checks_failed;
}
