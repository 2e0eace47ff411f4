#ifndef MISC_SIGNALS_H
#define MISC_SIGNALS_H

/**
 * Signals that end the command wait from signals_hold() to signals_release(), whichever thread the system
 * picks to deliver them; so a commit is not cut in two, and no temporary file exists that the handler does
 * not know. Pairs may be nested. No error() in between.
 */
extern void signals_hold(void);
extern void signals_release(void);

/** Calls fn() where a signal ends the command: it may do what handlers may. One at most. */
extern void signals_on_end(void (*fn)(void));

#endif
