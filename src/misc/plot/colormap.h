#ifndef MISC_PLOT_COLORMAP_H
#define MISC_PLOT_COLORMAP_H

/** Colour maps for pictures: a table of colours at equal distances, linear in between. */

/** The choices in the order of the indices below, for option tables: "gray|viridis|..." */
#define COLORMAP_CHOICES "gray|viridis|magma|inferno|hot|bone|jet|coolwarm"

enum colormap { CM_GRAY, CM_VIRIDIS, CM_MAGMA, CM_INFERNO, CM_HOT, CM_BONE, CM_JET, CM_COOLWARM, CM_COUNT };

/** Colour of t in [0, 1] (clamped): red, green and blue in [0, 1]. */
extern void colormap_color(enum colormap map, double t, double rgb[3]);

#endif
