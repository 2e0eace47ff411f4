#ifndef VOLUME_REGISTER_REGISTER_H
#define VOLUME_REGISTER_REGISTER_H

#include <stdbool.h>

#include "volume/resample/space.h"

/**
 * Rigid registration: finds the rotation and shift that align the moving volume with the fixed volume. Values
 * are compared at points of a low-discrepancy sequence in the overlap of both volumes, first on coarse grids,
 * then on finer ones. Pattern search finds the best pose [1].
 *
 * REGISTER_LS: least squares of fixed - (a moving + b) with fitted a > 0 and b; maximises the correlation.
 * REGISTER_MI: maximises the normalised mutual information (H(f) + H(m)) / H(f, m) [2] of a joint histogram
 * of 32 x 32 bins.
 *
 * [1] R. Hooke and T. A. Jeeves, "Direct search" solution of numerical and statistical problems, Journal of
 * the ACM 8(2):212-229, 1961. [2] C. Studholme, D. L. G. Hill, D. J. Hawkes, An overlap invariant entropy
 * measure of 3D medical image alignment, Pattern Recognition 32(1):71-86, 1999. [3] G. A. Miller, Note on the
 * bias of information estimates, Information Theory in Psychology, 95-100, 1955.
 */
enum register_metric { REGISTER_MI, REGISTER_LS };

/** How volumes are compared, and whether rotations may change. */
struct register_how {
	enum register_metric metric;
	bool shift_only; // rotations stay as they are
	long points;     // at most, at which values are compared
};

/** Numbers of points: for steps down to 1/8 voxel, and for the last, smaller steps, where more points average
 * more noise. */
enum { REGISTER_POINTS = 1 << 15, REGISTER_LAST_POINTS = 1 << 17 };

/** A volume on a grid, float32. */
struct register_image {
	struct space space;
	const float *x;
};

/** The similarity for a pose. */
struct register_fit {
	double correlation; // of values, -1..1
	double information; // normalised mutual information, 1 (none) to 2
	double chance;      // about the information of as many unrelated values
	double overlap;     // fraction of the points that are in both volumes
};

/** Six numbers: rotations about x, then y, then z through the centre of the fixed volume [rad], shift [mm].
 */
struct register_pose {
	double v[6];
};

/** Improves a pose on one level of resolution. A single slice is only rotated and shifted within
 * its plane.
 * first, last: steps of the search [voxels of the fixed image]. Returns the similarity; results do not depend
 * on the number of threads. */
extern struct register_fit register_level(struct register_pose *pose, const struct register_how *how,
        const struct register_image *fixed, const struct register_image *moving, double first, double last);

/** The similarity of a pose, without a search. */
extern struct register_fit register_measure(const struct register_pose *pose,
        const struct register_image *fixed, const struct register_image *moving);

/** The map from positions in the fixed volume to positions in the moving volume. */
extern void register_affine(struct affine *m, const struct register_pose *pose, const struct space *fixed);
/** The pose of an affine map that is a rotation and a shift; returns false for other maps. */
extern bool register_pose_of(struct register_pose *pose, const struct affine *m, const struct space *fixed);

#endif
