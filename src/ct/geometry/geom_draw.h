#ifndef CT_GEOMETRY_GEOM_DRAW_H
#define CT_GEOMETRY_GEOM_DRAW_H

#include "ct/geometry/geom.h"

/** Draws the scan to a file NAME.svg or NAME.png, from above, from the side and obliquely: the source path,
 * the detector of view 0 with its column and row directions, the detectors of some other views, the volume,
 * and the axes. A parallel beam's sources and detectors are drawn beside the volume. */
extern void geom_draw(const char *path, const struct geom *g, const struct grid *volume);

#endif
