/* Walks a strided loop in blocks that may cross its lines, so that short lines are efficient. */

#include <stdint.h>
#include <string.h>

#include "num/backend/backend_cpu.h"

struct u128 {
	uint64_t v[2];
};

long walk_count(const struct md_shape *s)
{
	long n = 1;

	for (int i = 0; i < s->D; i++)
		n *= s->dims[i];

	return n;
}

struct cpu_walk walk_start(const struct md_shape *s, char *const ptr[], long first)
{
	struct cpu_walk w = {.s = s, .n = (0 < s->D && 0 < s->dims[0]) ? s->dims[0] : 1};
	long rest = first / w.n;

	w.at = first % w.n;

	for (int k = 0; k < s->N; k++)
		w.line[k] = ptr[k];

	for (int i = 1; i < s->D && 0 < rest; i++) {
		w.pos[i] = rest % s->dims[i];
		rest /= s->dims[i];

		for (int k = 0; k < s->N; k++)
			w.line[k] += w.pos[i] * s->strs[k][i];
	}

	return w;
}

/** The next line; back to the first after the last. */
static void next_line(struct cpu_walk *w)
{
	const struct md_shape *s = w->s;

	for (int i = 1; i < s->D; i++) {
		bool wrap = ++w->pos[i] == s->dims[i];

		for (int k = 0; k < s->N; k++)
			w->line[k] += wrap ? (1 - s->dims[i]) * s->strs[k][i] : s->strs[k][i];

		if (!wrap)
			break;

		w->pos[i] = 0;
	}
}

void walk_on(struct cpu_walk *w, long n)
{
	w->at += n;

	while (w->at >= w->n) {
		w->at -= w->n;
		next_line(w);
	}
}

bool walk_is_even(const struct md_shape *s, int k, size_t size)
{
	long step = (long)size;

	for (int i = 0; i < s->D; i++) {
		if (s->strs[k][i] != step)
			return false;

		step *= s->dims[i];
	}

	return true;
}

/** The next line of operand k alone. */
static char *next_line_of(const struct md_shape *s, int k, long pos[], char *line)
{
	for (int i = 1; i < s->D; i++) {
		if (++pos[i] < s->dims[i])
			return line + s->strs[k][i];

		pos[i] = 0;
		line += (1 - s->dims[i]) * s->strs[k][i];
	}

	return line;
}

/* COPY moves element i of a piece of m elements at p, steps of `step` bytes, from or to buf. */
#define PIECES(T, COPY)                                                                                      \
	{                                                                                                    \
		T *b = (T *)buf;                                                                             \
		for (long left = n; left > 0; at = 0) {                                                      \
			long m = (w->n - at < left) ? w->n - at : left;                                      \
			char *p = line + at * step;                                                          \
			for (long i = 0; i < m; i++)                                                         \
				COPY(T);                                                                     \
			b += m;                                                                              \
			left -= m;                                                                           \
			if (left > 0)                                                                        \
				line = next_line_of(w->s, k, pos, line);                                     \
		}                                                                                            \
	}
#define LOAD(T)  b[i] = *(const T *)(p + i * step)
#define STORE(T) *(T *)(p + i * step) = b[i]

#define BY_SIZE(COPY)                                                                                        \
	switch (size) {                                                                                      \
	case 4:                                                                                              \
		PIECES(uint32_t, COPY)                                                                       \
		break;                                                                                       \
	case 8:                                                                                              \
		PIECES(uint64_t, COPY)                                                                       \
		break;                                                                                       \
	default:                                                                                             \
		PIECES(struct u128, COPY)                                                                    \
	}

void walk_gather(const struct cpu_walk *w, int k, size_t size, long n, void *buf)
{
	long pos[DIMS], at = w->at, step = (0 < w->s->D) ? w->s->strs[k][0] : 0;
	char *line = w->line[k];

	memcpy(pos, w->pos, sizeof pos);
	BY_SIZE(LOAD)
}

void walk_scatter(const struct cpu_walk *w, int k, size_t size, long n, const void *buf)
{
	long pos[DIMS], at = w->at, step = (0 < w->s->D) ? w->s->strs[k][0] : 0;
	char *line = w->line[k];

	memcpy(pos, w->pos, sizeof pos);
	BY_SIZE(STORE)
}
