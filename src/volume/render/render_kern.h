#ifndef VOLUME_RENDER_RENDER_KERN_H
#define VOLUME_RENDER_RENDER_KERN_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/render/render.h"

/**
 * The inner loops of ray casting through one slab of slices, for several instruction sets. Results are
 * bit-identical for all instruction sets, slabs and tiles. Sample k of a ray is at `fma(k, d, o)`. A sample
 * belongs to the slab that contains its z. Samples are added in the order of k. Only samples with an opacity
 * of exactly 0 are skipped.
 *
 * Coordinates are in voxels. Element i of a dimension has coordinate i. The volume extends from -1/2 to `n -
 * 1/2`.
 */

enum render_kind { RENDER_U8, RENDER_U16, RENDER_I16, RENDER_F32 };

enum { RENDER_BLOCK = 8, RENDER_WIDE = 4, RENDER_TILE = 4 };

/** Opacity and colour in a table of a transfer function. */
struct render_entry {
	float alpha; // opacity per step
	int rgb;     // red, green and blue, 10 bits each
};

struct render_field {
	enum render_kind kind;
	const char *base; // element (0, 0, first)
	const struct render_entry *table;
	float lo, scale;     // entry of a value: scale (value - lo)
	int entries, levels; // numbers for values and gradients; 1 level means no effect of gradients
	float steep;         // level of a gradient: sqrt(steep * length)
	const struct transfer *program; // replaces the tables; may be NULL
	bool uses_gradient;             // the program reads the gradient
	float power;                    // opacity per step: 1 - (1 - a)^power for opacity a
};

/** Smallest and largest value of blocks of RENDER_BLOCK^3 cells, and the distance to the next visible block.
 */
struct render_blocks {
	long n[3];
	const float *lo, *hi;
	long wide[3];                   // number of groups of RENDER_WIDE^3 blocks
	const float *wide_lo, *wide_hi; // of each group, for MIP and MinIP
	const uint8_t *far;             // Chebyshev distance to the nearest visible block, at most 16
};

/**
 * Ways to combine the samples of a ray.
 *
 * - RENDER_TAKE_FLAT: one volume with a table of values, without light.
 * - RENDER_TAKE_LIT: one volume with a table of values, with light.
 * - RENDER_TAKE_ANY: all other cases of RENDER_VOLUME.
 */
enum render_take {
	RENDER_TAKE_FLAT,
	RENDER_TAKE_LIT,
	RENDER_TAKE_ANY,
	RENDER_TAKE_MOST,
	RENDER_TAKE_LEAST,
	RENDER_TAKE_SUM,
	RENDER_TAKE_ISO,
	RENDER_TAKES
};

struct render_pass {
	struct render_view view;
	enum render_mode mode;
	enum render_take take;
	enum render_shade shade;
	long n[3];
	long first;         // first slice in memory
	bool far;           // offsets in the slab do not fit into 31 bits
	bool down;          // in perspective: only rays with d[2] < 0; false: only other rays
	float lo[3], hi[3]; // only samples in this box are used
	float z0, z1;       // only samples with z0 <= z < z1 are used
	float light[3];     // unit vector towards the light
	float place[3][2];  // position [mm]: place[.][0] + voxel * place[.][1]
	float per_mm;       // 1 / smallest spacing [1/mm]
	float pull[3];      // converts differences along x, y, z to gradients times the smallest spacing
	float stop;         // opacity at which a ray ends
	float iso;
	float color[3]; // of the isosurface
	int fields;
	struct render_field field[RENDER_VOLUMES];
	struct render_blocks blocks;
	const void *labels; // labels from slice `first` on; may be NULL
	enum dtype label_type;
	float *state; // [height][width][4]
};

struct render_kern {
	/** Continues the rays of pixels [x, x + w) x [y, y + h) through the slab. */
	void (*cast)(const struct render_pass *p, long x, long y, long w, long h);
	/** Sets lo[i] = min(lo[i], row[i]) and hi[i] = max(hi[i], row[i]). All elements have the type `kind`.
	 */
	void (*extremes)(enum render_kind kind, long n, const void *row, void *lo, void *hi);
	/** Returns the number of elements that are not finite. */
	long (*infinite)(long n, const float *row);
};

/** The kernels for AVX2 and AVX-512 exist on x86-64 only. */
extern const struct render_kern render_kern_plain, render_kern_avx2, render_kern_avx512;

#endif
