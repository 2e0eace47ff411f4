#ifndef CT_PROJECTOR_GPU_SELFTEST_SCAN_H
#define CT_PROJECTOR_GPU_SELFTEST_SCAN_H

#include "ct/projector/xray.h"

/** A small scan for self-tests of projectors. */
struct selftest_scan {
	struct geom *g;
	struct grid grid;
	struct xray *x;
};

enum { SELFTEST_SCAN_VIEWS = 5 };

/**
 * Creates a small scan for self-tests: geometry, grid and transform. The caller frees the scan with
 * selftest_scan_free().
 * - `side`: number of voxels along x and along y. The detector has side * 10 / 7 columns and side * 6 / 7
 *   rows.
 * - `slices`: number of voxels along z. One slice means one detector row.
 * - `views`: number of views, at most SELFTEST_SCAN_VIEWS.
 * - `lean`: tilt of the detector [degrees].
 * - `radius`: radius of a curved detector [mm]. 0 means a flat detector.
 */
extern struct selftest_scan selftest_scan(
        long side, long slices, long views, double lean, double radius, enum xray_model model);
extern void selftest_scan_free(struct selftest_scan *s);

#endif
