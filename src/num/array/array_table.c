/* The function table of num/array. */

#include "num/array/array_table.h"

struct array_table array_table = {
        .copy = array_plain_copy,
        .fill = array_plain_fill,
        .apply = array_plain_apply,
        .reduce = array_plain_reduce,
        .take = array_plain_take,
        .put = array_plain_put,
};

PROFILE_TABLE("array", ARRAY_ENTRIES, struct array_table, array_table)

struct array_table *array_entries(void)
{
	return profiled(&array_table);
}

long array_bytes(const struct array *out, int n, const struct array *const in[])
{
	long bytes = array_count(out) * (long)dtype_size(out->type);

	for (int k = 0; k < n; k++)
		bytes += array_count(in[k]) * (long)dtype_size(in[k]->type);

	return bytes;
}
