/* Moving strided data on the CPU. Lines that are contiguous on both sides are copied whole. If the input is
 * contiguous along another dim than the output (a transposition), square tiles pass through a small buffer
 * and are transposed in registers. Both sides are then accessed in whole cache lines, for all strides, and
 * padding avoids buffer rows at a distance of a power of two. Outputs larger than the caches bypass them.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/backend/backend_cpu.h"
#include "num/kern/copy_kern.h"

enum {
	LINE = 64,              // bytes of a cache line
	TILE_MAX = 128,         // elements of the edge of a tile
	TILE_SIZE_MAX = 16,     // largest element that goes by tiles [bytes]
	TILE_BYTES = 1 << 15,   // of a tile that goes through no buffer
	PIECE = 1 << 17,        // bytes of a piece of a long line
	TILE_BUFFER = 40 << 10, // bytes of the buffer of a tile
	PER_NS = 16,            // bytes that a thread copies in a nanosecond
	DIRECT = 1 << 20,       // bytes of output from which tiles go through a buffer
	STREAM = 16 << 20,      // bytes of output from which the caches are of no use to it
	SHORT_RUN = 16,         // elements of a line that is too short to go along
	STREAM_LINE = 1 << 13,  // and bytes of a line
	SHORT_LINE = 1 << 9     // bytes of a contiguous line below which neighbouring lines are blocked
};

/* ---- lines ---- */

/** Pieces wherever they lie: no alignment is asked for. */
typedef uint64_t piece8 __attribute__((aligned(1), may_alias));
typedef unsigned char piece16 __attribute__((vector_size(16), aligned(1), may_alias));

/** A short piece without a call. */
static inline void copy_bytes(char *o, const char *p, long n)
{
	if (n > 128) {
		memcpy(o, p, (size_t)n);
	} else if (n >= 16) {
		for (long i = 0; i + 16 <= n; i += 16)
			*(piece16 *)(o + i) = *(const piece16 *)(p + i);

		*(piece16 *)(o + n - 16) = *(const piece16 *)(p + n - 16);
	} else if (n >= 8) {
		*(piece8 *)o = *(const piece8 *)p;
		*(piece8 *)(o + n - 8) = *(const piece8 *)(p + n - 8);
	} else {
		for (long i = 0; i < n; i++)
			o[i] = p[i];
	}
}

#if defined(__SSE2__)
/** Whole lines of the output are written around the caches. */
static void stream_bytes(char *o, const char *p, long n)
{
	long head = -(uintptr_t)o & (LINE - 1);

	if (n < head + LINE) {
		copy_bytes(o, p, n);
		return;
	}

	copy_bytes(o, p, head);

	long i = head;

	for (; i + LINE <= n; i += LINE) {
		__m128i a = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i b = _mm_loadu_si128((const __m128i *)(p + i + 16));
		__m128i c = _mm_loadu_si128((const __m128i *)(p + i + 32));
		__m128i d = _mm_loadu_si128((const __m128i *)(p + i + 48));

		_mm_stream_si128((__m128i *)(o + i), a);
		_mm_stream_si128((__m128i *)(o + i + 16), b);
		_mm_stream_si128((__m128i *)(o + i + 32), c);
		_mm_stream_si128((__m128i *)(o + i + 48), d);
	}

	copy_bytes(o + i, p + i, n - i);
}

static void stream_fence(void)
{
	_mm_sfence();
}
#else
static void stream_bytes(char *o, const char *p, long n)
{
	copy_bytes(o, p, n);
}

static void stream_fence(void)
{
}
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct copy_kern *chosen = &copy_kern_plain;

static void choose(void)
{
#if defined(__x86_64__)
	if (0 == strcmp("avx512", kern_isa()))
		chosen = &copy_kern_avx512;
	else if (0 == strcmp("avx2", kern_isa()))
		chosen = &copy_kern_avx2;
#endif
}

const struct copy_kern *copy_kern(void)
{
	pthread_once(&once, choose);

	return chosen;
}

