#ifndef MISC_SIGNALS_H
#define MISC_SIGNALS_H

/**
 * In all threads, signals_hold() delays signals that end the command until signals_release(). Pairs of calls
 * may be nested. Do not call error() between the two functions.
 */
extern void signals_hold(void);
extern void signals_release(void);

/** Sets a function that is called when a signal ends the command. The function must be async-signal-safe. A
 * second call replaces the function. */
extern void signals_on_end(void (*fn)(void));

/** Calls the function of signals_on_end() and ends the process with this exit status. Any thread may call
 * signals_end(). */
extern void signals_end(int status) __attribute__((noreturn));

#endif
