#ifndef NUM_ARRAY_ARRAY_TABLE_H
#define NUM_ARRAY_ARRAY_TABLE_H

#include "num/array/array.h"
#include "num/device/profile.h"

/** Lists the primitives of num/array. Callers have checked shapes, types and overlap. The option --profile
 * replaces all entries (num/device/profile.h). */
#define ARRAY_ENTRIES(X)                                                                                     \
	X(copy, long, (const struct array *out, const struct array *in, enum narrow narrow),                 \
	        (out, in, narrow), array_bytes(out, 1, &in))                                                 \
	X(fill, void, (const struct array *out, const void *value), (out, value), array_bytes(out, 0, NULL)) \
	X(apply, void,                                                                                       \
	        (enum op op, const struct op_types *t, const struct array *out,                              \
	                const struct array *const in[], enum domain domain, enum narrow narrow,              \
	                long lost[2]),                                                                       \
	        (op, t, out, in, domain, narrow, lost), array_bytes(out, op_args(op), in))                   \
	X(reduce, long,                                                                                      \
	        (enum reduction red, const struct op_types *t, unsigned long dims, const struct array *out,  \
	                const struct array *const in[], enum narrow narrow),                                 \
	        (red, t, dims, out, in, narrow), array_bytes(out, reduction_args(red), in))                  \
	X(take, long,                                                                                        \
	        (const struct array *out, const struct array *in, int d, const struct index *x,              \
	                enum narrow narrow),                                                                 \
	        (out, in, d, x, narrow), 2 * array_bytes(out, 0, NULL))                                      \
	X(put, long,                                                                                         \
	        (const struct array *out, int d, const struct index *x, const struct array *in,              \
	                enum narrow narrow),                                                                 \
	        (out, d, x, in, narrow), 2 * array_bytes(in, 0, NULL))

struct array_table {
	ARRAY_ENTRIES(PROFILE_MEMBER)
};
extern struct array_table array_table;

/** Returns the table of primitives. Under --profile, the entries count calls. */
extern struct array_table *array_entries(void);

/** Returns the number of bytes that an operation on `out` and n inputs reads and writes. */
extern long array_bytes(const struct array *out, int n, const struct array *const in[]);

/** The default entries. The functions return the number of values that do not fit. In array_plain_apply(),
 * lost[0] counts values that do not fit, and lost[1] values outside the real domain. */
extern long array_plain_copy(const struct array *out, const struct array *in, enum narrow narrow);
extern void array_plain_fill(const struct array *out, const void *value);
extern void array_plain_apply(enum op op, const struct op_types *t, const struct array *out,
        const struct array *const in[], enum domain domain, enum narrow narrow, long lost[2]);
extern long array_plain_reduce(enum reduction red, const struct op_types *t, unsigned long dims,
        const struct array *out, const struct array *const in[], enum narrow narrow);
extern long array_plain_take(
        const struct array *out, const struct array *in, int d, const struct index *x, enum narrow narrow);
extern long array_plain_put(
        const struct array *out, int d, const struct index *x, const struct array *in, enum narrow narrow);

#endif