/* ---- tiles ---- */

/** Two dims of a copy: x innermost in the output, y innermost in the input where that is another one;
 * elements of `size` bytes, which may be whole lines. */
struct tiles {
	size_t size;
	long ex, ey; // edges of a tile [elements]
	long nx, ny;
	long ox, oy, ix, iy; // steps [bytes]
	bool stream;
	bool direct;  // no buffer: everything is in the caches
	bool across;  // tiles follow each other along y
	bool along_y; // lines of a tile run along y
	const struct copy_kern *kern;
};

typedef void tile_fn(const struct tiles *t, long nx, long ny, char *o, const char *p);

static void put_bytes(const struct tiles *t, char *o, const char *p, long n)
{
	if (t->stream)
		stream_bytes(o, p, n);
	else
		copy_bytes(o, p, n);
}

/** From row to row of the buffer: padded, so that columns do not fall on the same cache lines. */
static long tile_pitch(long bytes)
{
	return bytes + ((bytes < 4 * LINE) ? 16 : LINE);
}

/** Transposition through a buffer of rows of the output. */
static void turn_tile(const struct tiles *t, long nx, long ny, char *o, const char *p)
{
	char buf[TILE_BUFFER] __attribute__((aligned(LINE)));
	long size = (long)t->size;
	long pitch = tile_pitch(t->ex * size);

	if (size == t->iy && size == t->ox && t->direct) {
		t->kern->transpose(t->size, nx, ny, o, t->oy, p, t->ix);
		return;
	}

	if (size == t->iy)
		t->kern->transpose(t->size, nx, ny, buf, pitch, p, t->ix);
	else
		for (long x = 0; x < nx; x++)
			t->kern->run(ny, t->size, buf + x * size, pitch, p + x * t->ix, t->iy);

	for (long y = 0; y < ny; y++) {
		if (size == t->ox)
			put_bytes(t, o + y * t->oy, buf + y * pitch, nx * size);
		else
			t->kern->run(nx, t->size, o + y * t->oy, t->ox, buf + y * pitch, size);
	}
}

/** Elements that are lines. */
static void line_tile(const struct tiles *t, long nx, long ny, char *o, const char *p)
{
	for (long y = 0; y < ny; y++)
		t->kern->lines(nx, (long)t->size, o + y * t->oy, t->ox, p + y * t->iy, t->ix);
}

/** Small elements, line by line. */
static void step_tile(const struct tiles *t, long nx, long ny, char *o, const char *p)
{
	if (t->along_y)
		t->kern->runs(nx, ny, t->size, o, t->ox, t->oy, p, t->ix, t->iy);
	else
		t->kern->runs(ny, nx, t->size, o, t->oy, t->ox, p, t->iy, t->ix);
}

/** Bytes of the output. */
static long all_bytes(const struct md_shape *s, size_t size)
{
	return md_calc_size(s->D, s->dims) * (long)size;
}

/** All tiles of dims 0 and y (-1: of dim 0 alone) at all positions of the others. */
static void copy_tiled(
        const struct md_shape *s, const struct tiles *t, int y, tile_fn *fn, char *out, const char *in)
{
	long xt = (t->nx + t->ex - 1) / t->ex, yt = (t->ny + t->ey - 1) / t->ey;
	long tasks = xt * yt;

	for (int i = 1; i < s->D; i++)
		tasks *= (i == y) ? 1 : s->dims[i];

#pragma omp parallel num_threads((tasks > 1) ? threads_for((double)all_bytes(s, t->size) / PER_NS) : 1)
	{
#pragma omp for schedule(static)
		for (long k = 0; k < tasks; k++) {
			long x0 = (t->across ? k / yt % xt : k % xt) * t->ex;
			long y0 = (t->across ? k % yt : k / xt % yt) * t->ey;
			long rest = k / xt / yt;
			char *o = out + x0 * t->ox + y0 * t->oy;
			const char *p = in + x0 * t->ix + y0 * t->iy;

			for (int i = 1; i < s->D; i++) {
				if (i == y)
					continue;

				o += rest % s->dims[i] * s->strs[0][i];
				p += rest % s->dims[i] * s->strs[1][i];
				rest /= s->dims[i];
			}

			fn(t, (t->nx - x0 < t->ex) ? t->nx - x0 : t->ex,
			        (t->ny - y0 < t->ey) ? t->ny - y0 : t->ey, o, p);
		}

		if (t->stream)
			stream_fence();
	}
}

