#ifndef MISC_PLOT_TERMINAL_H
#define MISC_PLOT_TERMINAL_H

#include <stdio.h>

#include "misc/mem.h"

/** Pictures in a terminal, as text that is written to it. */

#define TERMINAL_CHOICES "auto|blocks|ascii|sixel|kitty"
enum terminal_mode { TERMINAL_AUTO, TERMINAL_BLOCKS, TERMINAL_ASCII, TERMINAL_SIXEL, TERMINAL_KITTY };

/** Detects which kind of pictures the terminal at this file descriptor supports. Environment variables select
 * kitty's protocol or sixel. Otherwise half blocks are used in a UTF-8 locale, and ASCII in other locales.
 * ASCII if fd is not a terminal. */
extern enum terminal_mode terminal_detect(int fd);

/** The size of the terminal in characters and the size of a character in pixels; 80 x 24 and 8 x 16 if
 * unknown. */
extern void terminal_size(int fd, int *columns, int *rows, int *cell_width, int *cell_height);

/** A picture of palette indices, row by row from the top. */
struct terminal_picture {
	int width, height;
	const unsigned char *index;    // [height][width]
	unsigned char palette[256][3]; // red, green, blue; sixel takes the first 255
};

/** Adds a picture to the text. Blocks: two rows per line of text, in 24-bit colours with `true_color`, else
 * 256 colours. ASCII: one row per line, sparser characters for smaller indices. */
extern void terminal_blocks(struct str *s, const struct terminal_picture *p, int true_color);
extern void terminal_ascii(struct str *s, const struct terminal_picture *p);
extern void terminal_sixel(struct str *s, const struct terminal_picture *p);
extern void terminal_kitty(struct str *s, const struct terminal_picture *p);

#endif
