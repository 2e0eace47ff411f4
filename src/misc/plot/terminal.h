#ifndef MISC_PLOT_TERMINAL_H
#define MISC_PLOT_TERMINAL_H

#include <stdio.h>

#include "misc/mem.h"

/** Converts pictures to text that a terminal shows as a picture. */

#define TERMINAL_CHOICES "auto|blocks|ascii|sixel|kitty"
enum terminal_mode { TERMINAL_AUTO, TERMINAL_BLOCKS, TERMINAL_ASCII, TERMINAL_SIXEL, TERMINAL_KITTY };

/** Returns the kind of picture that the terminal at file descriptor fd supports. Environment variables
 * identify terminals with kitty or sixel graphics. Other terminals get half blocks in a UTF-8 locale, else
 * ASCII. The result is ASCII if fd is not a terminal. */
extern enum terminal_mode terminal_detect(int fd);

/** Returns the terminal size in characters, and the character size in pixels. Defaults are 80 x 24 and 8 x
 * 16. */
extern void terminal_size(int fd, int *columns, int *rows, int *cell_width, int *cell_height);

/** Picture of palette indices, row by row from the top. */
struct terminal_picture {
	int width, height;
	const unsigned char *index;    // [height][width]
	unsigned char palette[256][3]; // red, green, blue; sixel uses the first 255
};

/**
 * These functions append a picture to text.
 * - terminal_blocks(): Shows two rows of pixels per line. Without `true_color`, 256 colours are used.
 * - terminal_ascii(): Shows one row of pixels per line. Lower indices give sparser characters.
 */
extern void terminal_blocks(struct str *s, const struct terminal_picture *p, int true_color);
extern void terminal_ascii(struct str *s, const struct terminal_picture *p);
extern void terminal_sixel(struct str *s, const struct terminal_picture *p);
extern void terminal_kitty(struct str *s, const struct terminal_picture *p);

#endif
