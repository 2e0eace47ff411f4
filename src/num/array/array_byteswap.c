/* Change of byte order in place. */

#include "misc/error.h"
#include "misc/file/foreign.h"
#include "num/array/array_internal.h"

/** Units of an element. */
struct units {
	size_t size, unit;
};

static void swap_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	const struct units *u = ctx;
	const long per = (long)(u->size / u->unit);

	if (inner[0] == (long)u->size) {
		foreign_swap(ptr[0], n * per, u->unit);
		return;
	}

	for (long i = 0; i < n; i++)
		foreign_swap(ptr[0] + i * inner[0], per, u->unit);
}

void array_byteswap(struct array *a)
{
	struct units u = {dtype_size(a->type), dtype_unit(a->type)};

	array_check_output(a);

	if (0 < array_count(a) && 1 < u.unit)
		md_nary(1, DIMS, a->dims, (const long *const[]){a->strs}, (void *const[]){a->data}, swap_line,
		        &u, true);

	a->swapped = !a->swapped;
}
