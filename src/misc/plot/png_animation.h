#ifndef MISC_PLOT_PNG_ANIMATION_H
#define MISC_PLOT_PNG_ANIMATION_H

#include "misc/plot/png.h"

/** Animated PNG: PNG files with further frames; readers without support for animations show the first
 * picture. */

struct png_animation;

/** Begins an animation of `frames` pictures of format `fmt`, each shown for `delay` ms, in an endless loop;
 * written to an output begun with file_create(). */
extern struct png_animation *png_animation_start(
        struct file_out *f, const char *path, const struct png_format *fmt, long frames, long delay);

/** Adds a frame; call it once per frame. */
extern void png_animation_frame(struct png_animation *a, png_row_fn *fn, void *ctx);

extern void png_animation_end(struct png_animation *a);

#endif
