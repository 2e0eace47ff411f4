#ifndef MISC_PLOT_GIF_H
#define MISC_PLOT_GIF_H

#include "misc/file.h"

/** Moving pictures as GIF 89a: up to 256 colours for each frame, chosen by median cut. */

struct gif_animation;

/** Begins an animation of width x height pixels (at most 65535), with `delay` ms per frame, in an endless
 * loop; written to an output begun with file_create(). */
extern struct gif_animation *gif_animation_start(struct file_out *f, long width, long height, long delay);

/** Adds a frame: three bytes for each pixel, row by row from the top. */
extern void gif_animation_frame(struct gif_animation *a, const unsigned char *rgb);

extern void gif_animation_end(struct gif_animation *a);

#endif
