#ifndef VOLUME_PARTS_H
#define VOLUME_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/bits.h"

/**
 * Connected components of a binary volume (x, y, z). Components are numbered from 1 in the memory order of
 * their first voxels. The numbers do not depend on threads.
 *
 * A run is an uninterrupted sequence of object voxels along x. First, parts_find() joins touching runs. Then,
 * parts_pass() passes the runs and component numbers to the caller.
 *
 *   He, Ren, Gao, Zhao, Yao, Chao: The connected-component labeling problem: a review of state-of-the-art
 *   algorithms. Pattern Recognition 70, 25-43 (2017), section 3.3 (runs).
 */

/** Writes rows [first, first + n) of the volume as bits, with bits_words(nx) words per row. Row y + ny z is
 * row y of slice z. Several threads call this function at once. */
typedef void parts_rows(void *ctx, long first, long n, uint64_t *bits);

struct parts_volume {
	long nx, ny, nz;
	int neighbours; // 6, 18 or 26; within slices 4 or 8
	parts_rows *rows;
	void *ctx;
	const char *what; // for the progress bar
};

struct parts;

/** Finds the components. Calls error() if the blocks together have more than 2^32 - 2 components. */
extern struct parts *parts_find(const struct parts_volume *v);
extern void parts_free(struct parts *p);

/** Returns the number of components. */
extern long parts_count(const struct parts *p);

/** Some rows of a block. Row first + r contains the runs start[r] to start[r + 1] - 1. Run i belongs to
 * component `local[i]` of the block, counted from 0. Component k of the block is component `number[k]` of the
 * volume. */
struct parts_chunk {
	long first, rows;
	const long *start;
	const struct run *run;
	const uint32_t *local;
	const uint32_t *number;
	long locals; // number of components of the block
};

/**
 * The callbacks of parts_pass(). A pass may be repeated. Several threads process blocks of slices. The chunks
 * of a block come in order.
 *
 * - begin(): creates data shared by the chunks of a block; may be NULL.
 * - chunk(): receives a chunk of a block.
 * - end(): is called for one block at a time, in order.
 */
struct parts_pass {
	void *(*begin)(void *ctx, long locals, const uint32_t *number);
	void (*chunk)(void *ctx, void *shared, const struct parts_chunk *c);
	void (*end)(void *ctx, void *shared, long locals, const uint32_t *number);
	void *ctx;
	const char *what; // for the progress bar
};

extern void parts_pass(const struct parts *p, const struct parts_pass *pass);

/** parts_y() and parts_z() return y and z of row r of the volume. */
static inline long parts_y(const struct parts_volume *v, long r)
{
	return r % v->ny;
}

static inline long parts_z(const struct parts_volume *v, long r)
{
	return r / v->ny;
}

#endif
