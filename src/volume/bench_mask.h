#ifndef VOLUME_BENCH_MASK_H
#define VOLUME_BENCH_MASK_H

#include "num/bench/bench.h"
#include "volume/mask_rows.h"

/** A volume for benchmarks of mask operations, and the arrays of bench_triad(). */
struct bench_mask {
	struct bench *b;
	struct voxels in; // uint8
	unsigned char *data;
	struct mask_rows rows;
	float *triad[3], *out; // `out` has size^3 elements of four bytes
	char shape[64];
	double sum; // of the last result
};

/** Creates a volume of size^3 voxels. Prints a message and returns false if memory is too small. */
extern bool bench_mask_create(struct bench_mask *m, struct bench *b, long size);
extern void bench_mask_free(struct bench_mask *m);

/**
 * These functions fill the volume:
 * - bench_mask_balls(): Draws 4 x 4 x 4 balls.
 * - bench_mask_random(): Sets a random fraction `share` of the voxels.
 */
extern void bench_mask_balls(struct bench_mask *m);
extern void bench_mask_random(struct bench_mask *m, double share);

/** Runs one benchmark case. `bytes` is the minimum memory traffic per voxel. */
extern void bench_mask_case(
        struct bench_mask *m, const char *name, double bytes, void (*run)(void *ctx), void *ctx);

#endif
