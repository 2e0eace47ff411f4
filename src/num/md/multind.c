/* Algebra of dims, strides, positions and sets of dims. */

#include "num/md/multind.h"

#include <stdlib.h>

#include "misc/error.h"
#include "misc/mem.h"

static bool is_set(unsigned long flags, int d)
{
	return 0 != (flags & 1ul << d);
}

long md_calc_size(int D, const long dims[])
{
	long n = 1;

	for (int i = 0; i < D; i++)
		n = mul_checked(n, dims[i], "the number of elements");

	return n;
}

void md_calc_strides_selected(int D, unsigned long flags, long strs[], const long dims[], size_t size)
{
	long step = (long)size;

	for (int i = 0; i < D; i++) {
		bool moves = is_set(flags, i) && 1 != dims[i];

		strs[i] = moves ? step : 0;
		step = moves ? mul_checked(step, dims[i], "the size of an array") : step;
	}
}

void md_calc_strides(int D, long strs[], const long dims[], size_t size)
{
	md_calc_strides_selected(D, ~0ul, strs, dims, size);
}

long md_calc_offset(int D, const long strs[], const long pos[])
{
	long offset = 0;

	for (int i = 0; i < D; i++)
		offset += strs[i] * pos[i];

	return offset;
}

int md_calc_blockdim(int D, const long dims[], const long strs[], size_t size)
{
	long step = (long)size;

	for (int i = 0; i < D; i++) {
		if (1 != dims[i] && step != strs[i])
			return i;

		step *= dims[i];
	}

	return D;
}

void md_copy_dims(int D, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = in[i];
}

void md_copy_strides(int D, long out[], const long in[])
{
	md_copy_dims(D, out, in);
}

void md_copy_order(int D, int out[], const int in[])
{
	for (int i = 0; i < D; i++)
		out[i] = in[i];
}

void md_set_dims(int D, long dims[], long value)
{
	for (int i = 0; i < D; i++)
		dims[i] = value;
}

void md_singleton_dims(int D, long dims[])
{
	md_set_dims(D, dims, 1);
}

void md_singleton_strides(int D, long strs[])
{
	md_set_dims(D, strs, 0);
}

void md_select_dims(int D, unsigned long flags, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = is_set(flags, i) ? in[i] : 1;
}

void md_select_strides(int D, unsigned long flags, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = is_set(flags, i) ? in[i] : 0;
}

void md_merge_dims(int D, long out[], const long a[], const long b[])
{
	for (int i = 0; i < D; i++) {
		if (a[i] != b[i] && 1 != a[i] && 1 != b[i])
			error("dimension %d is %ld in one array and %ld in the other, expected equal sizes, "
			      "or size 1 in one array",
			        i, a[i], b[i]);

		out[i] = (1 == a[i]) ? b[i] : a[i];
	}
}

void md_min_dims(int D, unsigned long flags, long out[], const long a[], const long b[])
{
	for (int i = 0; i < D; i++)
		out[i] = (is_set(flags, i) && b[i] < a[i]) ? b[i] : a[i];
}

void md_max_dims(int D, unsigned long flags, long out[], const long a[], const long b[])
{
	for (int i = 0; i < D; i++)
		out[i] = (is_set(flags, i) && b[i] > a[i]) ? b[i] : a[i];
}

void md_permute_dims(int D, const int order[], long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = in[order[i]];
}

void md_transpose_dims(int D, int d1, int d2, long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		out[i] = in[(i == d1) ? d2 : (i == d2) ? d1 : i];
}

unsigned long md_permute_flags(int D, const int order[], unsigned long flags)
{
	unsigned long out = 0;

	for (int i = 0; i < D; i++)
		out |= is_set(flags, order[i]) ? 1ul << i : 0;

	return out;
}

void md_permute_invert(int D, int inverse[], const int order[])
{
	for (int i = 0; i < D; i++)
		inverse[order[i]] = i;
}

unsigned long md_nontriv_dims(int D, const long dims[])
{
	unsigned long flags = 0;

	for (int i = 0; i < D; i++)
		flags |= (1 != dims[i]) ? 1ul << i : 0;

	return flags;
}

unsigned long md_nontriv_strides(int D, const long strs[])
{
	unsigned long flags = 0;

	for (int i = 0; i < D; i++)
		flags |= (0 != strs[i]) ? 1ul << i : 0;

	return flags;
}

/** The first byte of a strided array and the one after its last; equal when it is empty. */
static void byte_range(int D, const long dims[], const long strs[], const void *p, size_t size,
        uintptr_t *first, uintptr_t *end)
{
	long below = 0, above = 0;
	bool empty = false;

	for (int i = 0; i < D; i++) {
		empty = empty || 0 == dims[i];
		*(strs[i] < 0 ? &below : &above) += (dims[i] - 1) * strs[i];
	}

	*first = (uintptr_t)p + (uintptr_t)(empty ? 0 : below);
	*end = empty ? *first : (uintptr_t)p + (uintptr_t)above + size;
}

