#ifndef VOLUME_MORPH_PASSES_H
#define VOLUME_MORPH_PASSES_H

#include "volume/morph.h"
#include "volume/voxels.h"

/** One erosion or dilation (max) of a volume; the result begins at element `at` of the output array. */
struct morph_pass {
	const struct voxels *in;
	const struct voxels_out *out;
	long at;
	bool max, binary;
	int rank; // dimensions that have an outside
	const struct morph *m;
};

/** Half the chord of the ball along x at offsets (dy, dz), -1 if there is none. */
extern long morph_chord(const struct morph *m, long dy, long dz);

/** Largest offset along dimension d. */
extern long morph_reach(const struct morph *m, int d);

/** Erode or dilate a mask by balls, using rows of bits or the distance transform. */
extern void morph_ball_bits(const struct morph_pass *p);
extern void morph_ball_far(const struct morph_pass *p);

/** Number of slices that morph_ball_far() keeps in memory, 4 bytes per voxel. */
extern long morph_far_slices(const struct morph *m, long nz);

/** Erodes or dilates values by balls. */
extern void morph_ball_values(const struct morph_pass *p);

/** Erodes or dilates by boxes; the output must be mapped. */
extern void morph_box(const struct morph_pass *p);

/** Type in which values are compared. */
static inline enum dtype morph_work(enum dtype t)
{
	return DT_FLOAT16 == t ? DT_FLOAT32 : DT_BOOL == t ? DT_UINT8 : t;
}

/** Maximum or minimum of lines, for values of one type. */
struct morph_kernel {
	/** y[i] = maximum or minimum of y[i] and x[i]. */
	void (*best)(bool max, long n, void *y, const void *x);
	/** y[i] = maximum or minimum of x[i] and x[i + d]. */
	void (*ahead)(bool max, long n, void *y, const void *x, long d);
	/** y[i] = v, or if `none` the neutral value: smallest for max, largest for min. */
	void (*fill)(bool max, long n, void *y, bool none, double v);
};

extern const struct morph_kernel *morph_kernel(enum dtype work);

#endif
