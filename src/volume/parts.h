#ifndef VOLUME_PARTS_H
#define VOLUME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/bits.h"

/**
 * Connected components of a binary volume (x, y, z), numbered from 1 by their first voxel in memory order, x
 * fastest.
 *
 * The algorithm makes two passes over blocks of slices; several blocks are processed in parallel. The first
 * pass joins the runs of neighbouring rows (union-find) and stores four bytes per run; blocks are then joined
 * in order. The second pass computes the runs again and passes them to the caller with their numbers. The
 * numbers do not depend on blocks or threads.
 *
 *   He, Ren, Gao, Zhao, Yao, Chao: The connected-component labeling problem: a review of state-of-the-art
 *   algorithms. Pattern Recognition 70, 25-43 (2017), section 3.3 (runs).
 */

/** Writes rows [first, first + n) of the volume as bits, bits_words(nx) words per row. Row y + ny z is row y
 * of slice z. Called by several threads at once. */
typedef void parts_rows(void *ctx, long first, long n, uint64_t *bits);

struct parts_volume {
	long nx, ny, nz;
	int neighbours; // 6, 18, 26; within slices: 4, 8
	parts_rows *rows;
	void *ctx;
	const char *what; // for the progress bar
};

struct parts;

/** The first pass. error() if more than 2^32 - 2 provisional components are needed. */
extern struct parts *parts_find(const struct parts_volume *v);
extern void parts_free(struct parts *p);

/** The number of components. */
extern long parts_count(const struct parts *p);

/** Some rows of a block: runs [start[r], start[r + 1]) are in row first + r. Run i belongs to component
 * local[i] (from 0) of the block, which is component number[local[i]] (from 1) of the volume. */
struct parts_chunk {
	long first, rows;
	const long *start;
	const struct run *run;
	const uint32_t *local;
	const uint32_t *number;
	long locals; // components of the block
};

/** The second pass, which may be repeated. Blocks are processed by several threads, the chunks of a block in
 * order. begin() creates data shared by the chunks of a block. end() is called for one block at a time, in
 * order. */
struct parts_pass {
	void *(*begin)(void *ctx, long locals, const uint32_t *number); // NULL: nothing is shared
	void (*chunk)(void *ctx, void *shared, const struct parts_chunk *c);
	void (*end)(void *ctx, void *shared, long locals, const uint32_t *number);
	void *ctx;
	const char *what; // for the progress bar
};

extern void parts_pass(const struct parts *p, const struct parts_pass *pass);

/** Position y and z of row number r of the volume. */
static inline long parts_y(const struct parts_volume *v, long r)
{
	return r % v->ny;
}

static inline long parts_z(const struct parts_volume *v, long r)
{
	return r / v->ny;
}

#endif
