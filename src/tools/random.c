#include <math.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/looping/looping.h"
#include "misc/options/opt.h"
#include "num/md/constant.h"
#include "num/md/rand.h"
#include "num/shape/slabs.h"

int main_random(int argc, char *argv[]);

enum distribution { NORMAL, UNIFORM };

struct draw {
	uint64_t seed;
	enum distribution distribution;
	bool pairs; // parts 2k and 2k + 1 of element k
	double levels;
};

/** Uniform numbers are the centres of `levels` equal parts of (0, 1), which the output's type holds exactly.
 */
static double draw_one(const struct draw *d, uint64_t element)
{
	if (NORMAL == d->distribution)
		return rand_normal(d->seed, element);

	return (floor(rand_uniform(d->seed, element) * d->levels) + 0.5) / d->levels;
}

static void block(void *ctx, long first, long n, void *out, const void *const in[])
{
	const struct draw *d = ctx;
	double *y = out;
	const long parts = d->pairs ? 2 : 1, start = looping_element(first);

	(void)in;

	if (NORMAL == d->distribution && looping_element(first + n - 1) - start == n - 1) {
		rand_normals(parts * n, y, d->seed, (uint64_t)(parts * start));
		return;
	}

	for (long i = 0; i < n; i++) {
		uint64_t element = (uint64_t)looping_element(first + i);

		if (!d->pairs) {
			y[i] = draw_one(d, element);
			continue;
		}

		y[2 * i] = draw_one(d, 2 * element);
		y[2 * i + 1] = draw_one(d, 2 * element + 1);
	}
}

/** Parts of (0, 1) whose centres are exact in the type. */
static double levels(enum dtype t)
{
	switch (dtype_real(t)) {
	case DT_FLOAT16:
		return 0x1p10;
	case DT_FLOAT32:
		return 0x1p23;
	default:
		return 0x1p52;
	}
}

int main_random(int argc, char *argv[])
{
	struct opt_longs size = {0};
	struct opt_doubles spacing = {0};
	int type = DT_FLOAT32;
	int distribution = NORMAL;
	long seed = 0;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_NEW_SIZE(&size),
	        OPT_LONG(0, "seed", &seed, "S", 0, 0x1p62, "seed of the random numbers"),
	        OPT_CHOICE(0, "distribution", &distribution, "normal|uniform",
	                "mean 0 and variance 1, or between 0 and 1"),
	        OPT_TYPE(&type),
	        OPT_NEW_SPACING(&spacing),
	        ARG_OUT("OUT", &out, "the new array"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "random",
	        .group = GROUP_MAKE,
	        .synonyms = "rand randn",
	        .about = "Make an array of random numbers",
	        .details = "A counter-based generator (Philox-4x32-10) computes each number from "
	                   "the seed and the index of the element. The result is the same for any "
	                   "number of threads. Uniform numbers are never exactly 0 or 1. The real "
	                   "part and the imaginary part of a complex number are independent. Each "
	                   "part has the distribution of --distribution.",
	        .examples = "gantry random --size 128:128 --seed 1 x\ngantry random --size 64:64:64 "
	                    "--distribution uniform --type complex64 z",
	        .by_parts = true,
	        .opts = opts,
	};

	tool_init(&tool, argc, argv);

	if (dtype_is_integer(type))
		usage_error("--type %s: expected a float or complex type (cast the numbers afterwards)",
		        dtype_name(type));

	struct draw d = {
	        (uint64_t)seed, (enum distribution)distribution, dtype_is_complex(type), levels(type)};
	struct hdr h;

	tool_record("seed", "%ld", seed);
	constant_header(&h, &size, type, &spacing);

	struct cfl *y = cfl_create(out, &h);

	slabs_run(y, d.pairs ? DT_COMPLEX128 : DT_FLOAT64, 0, NULL, NULL, block, &d, "random");
	hdr_free(&h);
	cfl_close(y);
	leave(EXIT_DONE);
}
