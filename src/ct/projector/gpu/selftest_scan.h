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

/** side: size of the volume along x and y [voxels]; the detector is as large as its projection. slices: size
 * of the volume along z [voxels]; 1 also sets one detector row. lean: tilt of the detector [degrees]. radius:
 * of a curved detector [mm]; 0: flat.
 */
extern struct selftest_scan selftest_scan(
        long side, long slices, long views, double lean, double radius, enum xray_model model);
extern void selftest_scan_free(struct selftest_scan *s);

#endif
