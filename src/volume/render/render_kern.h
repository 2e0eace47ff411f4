#ifndef VOLUME_RENDER_RENDER_KERN_H
#define VOLUME_RENDER_RENDER_KERN_H

#include <stdbool.h>
#include <stdint.h>

#include "volume/render/render.h"

/**
 * The inner loops of ray casting over one slab of slices, for several instruction sets. Results are
 * bit-identical for all of them and for any division into slabs and tiles. Sample k of a ray is at fma(k, d,
 * o) and belongs to the slab that contains its z. Samples are added in the order of k and skipped only if
 * their opacity is exactly 0.
 *
 * Coordinates are in voxels: element i of a dimension is at i, the volume extends from -1/2 to n - 1/2.
 */

enum render_kind { RENDER_U8, RENDER_U16, RENDER_I16, RENDER_F32 };

enum { RENDER_BLOCK = 8, RENDER_WIDE = 4, RENDER_TILE = 4 };

/** An entry of a table: the opacity and colour of values. */
struct render_entry {
	float alpha; // opacity per step
	int rgb;     // colour, 10 bits each
};

struct render_field {
	enum render_kind kind;
	const char *base; // element (0, 0, first)
	const struct render_entry *table;
	float lo, scale;                // value -> entry
	int entries, levels;            // of values; of gradients (1: the gradient has no effect)
	float steep;                    // entry of the gradient: sqrt(steep * length)
	const struct transfer *program; // replaces the tables, or NULL
	bool uses_gradient;             // whether the program reads the gradient
	float power;                    // a layer of opacity a has the opacity 1 - (1 - a)^power per step
};

/** Smallest and largest value of blocks of RENDER_BLOCK^3 cells, and the distance to the next visible block.
 */
struct render_blocks {
	long n[3];
	const float *lo, *hi;
	long wide[3]; // number of groups of RENDER_WIDE^3 blocks; below their minimum and maximum, for mip
	              // and minip
	const float *wide_lo, *wide_hi;
	const uint8_t *far; // Chebyshev distance to the nearest visible block, at most 63
};

/** How samples are taken. RENDER_TAKE_FLAT and RENDER_TAKE_LIT: one volume with a table of values, without
 * and with light. RENDER_TAKE_ANY: any volumes in mode volume. */
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
	long first;         // slice of base
	bool far;           // offsets of the slab do not fit into 31 bits
	bool down;          // in a perspective view: process rays with d[2] < 0, else the other rays
	float lo[3], hi[3]; // only samples in this box are used
	float z0, z1;       // and only those with z0 <= z < z1
	float light[3];     // unit vector towards the light
	float place[3][2];  // [mm]: place[0] + voxel * place[1]
	float per_mm;       // gradients -> 1 / mm
	float pull[3]; // factors that convert differences along x, y, z to 1 / mm, times the smallest spacing
	float stop;    // opacity at which a ray ends
	float iso;
	float color[3]; // of the surface
	int fields;
	struct render_field field[RENDER_VOLUMES];
	struct render_blocks blocks;
	const void *labels; // from slice `first` on, or NULL
	enum dtype label_type;
	float *state; // [height][width][4]
};

struct render_kern {
	/** Computes the rays of pixels [x, x + w) x [y, y + h) in the slab. */
	void (*cast)(const struct render_pass *p, long x, long y, long w, long h);
	/** lo[i] = min(lo[i], row[i]) and hi[i] = max(hi[i], row[i]), all of type `kind`. */
	void (*extremes)(enum render_kind kind, long n, const void *row, void *lo, void *hi);
	/** Number of elements that are not finite. */
	long (*infinite)(long n, const float *row);
};

/** The tables for AVX2 and AVX-512 exist on x86-64 only. */
extern const struct render_kern render_kern_plain, render_kern_avx2, render_kern_avx512;

#endif
