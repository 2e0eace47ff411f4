/* The self-tests of all families of kernels: that they pass, what they cost, and that a wrong result ends the
 * command. */

#include <string.h>
#include <time.h>

#include "check.h"
#include "correct/view_kernels.h"
#include "ct/projector/xray_backend.h"
#include "iter/denoise/denoise_passes.h"
#include "iter/step/passes.h"
#include "linops/grad_parts.h"
#include "linops/wavelet/wavelet_lines.h"
#include "num/backend/backend.h"
#include "num/device/device.h"
#include "num/device/selftest.h"
#include "num/expr/expr_gpu.h"
#include "volume/render/render_device.h"

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);

	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void check_all(void)
{
	static const char *const names[] = {"any_orientation", "blas", "copies", "denoisers", "device",
	        "differences", "expressions", "fft", "general", "generated", "integers", "operators",
	        "reductions", "render", "untilted", "vectors", "views", "wavelets"};
	const int n = sizeof names / sizeof *names;
	int i = 0;

	for (struct selftest *t = selftest_first(SELFTEST_GPU); NULL != t; t = t->next, i++) {
		const double start = milliseconds();
		char why[256] = "";
		double error;
		const bool good = selftest_try(SELFTEST_GPU, t, &error, why, sizeof why);

		check(good && error < 1e-4, "self-test %s %.1e %s", t->name, error, why);
		check(i >= n || 0 == strcmp(names[i], t->name), "in the order of the names");
		printf("# %.1f ms\n", milliseconds() - start);
	}

	check(n == i, "%d families, expected %d", i, n);
	check(0 == device_taken(), "they leave nothing on the device");
}

/* ---- a wrong kernel, by a replaced entry of the table ---- */

static struct backend right;

static void wrong_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	right.chain(f, t, s, out, in);
	device_fill(out, 0x41, 4);
}

static void use_wrong_chain(void)
{
	const long n = 100, strs[1] = {4};
	struct md_chain f = {0};
	float *x;

	device_use(0);
	x = device_alloc(400);
	right = backend_gpu;
	backend_gpu.chain = wrong_chain;
	chain_op1(&f, OP_NEG, chain_operand(&f, DT_FLOAT32));
	md_chain(&f, DT_FLOAT32, 1, &n, strs, x, (const long *const[]){strs}, (const void *const[]){x});
}

/* ---- several workers at once: none goes on with a family that another one is testing ---- */

static void slow_wrong_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	wrong_chain(f, t, s, out, in);
	nanosleep(&(const struct timespec){.tv_nsec = 30000000}, NULL);
}

static void use_chain(void *ctx, int worker)
{
	const long n = 100, strs[1] = {4};
	struct md_chain f = {0};
	float *x = ctx;

	chain_op1(&f, OP_NEG, chain_operand(&f, DT_FLOAT32));
	right.chain(&f, DT_FLOAT32,
	        &(const struct md_shape){.D = 1, .N = 2, .dims = {n}, .strs = {{strs[0]}, {strs[0]}}}, x,
	        (const void *const[]){x});
	fprintf(stderr, "worker %d went on\n", worker);
}

static void use_wrong_chain_everywhere(void)
{
	setenv("GANTRY_GPU_WORKERS", "4", 1);
	device_use(0);

	float *x = device_alloc(400);

	right = backend_gpu;
	backend_gpu.chain = slow_wrong_chain;
	device_for_workers(use_chain, x);
}

static void wrong_copy(size_t size, const struct md_shape *s, void *out, const void *in)
{
	right.copy(size, s, out, in);
	device_fill(out, 0x41, 4);
}

static void use_wrong_copy(void)
{
	const long dims[2] = {20, 30}, transposed[2] = {30, 20};
	float *x, *y;

	device_use(0);
	x = device_alloc(2400);
	y = device_alloc(2400);
	right = backend_gpu;
	backend_gpu.copy = wrong_copy;
	md_transpose(2, 0, 1, transposed, y, dims, x, 4);
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
		printf("ok gpu_selftest # SKIP %s\n", said);
		return 0;
	}

	setenv("GANTRY_CACHE", "/dev/null/gantry", 1); // what was passed before is not known
	check_ends(
	        1, "the self-test 'operators' fails", use_wrong_chain, "a wrong operator ends the command");
	check_ends(1, "expected", use_wrong_chain, "and says what was found and expected");
	check_ends(1, "the self-test 'copies' fails", use_wrong_copy, "so does a wrong copy");

	char workers[4096];

	check(1 == status_of(use_wrong_chain_everywhere, workers, sizeof workers) &&
	                NULL != strstr(workers, "the self-test 'operators' fails") &&
	                NULL == strstr(workers, "went on"),
	        "no worker goes on before the test has passed: %s", workers);
	device_use(0);
	check(NULL != xray_backend_gpu.name && EXPR_GPU_BEST == expr_gpu_chosen() &&
	                NULL != iter_passes_gpu.step && NULL != grad_kernels_gpu.forward &&
	                NULL != wavelet_kernels_gpu.lines && NULL != denoise_passes_gpu.nlm &&
	                NULL != view_kernels_gpu.bin && NULL != render_kernels_gpu.cast,
	        "all families are here");
	check_all();

	return 0 != checks_failed;
}
