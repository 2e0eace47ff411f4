#ifndef MISC_PLOT_GIF_H
#define MISC_PLOT_GIF_H

#include "misc/file.h"

/** Writes moving pictures as GIF 89a. Each frame has up to 256 colours, chosen by median cut. */

struct gif_animation;

/** Begins an endless animation in an output from file_create(). Width and height are at most 65535 pixels.
 * Each frame is shown for `delay` ms. */
extern struct gif_animation *gif_animation_start(struct file_out *f, long width, long height, long delay);

/** Adds a frame with three bytes per pixel, row by row from the top. */
extern void gif_animation_frame(struct gif_animation *a, const unsigned char *rgb);

extern void gif_animation_end(struct gif_animation *a);

#endif
