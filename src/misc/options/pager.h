#ifndef MISC_OPTIONS_PAGER_H
#define MISC_OPTIONS_PAGER_H

/** Prints a text to standard output. A text with more lines than the terminal is shown by a pager. The
 * pager is $GANTRY_PAGER, else $PAGER, else less. An empty GANTRY_PAGER disables the pager. */
extern void page_text(const char *text);

#endif
