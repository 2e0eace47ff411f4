#ifndef MISC_PLOT_PNG_ANIMATION_H
#define MISC_PLOT_PNG_ANIMATION_H

#include "misc/plot/png.h"

/** Writes animated PNG files. Programs without support for animations show the first picture. */

struct png_animation;

/** Begins an endless animation of `frames` pictures in an output from file_create(). Each picture is shown
 * for `delay` ms. */
extern struct png_animation *png_animation_start(
        struct file_out *f, const char *path, const struct png_format *fmt, long frames, long delay);

/** Adds a picture. Call this function `frames` times. */
extern void png_animation_frame(struct png_animation *a, png_row_fn *fn, void *ctx);

extern void png_animation_end(struct png_animation *a);

#endif
