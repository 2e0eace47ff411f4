#ifndef MISC_OPTIONS_PAGER_H
#define MISC_OPTIONS_PAGER_H

/** Prints a text to standard output; through $GANTRY_PAGER, $PAGER or less where that is a terminal with
 * fewer lines. An empty GANTRY_PAGER: never. */
extern void page_text(const char *text);

#endif
