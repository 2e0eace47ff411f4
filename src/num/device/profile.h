#ifndef NUM_DEVICE_PROFILE_H
#define NUM_DEVICE_PROFILE_H

#include <pthread.h>
#include <stdbool.h>

#include "misc/progress.h"

/**
 * Function tables of modules, and their profile. A module calls its primitives through a table of function
 * pointers, so that any entry can be replaced: to count, to time, to debug. --profile replaces all of them by
 * counting ones. When the command ends it prints calls, seconds (including nested calls), bytes and GB/s per
 * entry of every module, and GUPS of projectors.
 *
 *     // X(entry, result, parameters, the same as arguments, bytes it reads and writes)
 *     #define FOO_ENTRIES(X) \
 *             X(apply, void, (enum op op, struct foo *out, const struct foo *in), (op, out, in),
 * foo_bytes(in)) struct foo_table { FOO_ENTRIES(PROFILE_MEMBER)
 *     };
 *     extern struct foo_table foo_table;
 *
 * and in one .c file, after the functions:
 *
 *     struct foo_table foo_table = {.apply = plain_apply};
 *     PROFILE_TABLE("foo", FOO_ENTRIES, struct foo_table, foo_table)
 *
 *     void foo_apply(enum op op, struct foo *out, const struct foo *in)
 *     {
 *             profiled(&foo_table)->apply(op, out, in);
 *     }
 */

/** Counters of one entry, summed over threads; zero, except the names, until the first call. */
struct profile_entry {
	const char *module, *name;
	long calls, nanoseconds, bytes;
	double updates; // voxels times views, of projectors; 0: not stated
	bool known;     // in the list that is printed
	struct profile_entry *next;
};

/** Whether --profile was given. */
extern bool profile_on(void);

/** Adds a call that began at `start` (now()) and ends here. Any thread. */
extern void profile_count(struct profile_entry *e, double start, long bytes);

/** Adds a call with its time and amount of work; printed under --profile only. Any thread. */
extern void profile_add(struct profile_entry *e, long nanoseconds, long bytes, double updates);

/** A call in progress: counted at the end of its scope. */
struct profile_span {
	struct profile_entry *entry; // NULL: not counted
	long bytes;
	double start;
};
extern void profile_span_end(const struct profile_span *s);

/** Counts from here to the end of the enclosing block as a call of `entry` under --profile: for work without
 * a table. */
#define PROFILE_SPAN(entry, bytes)                                                                           \
	const struct profile_span profile_span_here __attribute__((cleanup(profile_span_end), unused)) = {   \
	        profile_on() ? (entry) : (struct profile_entry *)0, (bytes), profile_on() ? now() : 0.}

/** A row as a member of a table. */
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
 * profiled(&table): the table; the first call under --profile replaces its entries by counting ones. Once per
 * file.
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
