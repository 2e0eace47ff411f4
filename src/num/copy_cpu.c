/* Moving strided data on the CPU. Where both sides are contiguous along the innermost dim, lines go by
 * memcpy(). Where the input is contiguous along another dim (a transposition), square tiles go through a
 * small buffer: both sides are then touched in runs of whole cache lines, whatever the strides. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "num/backend_cpu.h"

enum { TILE = 64, TILE_MAX_SIZE = 8 }; // edge [elements], largest element that goes by tiles [bytes]

struct u128 {
	uint64_t v[2];
};

#define STEP_LOOP(T)                                                                                         \
	for (long i = 0; i < n; i++)                                                                         \
		*(T *)(o + i * os) = *(const T *)(p + i * is);

/** n elements of `size` bytes with any steps [bytes]. */
static void copy_run(long n, size_t size, char *o, long os, const char *p, long is)
{
	if ((long)size == os && (long)size == is) {
		memcpy(o, p, (size_t)n * size);
		return;
	}

	switch (size) {
	case 1:
		STEP_LOOP(uint8_t)
		break;
	case 2:
		STEP_LOOP(uint16_t)
		break;
	case 4:
		STEP_LOOP(uint32_t)
		break;
	case 8:
		STEP_LOOP(uint64_t)
		break;
	case 16:
		STEP_LOOP(struct u128)
		break;
	default:
		for (long i = 0; i < n; i++)
			memcpy(o + i * os, p + i * is, size);
	}
}

static void copy_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	copy_run(n, *(const size_t *)ctx, ptr[0], inner[0], ptr[1], inner[1]);
}

/** Two dims that exchange places: x innermost in the output, y in the input. */
struct tiles {
	size_t size;
	long nx, ny;
	long ox, oy, ix, iy; // steps [bytes]
};

static void copy_tile(const struct tiles *t, long nx, long ny, char *o, const char *p)
{
	char buf[TILE * (TILE + 1) * TILE_MAX_SIZE] __attribute__((aligned(64)));
	long size = (long)t->size;
	long pitch = (TILE + 1) * size;

	for (long x = 0; x < nx; x++)
		copy_run(ny, t->size, buf + x * size, pitch, p + x * t->ix, t->iy);

	for (long y = 0; y < ny; y++)
		copy_run(nx, t->size, o + y * t->oy, t->ox, buf + y * pitch, size);
}

/** The dim along which the input moves least, if that is not the innermost one; else 0. */
static int input_dim(const struct md_shape *s)
{
	int best = 0;

	for (int i = 1; i < s->D; i++) {
		long step = labs(s->strs[1][i]);

		if (0 != step && step < labs(s->strs[1][best]))
			best = i;
	}

	return best;
}

static void copy_tiled(const struct md_shape *s, const struct tiles *t, int y, char *out, const char *in)
{
	long xt = (t->nx + TILE - 1) / TILE, yt = (t->ny + TILE - 1) / TILE;
	long tasks = xt * yt;

	for (int i = 1; i < s->D; i++)
		tasks *= (i == y) ? 1 : s->dims[i];

#pragma omp parallel for schedule(static) if (tasks > 16)
	for (long k = 0; k < tasks; k++) {
		long y0 = k % yt * TILE, x0 = k / yt % xt * TILE;
		long rest = k / yt / xt;
		char *o = out + x0 * t->ox + y0 * t->oy;
		const char *p = in + x0 * t->ix + y0 * t->iy;

		for (int i = 1; i < s->D; i++) {
			if (i == y)
				continue;

			o += rest % s->dims[i] * s->strs[0][i];
			p += rest % s->dims[i] * s->strs[1][i];
			rest /= s->dims[i];
		}

		copy_tile(t, (t->nx - x0 < TILE) ? t->nx - x0 : TILE, (t->ny - y0 < TILE) ? t->ny - y0 : TILE,
		        o, p);
	}
}

void cpu_copy(size_t size, const struct md_shape *s, void *out, const void *in)
{
	int y = (size <= TILE_MAX_SIZE) ? input_dim(s) : 0;

	if (0 < y) {
		const struct tiles t = {size, s->dims[0], s->dims[y], s->strs[0][0], s->strs[0][y],
		        s->strs[1][0], s->strs[1][y]};

		copy_tiled(s, &t, y, out, in);
		return;
	}

	md_nary(2, s->D, s->dims, (const long *const[]){s->strs[0], s->strs[1]},
	        (void *const[]){out, (void *)in}, copy_line, &size, true);
}

struct filling {
	size_t size;
	const void *value;
};

static void fill_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	const struct filling *f = ctx;

	if (1 == f->size && 1 == inner[0])
		memset(ptr[0], *(const unsigned char *)f->value, (size_t)n);
	else
		copy_run(n, f->size, ptr[0], inner[0], f->value, 0);
}

void cpu_fill(size_t size, const struct md_shape *s, void *out, const void *value)
{
	struct filling f = {size, value};

	md_nary(1, s->D, s->dims, (const long *const[]){s->strs[0]}, (void *const[]){out}, fill_line, &f,
	        true);
}