bool md_overlap(int Da, const long adims[], const long astrs[], const void *a, int Db, const long bdims[],
        const long bstrs[], const void *b, size_t size)
{
	uintptr_t afirst, aend, bfirst, bend;

	byte_range(Da, adims, astrs, a, size, &afirst, &aend);
	byte_range(Db, bdims, bstrs, b, size, &bfirst, &bend);

	return afirst < bend && bfirst < aend && afirst != aend && bfirst != bend;
}

bool md_check_dimensions(int D, const long dims[], unsigned long flags)
{
	return 0 == (md_nontriv_dims(D, dims) & ~flags);
}

bool md_check_compat(int D, unsigned long flags, const long a[], const long b[])
{
	for (int i = 0; i < D; i++)
		if (a[i] != b[i] && !(is_set(flags, i) && (1 == a[i] || 1 == b[i])))
			return false;

	return true;
}

bool md_check_bounds(int D, unsigned long flags, const long a[], const long b[])
{
	for (int i = 0; i < D; i++)
		if (a[i] != b[i] && !(is_set(flags, i) && a[i] <= b[i]))
			return false;

	return true;
}

bool md_check_equal_dims(int D, const long a[], const long b[], unsigned long flags)
{
	for (int i = 0; i < D; i++)
		if (is_set(flags, i) && a[i] != b[i])
			return false;

	return true;
}

bool md_check_broadcast(int D, const long out[], const long in[])
{
	for (int i = 0; i < D; i++)
		if (in[i] != out[i] && 1 != in[i])
			return false;

	return true;
}

bool md_check_order_bounds(int D, const int order[])
{
	unsigned long seen = 0;

	for (int i = 0; i < D; i++) {
		if (order[i] < 0 || order[i] >= D || is_set(seen, order[i]))
			return false;

		seen |= 1ul << order[i];
	}

	return true;
}

bool md_check_equal_order(int D, const int a[], const int b[])
{
	for (int i = 0; i < D; i++)
		if (a[i] != b[i])
			return false;

	return true;
}

bool md_is_index(int D, const long pos[], const long dims[])
{
	for (int i = 0; i < D; i++)
		if (pos[i] < 0 || pos[i] >= dims[i])
			return false;

	return true;
}

int md_max_idx(unsigned long flags)
{
	return (0 == flags) ? -1 : (int)(8 * sizeof flags) - 1 - __builtin_clzl(flags);
}

int md_min_idx(unsigned long flags)
{
	return (0 == flags) ? -1 : __builtin_ctzl(flags);
}

static void identity_order(int order[DIMS])
{
	for (int i = 0; i < DIMS; i++)
		order[i] = i;
}

long md_ravel_index_permuted(
        int D, const long pos[], unsigned long flags, const long dims[], const int order[])
{
	long index = 0, step = 1;

	for (int i = 0; i < D; i++) {
		int d = order[i];

		if (!is_set(flags, d))
			continue;

		index += pos[d] * step;
		step *= dims[d];
	}

	return index;
}

void md_unravel_index_permuted(
        int D, long pos[], unsigned long flags, const long dims[], long index, const int order[])
{
	for (int i = 0; i < D; i++) {
		int d = order[i];

		if (!is_set(flags, d))
			continue;

		pos[d] = index % dims[d];
		index /= dims[d];
	}
}

long md_ravel_index(int D, const long pos[], unsigned long flags, const long dims[])
{
	int order[DIMS];

	identity_order(order);

	return md_ravel_index_permuted(D, pos, flags, dims, order);
}

void md_unravel_index(int D, long pos[], unsigned long flags, const long dims[], long index)
{
	int order[DIMS];

	identity_order(order);
	md_unravel_index_permuted(D, pos, flags, dims, index, order);
}

long md_reravel_index(int D, unsigned long target, unsigned long source, const long dims[], long index)
{
	long pos[DIMS] = {0};

	md_unravel_index(D, pos, source, dims, index);

	return md_ravel_index(D, pos, target, dims);
}

bool md_next_permuted(int D, const int order[], const long dims[], unsigned long flags, long pos[])
{
	for (int i = 0; i < D; i++) {
		int d = order[i];

		if (!is_set(flags, d))
			continue;

		if (++pos[d] < dims[d])
			return true;

		pos[d] = 0;
	}

	return false;
}

bool md_next(int D, const long dims[], unsigned long flags, long pos[])
{
	for (int i = 0; i < D; i++) {
		if (!is_set(flags, i))
			continue;

		if (++pos[i] < dims[i])
			return true;

		pos[i] = 0;
	}

	return false;
}
