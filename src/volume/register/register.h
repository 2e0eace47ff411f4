#ifndef VOLUME_REGISTER_REGISTER_H
#define VOLUME_REGISTER_REGISTER_H

#include <stdbool.h>

#include "volume/resample/space.h"

/**
 * Rigid registration finds the rotation and shift that align a moving volume with a fixed volume. Values are
 * compared at points of a low-discrepancy sequence in the overlap of both volumes. Pattern search finds the
 * best pose [1].
 *
 * - REGISTER_LS: maximises the correlation. This minimises the squares of `fixed - (a moving + b)` over `a >
 *   0` and b.
 * - REGISTER_MI: maximises the normalised mutual information (H(f) + H(m)) / H(f, m) [2]. The joint histogram
 *   has 32 x 32 bins.
 *
 * [1] R. Hooke and T. A. Jeeves, "Direct search" solution of numerical and statistical problems, Journal of
 * the ACM 8(2):212-229, 1961.
 *
 * [2] C. Studholme, D. L. G. Hill, D. J. Hawkes, An overlap invariant entropy measure of 3D medical image
 * alignment, Pattern Recognition 32(1):71-86, 1999.
 *
 * [3] G. A. Miller, Note on the bias of information estimates, Information Theory in Psychology, 95-100,
 * 1955.
 */
enum register_metric { REGISTER_MI, REGISTER_LS };

/** How volumes are compared, and whether rotations may change. */
struct register_how {
	enum register_metric metric;
	bool shift_only; // only the shift may change
	long points;     // largest number of points to compare
};

/** Numbers of points to compare. REGISTER_POINTS is for search steps down to 1/8 voxel, REGISTER_LAST_POINTS
 * for smaller steps. */
enum { REGISTER_POINTS = 1 << 15, REGISTER_LAST_POINTS = 1 << 17 };

/** A float32 volume on a grid. */
struct register_image {
	struct space space;
	const float *x;
};

/** The similarity of two volumes for a pose. */
struct register_fit {
	double correlation; // of the values, -1 to 1
	double information; // normalised mutual information, 1 (unrelated) to 2
	double chance;      // about the information expected of unrelated values [3]
	double overlap;     // fraction of the points in both volumes
};

/** `v[0]` to `v[2]` are rotation angles [rad] about x, then y, then z, through the fixed volume's centre.
 * `v[3]` to `v[5]` are the shift [mm]. */
struct register_pose {
	double v[6];
};

/** Improves a pose on one level of resolution. The search steps shrink from `first` to `last` [voxels of the
 * fixed image]. A single slice is only rotated and shifted within its plane. Returns the similarity. The
 * result does not depend on threads. */
extern struct register_fit register_level(struct register_pose *pose, const struct register_how *how,
        const struct register_image *fixed, const struct register_image *moving, double first, double last);

/** Returns the similarity for a pose, without a search. */
extern struct register_fit register_measure(const struct register_pose *pose,
        const struct register_image *fixed, const struct register_image *moving);

/** Computes the map from positions in the fixed volume to positions in the moving volume. */
extern void register_affine(struct affine *m, const struct register_pose *pose, const struct space *fixed);
/** Computes the pose of an affine map. Returns false if the map is not a rotation and a shift. */
extern bool register_pose_of(struct register_pose *pose, const struct affine *m, const struct space *fixed);

#endif
