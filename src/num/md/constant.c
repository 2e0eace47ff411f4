/** Arrays of one value. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/md/constant.h"

enum { BLOCK = 1 << 14, SLAB = 1 << 20 }; // [elements]

void constant_header(struct hdr *h, const struct opt_longs *size, int type, const struct opt_doubles *spacing)
{
	if (size->n == 0)
		usage_error("--size is missing, e.g. --size 256:256:64");
	if (spacing->n > 1 && spacing->n != size->n)
		usage_error(
		        "--spacing has %d numbers, expected 1 or %d, as many as --size", spacing->n, size->n);

	hdr_init(h);
	hdr_set_dims(h, size->n, size->v);
	if (type >= 0)
		h->type = type;
	for (int d = 0; d < size->n && spacing->n; d++)
		h->spacing[d] = spacing->v[spacing->n > 1 ? d : 0];
	h->has_spacing = spacing->n > 0;
}

/** Copies of a block of equal elements into n elements at out. */
static void fill(char *out, const char *block, size_t size, long n)
{
#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long i = 0; i < n; i += BLOCK)
		memcpy(out + (size_t)i * size, block, (size_t)(n - i < BLOCK ? n - i : BLOCK) * size);
}

/** Sets every element of a new output to value, in order, slab by slab. */
static void fill_all(struct cfl *out, double value)
{
	if (value == 0. && strcmp(out->name, "-") != 0) {
		cfl_map_out(out); // reserved space reads as zeros, nothing needs to be written
		return;
	}

	const size_t size = dtype_size(out->hdr.type);
	char *block = mem_alloc(BLOCK * size);

	convert(out->hdr.type, block, DT_FLOAT64, &value, 1, NARROW_SATURATE);
	for (long i = 1; i < BLOCK; i++)
		memcpy(block + (size_t)i * size, block, size);

	progress_start(out->name, out->count);
	for (long i = 0; i < out->count; i += SLAB) {
		const long n = out->count - i < SLAB ? out->count - i : SLAB;
		fill(cfl_slab(out, n), block, size, n);
		progress_add(n);
	}
	progress_end();
	free(block);
}

void constant_tool(const struct tool *texts, double value, int argc, char *argv[])
{
	struct opt_longs size = {0};
	struct opt_doubles spacing = {0};
	int type = DT_FLOAT32;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_NEW_SIZE(&size),
	        OPT_TYPE(&type),
	        OPT_NEW_SPACING(&spacing),
	        ARG_OUT("OUT", &out, "the new array"),
	        OPT_END,
	};
	struct tool tool = *texts;

	tool.opts = opts;
	tool_init(&tool, argc, argv);

	struct hdr h;

	constant_header(&h, &size, type, &spacing);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	fill_all(y, value);
	cfl_close(y);
	leave(EXIT_DONE);
}
