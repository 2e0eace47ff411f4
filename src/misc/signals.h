#ifndef MISC_SIGNALS_H
#define MISC_SIGNALS_H

/**
 * Signals that end the command are delayed between signals_hold() and signals_release(), in all threads. So a
 * commit is not interrupted, and the handler knows all temporary files. Pairs of calls may be nested. Do not
 * call error() between the two functions.
 */
extern void signals_hold(void);
extern void signals_release(void);

/** Calls fn() when a signal ends the command; fn() must be async-signal-safe. A later call
 * replaces fn. */
extern void signals_on_end(void (*fn)(void));

/** Ends the command as a signal does, with this exit status, from any thread. */
extern void signals_end(int status) __attribute__((noreturn));

#endif
