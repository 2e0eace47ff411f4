#ifndef MISC_OPTIONS_PAGER_H
#define MISC_OPTIONS_PAGER_H

/** Prints a text to standard output. If standard output is a terminal with fewer lines than the text, the
 * text is printed through the pager $GANTRY_PAGER, $PAGER or less. An empty GANTRY_PAGER disables the pager.
 */
extern void page_text(const char *text);

#endif
