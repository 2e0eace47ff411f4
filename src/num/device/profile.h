#ifndef NUM_DEVICE_PROFILE_H
#define NUM_DEVICE_PROFILE_H

#include <pthread.h>
#include <stdbool.h>

#include "misc/progress.h"

/**
 * Function tables of modules, and their profile. A module calls its primitives through a table of function
 * pointers, so that any entry can be replaced, to count, time or debug calls. --profile replaces all entries
 * by counting ones. At the end of the command, --profile prints calls, seconds (including nested calls),
 * bytes and GB/s per entry of every module. For projectors it also prints GUPS: 10^9 voxels times views per
 * second.
 *
 *     // X(entry, result, parameters, the same as arguments, bytes it reads and writes)
 *     #define FOO_ENTRIES(X) \
 *             X(apply, void, (struct foo *out, const struct foo *in), (out, in), foo_bytes(in))
 *
 *     struct foo_table {
 *             FOO_ENTRIES(PROFILE_MEMBER)
 *     };
 *
 *     extern struct foo_table foo_table;
 *
 * One .c file contains, after the functions:
 *
 *     struct foo_table foo_table = {.apply = plain_apply};
 *     PROFILE_TABLE("foo", FOO_ENTRIES, struct foo_table, foo_table)
 *
 *     void foo_apply(struct foo *out, const struct foo *in)
 *     {
 *             profiled(&foo_table)->apply(out, in);
 *     }
 */

/** Counters of one entry, summed over threads. The counters are zero until the first call. */
struct profile_entry {
	const char *module, *name;
	long calls, nanoseconds, bytes;
	double updates; // voxels times views, of projectors; 0: not stated
	bool known;     // in the list that is printed
	struct profile_entry *next;
};

/** Whether --profile was given. */
extern bool profile_on(void);

/** Adds a call that began at time `start` (now()) and ends now. Called by any thread. */
extern void profile_count(struct profile_entry *e, double start, long bytes);

/** Adds a call with its time and amount of work. The sums are printed under --profile only. Called by any
 * thread. */
extern void profile_add(struct profile_entry *e, long nanoseconds, long bytes, double updates);

/** A call in progress, which is counted at the end of its scope. */
struct profile_span {
	struct profile_entry *entry; // NULL: not counted
	long bytes;
	double start;
};
extern void profile_span_end(const struct profile_span *s);

/** Under --profile, counts the code from here to the end of the enclosing block as a call of `entry`. For
 * functions that are not called through a table. */
#define PROFILE_SPAN(entry, bytes)                                                                           \
	const struct profile_span profile_span_here __attribute__((cleanup(profile_span_end), unused)) = {   \
	        profile_on() ? (entry) : (struct profile_entry *)0, (bytes), profile_on() ? now() : 0.}

/** Declares the member of a function table for one entry. */
#define PROFILE_MEMBER(entry, ret, params, args, bytes) ret(*entry) params;

#define PROFILE_ROW_(entry, ret, params, args, bytes)  PROFILE_ROW_##entry,
#define PROFILE_NAME_(entry, ret, params, args, bytes) {.name = #entry},
#define PROFILE_COUNT_(entry, ret, params, args, bytes)                                                      \
	static ret profile_count_##entry params                                                              \
	{                                                                                                    \
		PROFILE_SPAN(&profile_entries_here[PROFILE_ROW_##entry], bytes);                             \
                                                                                                             \
		return profile_plain_here.entry args;                                                        \
	}
#define PROFILE_REPLACE_(entry, ret, params, args, bytes) profile_table_here->entry = profile_count_##entry;

/**
 * Defines profiled(), once per file. profiled(&table) returns the table. Under --profile, the first call
 * replaces the entries of the table by functions that count.
 */
#define PROFILE_TABLE(module_name, ENTRIES, type, table)                                                     \
	enum { ENTRIES(PROFILE_ROW_) PROFILE_ROWS_HERE };                                                    \
	static struct profile_entry profile_entries_here[] = {ENTRIES(PROFILE_NAME_)};                       \
	static type profile_plain_here;                                                                      \
	ENTRIES(PROFILE_COUNT_)                                                                              \
	static void profile_install_here(void)                                                               \
	{                                                                                                    \
		if (!profile_on())                                                                           \
			return;                                                                              \
                                                                                                             \
		type *profile_table_here = &table;                                                           \
                                                                                                             \
		for (int i = 0; i < PROFILE_ROWS_HERE; i++)                                                  \
			profile_entries_here[i].module = (module_name);                                      \
                                                                                                             \
		profile_plain_here = table;                                                                  \
		ENTRIES(PROFILE_REPLACE_)                                                                    \
	}                                                                                                    \
	static type *profiled(type *t)                                                                       \
	{                                                                                                    \
		static pthread_once_t once = PTHREAD_ONCE_INIT;                                              \
                                                                                                             \
		pthread_once(&once, profile_install_here);                                                   \
                                                                                                             \
		return t;                                                                                    \
	}

#endif
