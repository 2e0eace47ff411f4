#ifndef VOLUME_MORPH_PASSES_H
#define VOLUME_MORPH_PASSES_H

#include "volume/morph.h"
#include "volume/voxels.h"

/** One erosion of a volume, or one dilation if `max` is true. The result starts at element `at` of the
 * output. */
struct morph_pass {
	const struct voxels *in;
	const struct voxels_out *out;
	long at;
	bool max, binary;
	unsigned axes; // that have an outside: voxels_axes()
	const struct morph *m;
};

/** Returns the largest dx for which (dx, dy, dz) is in the ball; -1 means none. */
extern long morph_chord(const struct morph *m, long dy, long dz);

/** Returns the largest offset of the ball or box along dimension d. */
extern long morph_reach(const struct morph *m, int d);

/** These functions erode or dilate a mask by balls. Large balls use morph_ball_far(). */
extern void morph_ball_bits(const struct morph_pass *p);
extern void morph_ball_far(const struct morph_pass *p);

/** Returns how many slices morph_ball_far() keeps in memory, with 4 bytes per voxel. */
extern long morph_far_slices(const struct morph *m, long nz);

/** Erodes or dilates values by balls. */
extern void morph_ball_values(const struct morph_pass *p);

/** Erodes or dilates by boxes. The output must be in memory. */
extern void morph_box(const struct morph_pass *p);

/** Returns the type in which values of type t are compared. */
static inline enum dtype morph_work(enum dtype t)
{
	return DT_FLOAT16 == t ? DT_FLOAT32 : DT_BOOL == t ? DT_UINT8 : t;
}

/** Operations on arrays of one type. `max` selects the maximum, otherwise the minimum. */
struct morph_kernel {
	/** Sets y[i] to the maximum or minimum of y[i] and x[i]. */
	void (*best)(bool max, long n, void *y, const void *x);
	/** Sets y[i] to the maximum or minimum of x[i] and x[i + d]. */
	void (*ahead)(bool max, long n, void *y, const void *x, long d);
	/** Sets y[i] to v. With `none`, y[i] becomes the smallest (`max`) or largest value of the type.
	 */
	void (*fill)(bool max, long n, void *y, bool none, double v);
};

extern const struct morph_kernel *morph_kernel(enum dtype work);

#endif
