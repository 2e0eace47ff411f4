#ifndef VOLUME_RENDER_RENDER_KERN_H
#define VOLUME_RENDER_RENDER_KERN_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/render/render.h"

/**
 * The inner loops of ray casting over one slab of slices, for several instruction sets. All give the same
 * bits, for any division into slabs and tiles: sample k of a ray is at fma(k, d, o), belongs to the slab that
 * contains its z, is added in the order of k, and is skipped only if its opacity is exactly 0.
 *
 * Coordinates are in voxels: element i of a dimension is at i, the volume extends from -1/2 to n - 1/2.
 */

enum render_kind { RENDER_U8, RENDER_U16, RENDER_I16, RENDER_F32 };

enum { RENDER_BLOCK = 8, RENDER_WIDE = 4, RENDER_LANES = 16, RENDER_TILE = 4 };

struct render_field {
	enum render_kind kind;
	const char *base;               // element (0, 0, first)
	const float *alpha;             // opacity per step, by entry
	const int *rgb;                 // colour, 10 bits each
	float lo, scale;                // value -> entry
	int entries, levels;            // of values; of gradients (1: the gradient plays no part)
	float steep;                    // entry of the gradient: sqrt(steep * length)
	const struct transfer *program; // in place of tables, or NULL
	bool uses_gradient;             // it does
	float power;                    // opacity a of a layer -> that of a step: 1 - (1 - a)^power
};

/** Smallest and largest value of blocks of RENDER_BLOCK^3 cells, and the distance to the next visible block.
 */
struct render_blocks {
	long n[3];
	const float *lo, *hi;
	long wide[3]; // the same of RENDER_WIDE^3 blocks, for the modes mip and minip
	const float *wide_lo, *wide_hi;
	const uint8_t *far; // Chebyshev distance to the nearest visible block, at most 63
};

/** Rays of a tile, RENDER_TILE of them in a row. */
struct render_rays {
	float o[3][RENDER_LANES], d[3][RENDER_LANES]; // sample k: o + k d [voxels]
	float v[3][RENDER_LANES];                     // direction, of length 1 in mm
};

struct render_pass {
	const struct render_view *view;
	enum render_mode mode;
	enum render_shade shade;
	long n[3];
	long first;         // slice of base
	bool far;           // offsets of the slab do not fit into 31 bits
	bool down;          // in a perspective view: rays with d[2] < 0, else the others
	float lo[3], hi[3]; // samples in this box are taken
	float z0, z1;       // and of these those with z0 <= z < z1
	float light[3];     // towards it, of length 1
	float place[3][2];  // [mm]: place[0] + voxel * place[1]
	float per_mm;       // gradients -> 1 / mm
	float pull[3];      // of differences along x, y, z for them to be per mm, times the smallest spacing
	float stop;         // opacity at which a ray ends
	float iso;
	float color[3]; // of the surface
	int fields;
	struct render_field field[RENDER_VOLUMES];
	struct render_blocks blocks;
	const void *labels; // whole array, or NULL
	enum dtype label_type;
	float *state; // [height][width][4]
};

/** The rays of the tile at (x, y), tw pixels wide, n of them. */
extern void render_view_rays(
        const struct render_view *v, long x, long y, int tw, int n, struct render_rays *r);

struct render_kern {
	/** Follows the rays of pixels [x, x + w) x [y, y + h) through the slab. */
	void (*cast)(const struct render_pass *p, long x, long y, long w, long h);
	/** lo[i] and hi[i] become the minimum and maximum of themselves and row[i]; all of one type. */
	void (*extremes)(enum render_kind kind, long n, const void *row, void *lo, void *hi);
	/** How many are not finite. */
	long (*infinite)(long n, const float *row);
};

/** Those of AVX2 and AVX-512 exist on x86-64 only. */
extern const struct render_kern render_kern_plain, render_kern_avx2, render_kern_avx512;

#endif
