#ifndef NUM_DEVICE_PROFILE_H
#define NUM_DEVICE_PROFILE_H

#include <pthread.h>
#include <stdbool.h>

#include "misc/progress.h"

/**
 * A module calls its primitives through a table of function pointers. Any entry can be replaced to count,
 * time or debug calls. With --profile, all entries count their calls. At the end, the command prints
 * calls, seconds, bytes and GB/s of each entry. Seconds include nested calls. For projectors, the command
 * also prints GUPS, i.e. 10^9 voxels times views per second.
 *
 *     // X(entry, result, parameters, arguments, bytes read and written)
 *     #define FOO_ENTRIES(X) \
 *             X(apply, void, (struct foo *out, const struct foo *in), (out, in), foo_bytes(in))
 *
 *     struct foo_table {
 *             FOO_ENTRIES(PROFILE_MEMBER)
 *     };
 *
 *     extern struct foo_table foo_table;
 *
 * One .c file contains the following lines after the functions:
 *
 *     struct foo_table foo_table = {.apply = plain_apply};
 *     PROFILE_TABLE("foo", FOO_ENTRIES, struct foo_table, foo_table)
 *
 *     void foo_apply(struct foo *out, const struct foo *in)
 *     {
 *             profiled(&foo_table)->apply(out, in);
 *     }
 */

/** Counters of one entry, summed over threads. */
struct profile_entry {
	const char *module, *name;
	long calls, nanoseconds, bytes;
	double updates; // voxels times views of projectors; 0 if unknown
	bool known;     // whether the entry is in the printed list
	struct profile_entry *next;
};

/** Returns whether --profile was given. */
extern bool profile_on(void);

/** Adds one call of entry e, which ends now. The call began when now() returned `start`. Any thread may call
 * this function. */
extern void profile_count(struct profile_entry *e, double start, long bytes);

/** Adds one call with time, bytes and updates. Only --profile prints the sums. Any thread may call this
 * function. */
extern void profile_add(struct profile_entry *e, long nanoseconds, long bytes, double updates);

/** Describes a call in progress, which is counted when the enclosing block ends. */
struct profile_span {
	struct profile_entry *entry; // NULL if not counted
	long bytes;
	double start;
};
extern void profile_span_end(const struct profile_span *s);

/** With --profile, counts the rest of the enclosing block as a call of `entry`. PROFILE_SPAN() is for
 * functions that are not called through a table. */
#define PROFILE_SPAN(entry, bytes)                                                                           \
	const struct profile_span profile_span_here __attribute__((cleanup(profile_span_end), unused)) = {   \
	        profile_on() ? (entry) : (struct profile_entry *)0, (bytes), profile_on() ? now() : 0.}

/** Declares the table member of one entry. */
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

/** Defines the function profiled(), once per file. The call profiled(&table) returns the table. With
 * --profile, the first call of profiled() replaces all entries by counting functions. */
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
