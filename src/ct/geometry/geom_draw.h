#ifndef CT_GEOMETRY_GEOM_DRAW_H
#define CT_GEOMETRY_GEOM_DRAW_H

#include "ct/geometry/geom.h"

/** Draws the scan to a file NAME.svg or NAME.png. The scan is drawn from above, from the side and obliquely.
 * The drawing shows the source path, detectors, the volume and the axes. For view 0, the drawing also shows
 * the directions of detector columns and rows. For a parallel beam, sources and detectors are drawn beside
 * the volume. */
extern void geom_draw(const char *path, const struct geom *g, const struct grid *volume);

#endif
