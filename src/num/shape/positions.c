#include <stdlib.h>

#include "misc/mem.h"
#include "misc/progress.h"
#include "num/kern/convert.h"
#include "num/shape/positions.h"

/** Elements of a part, which one thread processes. */
enum { PART = 1 << 15 };

struct positions {
	struct cfl *x;
	long parts;
	long *before; // per part and at the end: how many lie in those before it
};

/** Elements [first, first + n) as bools. */
static void load(struct cfl *x, long first, long n, unsigned char flags[PART])
{
	enum dtype t = x->hdr.type;
	const char *data = cfl_map(x);

	convert(DT_BOOL, flags, t, data + first * (long)dtype_size(t), n, NARROW_SATURATE);
}

static long part_size(const struct positions *p, long k)
{
	long left = p->x->count - k * PART;

	return left < PART ? left : PART;
}

struct positions *positions_create(struct cfl *x)
{
	struct positions *p = NEW(struct positions);

	p->x = x;
	p->parts = (x->count + PART - 1) / PART;
	p->before = mem_calloc((size_t)p->parts + 1, sizeof *p->before);
	cfl_map(x); // once, before there are threads
	progress_start("counting", x->count);

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < p->parts; k++) {
		unsigned char flags[PART];
		long n = part_size(p, k), count = 0;

		load(x, k * PART, n, flags);

		for (long i = 0; i < n; i++)
			count += flags[i];

		p->before[k + 1] = count;
		progress_add(n);
	}

	for (long k = 0; k < p->parts; k++)
		p->before[k + 1] += p->before[k];

	progress_end();
	return p;
}

long positions_count(const struct positions *p)
{
	return p->before[p->parts];
}

/** Those of part k. */
static void find(const struct positions *p, long k, int rank, int64_t *out)
{
	unsigned char flags[PART];
	const long *dims = p->x->hdr.dims;
	long n = part_size(p, k);

	load(p->x, k * PART, n, flags);

	for (long i = 0; i < n; i++) {
		if (!flags[i])
			continue;

		long rest = k * PART + i;

		for (int d = 0; d < rank; d++) {
			*out++ = rest % dims[d];
			rest /= dims[d];
		}
	}
}

void positions_find(const struct positions *p, int rank, int64_t *out)
{
	progress_start("finding", p->parts);

#pragma omp parallel for schedule(dynamic)
	for (long k = 0; k < p->parts; k++) {
		if (p->before[k + 1] > p->before[k])
			find(p, k, rank, out + p->before[k] * rank);

		progress_add(1);
	}

	progress_end();
}

void positions_free(struct positions *p)
{
	free(p->before);
	free(p);
}