/* ---- long lines ---- */

/** Lines of `size` bytes, contiguous on both sides, at all positions of the shape. */
static void copy_lines(const struct md_shape *s, long size, bool stream, char *out, const char *in)
{
	const long pieces = (size + PIECE - 1) / PIECE;
	long tasks = pieces;

	for (int i = 0; i < s->D; i++)
		tasks *= s->dims[i];

#pragma omp parallel num_threads((tasks > 1) ? threads_for((double)all_bytes(s, (size_t)size) / PER_NS) : 1)
	{
#pragma omp for schedule(static)
		for (long k = 0; k < tasks; k++) {
			long at = k % pieces * PIECE, rest = k / pieces;
			long n = (size - at < PIECE) ? size - at : PIECE;
			char *o = out + at;
			const char *p = in + at;

			for (int i = 0; i < s->D; i++) {
				o += rest % s->dims[i] * s->strs[0][i];
				p += rest % s->dims[i] * s->strs[1][i];
				rest /= s->dims[i];
			}

			if (stream)
				stream_bytes(o, p, n);
			else
				memcpy(o, p, (size_t)n);
		}

		if (stream)
			stream_fence();
	}
}

/* ---- the choice ---- */

/** Turns dims over so that the output runs forwards. */
static void run_forwards(struct md_shape *s, char **out, const char **in)
{
	for (int i = 0; i < s->D; i++) {
		if (s->strs[0][i] >= 0)
			continue;

		*out += (s->dims[i] - 1) * s->strs[0][i];
		*in += (s->dims[i] - 1) * s->strs[1][i];
		s->strs[0][i] = -s->strs[0][i];
		s->strs[1][i] = -s->strs[1][i];
	}
}

static void drop_innermost(struct md_shape *s)
{
	s->D--;

	for (int i = 0; i < s->D; i++) {
		s->dims[i] = s->dims[i + 1];
		s->strs[0][i] = s->strs[0][i + 1];
		s->strs[1][i] = s->strs[1][i + 1];
	}
}

/** The dim along which the input moves least. */
static int input_dim(const struct md_shape *s)
{
	int best = 0;

	for (int i = 1; i < s->D; i++) {
		long step = labs(s->strs[1][i]);

		if (0 != step && (step < labs(s->strs[1][best]) || 0 == s->strs[1][best]))
			best = i;
	}

	return best;
}

/** Edges of a tile that goes through the buffer: longer along the lines of the input, which are read from the
 * memory, than along those of the output, which are written past the caches; or as long as the other side is
 * short. */
static void turned_edges(struct tiles *t)
{
	long size = (long)t->size, edge = (size <= 2) ? TILE_MAX : (size <= 8) ? TILE_MAX / 2 : TILE_MAX / 4;

	t->ex = min_long(t->nx, edge / 2);
	t->ey = min_long(t->ny, 2 * edge);

	if (t->ey < edge / 2)
		t->ex = min_long(t->nx, edge * edge / t->ey);
	else if (t->ex < edge / 2)
		t->ey = min_long(t->ny, edge * edge / t->ex);

	while (t->ey * tile_pitch(t->ex * size) > TILE_BUFFER)
		*((t->ex > t->ey) ? &t->ex : &t->ey) /= 2;
}

