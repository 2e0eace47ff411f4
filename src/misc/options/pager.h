#ifndef MISC_OPTIONS_PAGER_H
#define MISC_OPTIONS_PAGER_H

/** Prints a text to standard output; through $GANTRY_PAGER, $PAGER or less if it is a terminal with fewer
 * lines than the text. An empty GANTRY_PAGER disables this. */
extern void page_text(const char *text);

#endif
