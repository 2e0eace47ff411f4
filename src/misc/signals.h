#ifndef MISC_SIGNALS_H
#define MISC_SIGNALS_H

/**
 * Signals that end the command are delayed from signals_hold() to signals_release(), in all threads; so a
 * commit is not interrupted, and the handler knows all temporary files. Pairs may be nested. No error() is
 * allowed in between.
 */
extern void signals_hold(void);
extern void signals_release(void);

/** Calls fn() when a signal ends the command: it must be async-signal-safe. One at most. */
extern void signals_on_end(void (*fn)(void));

#endif