/** Of one that does not: all of the short side, or of dim 0 first. */
static void direct_edges(struct tiles *t, bool turned)
{
	long size = (long)t->size, room = TILE_BYTES / size + 1;

	if (turned && size > TILE_SIZE_MAX) {
		t->ex = t->ey = SHORT_LINE / size * 4 + 1;
	} else if (turned && t->ny < t->nx) {
		t->ey = t->ny;
		t->ex = room / t->ny + 1;
	} else {
		t->ex = min_long(t->nx, room);
		t->ey = room / t->ex + 1;
	}
}

/** A transposition with few rows or columns is a few strided lines; with some more where these share what is
 * fetched. */
static bool is_narrow(const struct tiles *t)
{
	enum { VERY = 4 };
	long few = 16 / (long)t->size;

	few = (few < 2 * VERY) ? 2 * VERY : few;

	return min_long(t->nx, t->ny) < VERY || (t->nx < few && labs(t->oy) <= 2 * t->nx * t->ox) ||
	       (t->ny < few && labs(t->ix) <= 2 * t->ny * t->iy);
}

static void copy_small(struct md_shape *s, size_t size, char *out, const char *in)
{
	int y = (0 == s->strs[1][0]) ? 0 : input_dim(s);
	bool turned = 0 < y;

	if (!turned)
		y = (s->D > 1) ? 1 : -1;

	if (turned && s->strs[1][y] < 0) { // read forwards
		out += (s->dims[y] - 1) * s->strs[0][y];
		in += (s->dims[y] - 1) * s->strs[1][y];
		s->strs[0][y] = -s->strs[0][y];
		s->strs[1][y] = -s->strs[1][y];
	}

	struct tiles t = {.kern = copy_kern(),
	        .size = size,
	        .nx = s->dims[0],
	        .ox = s->strs[0][0],
	        .ix = s->strs[1][0],
	        .ny = 1};

	if (y > 0) {
		t.ny = s->dims[y];
		t.oy = s->strs[0][y];
		t.iy = s->strs[1][y];
	}

	if (size <= TILE_SIZE_MAX && turned && !is_narrow(&t)) {
		t.stream = (long)size == t.ox && all_bytes(s, size) >= STREAM;
		t.direct = all_bytes(s, size) < DIRECT;
		t.across = true;
		turned_edges(&t);
		copy_tiled(s, &t, y, turn_tile, out, in);
		return;
	}

	t.along_y = t.nx < SHORT_RUN && t.nx < t.ny;
	direct_edges(&t, turned);
	copy_tiled(s, &t, y, (size > TILE_SIZE_MAX) ? line_tile : step_tile, out, in);
}

void cpu_copy(size_t size, const struct md_shape *shape, void *out, const void *in)
{
	struct md_shape s = *shape;
	char *o = out;
	const char *p = in;

	if (0 == all_bytes(&s, size) ||
	        (o == p && 0 == memcmp(s.strs[0], s.strs[1], (size_t)s.D * sizeof(long))))
		return;

	run_forwards(&s, &o, &p);

	while (s.D > 0 && (long)size == s.strs[0][0] && (long)size == s.strs[1][0]) {
		size *= (size_t)s.dims[0];
		drop_innermost(&s);
	}

	if (0 == s.D || size >= SHORT_LINE)
		copy_lines(&s, (long)size, all_bytes(&s, size) >= STREAM && size >= STREAM_LINE, o, p);
	else
		copy_small(&s, size, o, p);
}

/* ---- fill ---- */

struct filling {
	const struct copy_kern *kern;
	size_t size;
	const void *value;
};

static void fill_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	const struct filling *f = ctx;

	if (1 == f->size && 1 == inner[0])
		memset(ptr[0], *(const unsigned char *)f->value, (size_t)n);
	else
		f->kern->run(n, f->size, ptr[0], inner[0], f->value, 0);
}

void cpu_fill(size_t size, const struct md_shape *s, void *out, const void *value)
{
	struct filling f = {copy_kern(), size, value};

	md_nary(1, s->D, s->dims, (const long *const[]){s->strs[0]}, (void *const[]){out}, fill_line, &f,
	        true);
}
