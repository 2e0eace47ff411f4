#ifndef MISC_PLOT_COLORMAP_H
#define MISC_PLOT_COLORMAP_H

/** A colour map is a table of equidistant colours with linear interpolation. */

/** Names of the colour maps, in the order of enum colormap. */
#define COLORMAP_CHOICES "gray|viridis|magma|inferno|hot|bone|jet|coolwarm"

enum colormap { CM_GRAY, CM_VIRIDIS, CM_MAGMA, CM_INFERNO, CM_HOT, CM_BONE, CM_JET, CM_COOLWARM, CM_COUNT };

/** Computes the colour of t. Red, green and blue are 0 to 1. `t` is clamped to [0, 1]. */
extern void colormap_color(enum colormap map, double t, double rgb[3]);

#endif
