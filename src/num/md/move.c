/* Moving strided data: everything here is done by strided copies, fills and exchanges. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "num/backend/backend.h"
#include "num/device/device.h"
#include "num/md/multind.h"
#include "num/shape/periodic.h"

/* ---- memory ---- */

static size_t bytes_of(int D, const long dims[], size_t size)
{
	return (size_t)mul_checked(md_calc_size(D, dims), (long)size, "the size of an array");
}

void *md_alloc(int D, const long dims[], size_t size)
{
	return backend_cpu.alloc(bytes_of(D, dims, size));
}

void *md_calloc(int D, const long dims[], size_t size)
{
	void *p = md_alloc(D, dims, size);

	md_clear(D, dims, p, size);

	return p;
}

void *md_alloc_sameplace(int D, const long dims[], size_t size, const void *ref)
{
	return backend_of(ref)->alloc(bytes_of(D, dims, size));
}

bool md_is_sameplace(const void *a, const void *b)
{
	return device_holds(a) == device_holds(b);
}

void md_free(const void *p)
{
	if (NULL != p)
		backend_of(p)->release((void *)p);
}

/* ---- fill, copy, compare ---- */

/** The normal form of a loop over up to two arrays. */
static struct md_shape shape2(int D, const long dims[], const long ostrs[], const long istrs[])
{
	struct md_shape s = {.N = (NULL == istrs) ? 1 : 2};

	md_copy_dims(D, s.dims, dims);
	md_copy_dims(D, s.strs[0], ostrs);

	if (NULL != istrs)
		md_copy_dims(D, s.strs[1], istrs);

	s.D = md_simplify(s.N, D, s.dims, s.strs);

	return s;
}

void md_clear2(int D, const long dims[], const long ostrs[], void *out, size_t size)
{
	static const char zero[64];
	void *value = (size <= sizeof zero) ? NULL : mem_calloc(1, size);

	md_fill2(D, dims, ostrs, out, (NULL == value) ? zero : value, size);
	free(value);
}

void md_clear(int D, const long dims[], void *out, size_t size)
{
	const long bytes = (long)bytes_of(D, dims, size), step = 1;

	md_clear2(1, &bytes, &step, out, 1);
}

void md_fill2(int D, const long dims[], const long ostrs[], void *out, const void *value, size_t size)
{
	struct md_shape s = shape2(D, dims, ostrs, NULL);

	backend_of(out)->fill(size, &s, out, value);
}

void md_fill(int D, const long dims[], void *out, const void *value, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_fill2(D, dims, strs, out, value, size);
}

/** Whether what is left of the shape from dim d on are rows that device_copy2() takes. */
static bool are_rows(const struct md_shape *s, int d, long width)
{
	if (s->D > d + 1)
		return false;

	return s->D == d || (s->strs[0][d] >= width && s->strs[1][d] >= width);
}

/** Between host and device: rows as they are, anything else by way of copies without gaps on both sides. */
static void copy_between_places(size_t size, const struct md_shape *s, void *out, const void *in)
{
	const bool lines = 0 < s->D && (long)size == s->strs[0][0] && (long)size == s->strs[1][0];
	const int d = lines ? 1 : 0;
	const long width = (long)size * (lines ? s->dims[0] : 1);

	if (are_rows(s, d, width)) {
		const bool one = s->D == d;

		device_copy2((size_t)width, one ? 1 : s->dims[d], out, one ? width : s->strs[0][d], in,
		        one ? width : s->strs[1][d]);
		return;
	}

	void *there = md_alloc_sameplace(s->D, s->dims, size, out);
	void *here = md_alloc_sameplace(s->D, s->dims, size, in);
	long strs[DIMS];

	md_calc_strides(s->D, strs, s->dims, size);
	md_copy2(s->D, s->dims, strs, here, s->strs[1], in, size);
	device_copy(there, here, bytes_of(s->D, s->dims, size));
	md_copy2(s->D, s->dims, s->strs[0], out, strs, there, size);
	md_free(here);
	md_free(there);
}

void md_copy2(int D, const long dims[], const long ostrs[], void *out, const long istrs[], const void *in,
        size_t size)
{
	struct md_shape s = shape2(D, dims, ostrs, istrs);

	if (md_is_sameplace(out, in))
		backend_of(out)->copy(size, &s, out, in);
	else
		copy_between_places(size, &s, out, in);
}

void md_copy(int D, const long dims[], void *out, const void *in, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy2(D, dims, strs, out, strs, in, size);
}

struct comparison {
	size_t size;
	bool differs;
};

static void compare_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	struct comparison *c = ctx;
	long size = (long)c->size;
	bool differs = false;

	if (size == inner[0] && size == inner[1])
		differs = 0 != memcmp(ptr[0], ptr[1], (size_t)(n * size));
	else
		for (long i = 0; i < n && !differs; i++)
			differs = 0 != memcmp(ptr[0] + i * inner[0], ptr[1] + i * inner[1], c->size);

	if (differs)
#pragma omp atomic write
		c->differs = true;
}

/** A copy without gaps on the host. */
static void *fetch(int D, const long dims[], const long strs[], const void *p, size_t size)
{
	void *host = md_alloc(D, dims, size);
	long flat[DIMS];

	md_calc_strides(D, flat, dims, size);
	md_copy2(D, dims, flat, host, strs, p, size);

	return host;
}

/** Data on a device are copied to the host. */
static bool compare_fetched(int D, const long dims[], const long astrs[], const void *a, const long bstrs[],
        const void *b, size_t size)
{
	void *x = fetch(D, dims, astrs, a, size), *y = fetch(D, dims, bstrs, b, size);
	const bool equal = md_compare(D, dims, x, y, size);

	md_free(x);
	md_free(y);

	return equal;
}

bool md_compare2(int D, const long dims[], const long astrs[], const void *a, const long bstrs[],
        const void *b, size_t size)
{
	struct comparison c = {.size = size};

	if (device_holds(a) || device_holds(b))
		return compare_fetched(D, dims, astrs, a, bstrs, b, size);

	md_nary(2, D, dims, (const long *const[]){astrs, bstrs}, (void *const[]){(void *)a, (void *)b},
	        compare_line, &c, true);

	return !c.differs;
}

bool md_compare(int D, const long dims[], const void *a, const void *b, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);

	return md_compare2(D, dims, strs, a, strs, b, size);
}

/* ---- diagonals ---- */

/** The first of the dims in flags becomes the diagonal, the others of extent 1. */
static void diagonal_dims(int D, unsigned long flags, long out[], const long dims[])
{
	int first = md_min_idx(flags);

	for (int i = 0; i < D; i++) {
		bool flagged = flags & 1ul << i;

		if (flagged && dims[i] != dims[first])
			error("a diagonal has %ld by %ld elements, expected equal extents", dims[first],
			        dims[i]);

		out[i] = (flagged && i != first) ? 1 : dims[i];
	}
}

/** Its step is the sum of theirs. */
static void diagonal_strides(int D, unsigned long flags, long out[], const long strs[])
{
	int first = md_min_idx(flags);

	md_copy_strides(D, out, strs);

	for (int i = first + 1; i < D; i++)
		if (flags & 1ul << i)
			out[first] += strs[i];
}

void md_copy_diag2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size)
{
	long d[DIMS], os[DIMS], is[DIMS];

	flags &= (1ul << D) - 1;
	diagonal_dims(D, flags, d, dims);
	diagonal_strides(D, flags, os, ostrs);
	diagonal_strides(D, flags, is, istrs);
	md_copy2(D, d, os, out, is, in, size);
}

void md_copy_diag(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy_diag2(D, dims, flags, strs, out, strs, in, size);
}

void md_fill_diag(int D, const long dims[], unsigned long flags, void *out, const void *value, size_t size)
{
	const long zeros[DIMS] = {0};
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy_diag2(D, dims, flags, strs, out, zeros, value, size);
}

/* ---- exchange ---- */

static void swap_line(void *ctx, long n, const long inner[], char *const ptr[])
{
	enum { ROOM = 1024 };
	const long size = *(const long *)ctx;
	char tmp[ROOM];

	if (size == inner[0] && size == inner[1]) { // in bytes, so that a long element has no need of room
		for (long at = 0; at < n * size; at += ROOM) {
			size_t m = (size_t)((n * size - at < ROOM) ? n * size - at : ROOM);

			memcpy(tmp, ptr[0] + at, m);
			memcpy(ptr[0] + at, ptr[1] + at, m);
			memcpy(ptr[1] + at, tmp, m);
		}

		return;
	}

	const long step[2] = {size, size};

	for (long i = 0; i < n; i++)
		swap_line(ctx, 1, step, (char *const[]){ptr[0] + i * inner[0], ptr[1] + i * inner[1]});
}

/** By way of a copy. */
static void swap_by_copy(
        int D, const long dims[], const long astrs[], void *a, const long bstrs[], void *b, size_t size)
{
	void *own = md_alloc_sameplace(D, dims, size, a);
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_copy2(D, dims, strs, own, astrs, a, size);
	md_copy2(D, dims, astrs, a, bstrs, b, size);
	md_copy2(D, dims, bstrs, b, strs, own, size);
	md_free(own);
}

void md_swap2(int D, const long dims[], const long astrs[], void *a, const long bstrs[], void *b, size_t size)
{
	long bytes = (long)size;

	if (device_holds(a) || device_holds(b)) {
		swap_by_copy(D, dims, astrs, a, bstrs, b, size);
		return;
	}

	md_nary(2, D, dims, (const long *const[]){astrs, bstrs}, (void *const[]){a, b}, swap_line, &bytes,
	        true);
}

void md_swap(int D, const long dims[], void *a, void *b, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_swap2(D, dims, strs, a, strs, b, size);
}

void md_circular_swap2(
        int M, int D, const long dims[], const long *const strs[], void *const ptr[], size_t size)
{
	for (int k = 0; k + 1 < M; k++)
		md_swap2(D, dims, strs[k], ptr[k], strs[k + 1], ptr[k + 1], size);
}

void md_circular_swap(int M, int D, const long dims[], void *const ptr[], size_t size)
{
	for (int k = 0; k + 1 < M; k++)
		md_swap(D, dims, ptr[k], ptr[k + 1], size);
}

/** Steps and first element of the array seen from the other end along the dims in flags. */
static long flip_view(int D, const long dims[], unsigned long flags, long out[], const long strs[])
{
	long first = 0;

	for (int i = 0; i < D; i++) {
		bool flipped = flags & 1ul << i;

		first += flipped ? (dims[i] - 1) * strs[i] : 0;
		out[i] = flipped ? -strs[i] : strs[i];
	}

	return first;
}

/** Exchanges each element with its mirror image once: half of a dim, then the plane in its middle. */
static void flip_in_place(
        int D, const long dims[], unsigned long flags, const long strs[], char *ptr, size_t size)
{
	long half[DIMS], mirrored[DIMS];
	int d = 0;

	while (d < D && !((flags & 1ul << d) && dims[d] > 1))
		d++;

	if (D == d)
		return;

	long first = flip_view(D, dims, flags, mirrored, strs);

	md_copy_dims(D, half, dims);
	half[d] = dims[d] / 2;
	md_swap2(D, half, strs, ptr, mirrored, ptr + first, size);

	if (0 == dims[d] % 2)
		return;

	half[d] = 1;
	flip_in_place(D, half, flags, strs, ptr + dims[d] / 2 * strs[d], size);
}

void md_swap_flip2(int D, const long dims[], unsigned long flags, const long astrs[], void *a,
        const long bstrs[], void *b, size_t size)
{
	long mirrored[DIMS];

	if (a == b) {
		flip_in_place(D, dims, flags, astrs, a, size);
		return;
	}

	long first = flip_view(D, dims, flags, mirrored, bstrs);

	md_swap2(D, dims, astrs, a, mirrored, (char *)b + first, size);
}

void md_swap_flip(int D, const long dims[], unsigned long flags, void *a, void *b, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_swap_flip2(D, dims, flags, strs, a, strs, b, size);
}

/* ---- order of elements ---- */

void md_flip2(int D, const long dims[], unsigned long flags, const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size)
{
	long mirrored[DIMS];

	if (out == in) {
		flip_in_place(D, dims, flags, ostrs, out, size);
		return;
	}

	long first = flip_view(D, dims, flags, mirrored, istrs);

	md_copy2(D, dims, ostrs, out, mirrored, (const char *)in + first, size);
}

void md_flip(int D, const long dims[], unsigned long flags, void *out, const void *in, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_flip2(D, dims, flags, strs, out, strs, in, size);
}

void md_permute2(int D, const int order[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size)
{
	long permuted[DIMS];

	if (!md_check_order_bounds(D, order))
		error("a permutation of %d dimensions must contain each dimension once", D);

	for (int i = 0; i < D; i++) {
		if (odims[i] != idims[order[i]])
			error("dimension %d of a permuted array is %ld, expected %ld", i, odims[i],
			        idims[order[i]]);

		permuted[i] = istrs[order[i]];
	}

	md_copy2(D, odims, ostrs, out, permuted, in, size);
}

void md_permute(int D, const int order[], const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_permute2(D, order, odims, ostrs, out, idims, istrs, in, size);
}

void md_transpose2(int D, int d1, int d2, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size)
{
	int order[DIMS];

	for (int i = 0; i < D; i++)
		order[i] = (i == d1) ? d2 : (i == d2) ? d1 : i;

	md_permute2(D, order, odims, ostrs, out, idims, istrs, in, size);
}

void md_transpose(
        int D, int d1, int d2, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_transpose2(D, d1, d2, odims, ostrs, out, idims, istrs, in, size);
}

/* ---- other extents of the same elements ---- */

/** The dims that input and output have in common when both are cut finely enough. */
struct refined {
	int D;
	long dims[2 * DIMS], ostrs[2 * DIMS], istrs[2 * DIMS];
};

static void refined_add(struct refined *r, long n, long ostr, long istr)
{
	r->dims[r->D] = n;
	r->ostrs[r->D] = ostr;
	r->istrs[r->D++] = istr;
}

/** The next dim in flags from d on that is not 1; D at the end. */
static int next_dim(int D, unsigned long flags, const long dims[], int d)
{
	while (d < D && (!(flags & 1ul << d) || 1 == dims[d]))
		d++;

	return d;
}

/** False when the extents along the dims in flags have no common refinement. */
static bool refine(struct refined *r, int D, unsigned long flags, const long odims[], const long ostrs[],
        const long idims[], const long istrs[])
{
	int o = next_dim(D, flags, odims, 0), i = next_dim(D, flags, idims, 0);
	long on = 1, in = 1, os = 0, is = 0; // what is left of the current dims, and its steps

	r->D = 0;

	while (on > 1 || in > 1 || o < D || i < D) {
		if (1 == on) {
			on = odims[o];
			os = ostrs[o];
			o = next_dim(D, flags, odims, o + 1);
		}

		if (1 == in) {
			in = idims[i];
			is = istrs[i];
			i = next_dim(D, flags, idims, i + 1);
		}

		long n = (on < in) ? on : in;

		if (0 != on % n || 0 != in % n)
			return false;

		refined_add(r, n, os, is);
		on /= n;
		in /= n;
		os *= n;
		is *= n;
	}

	for (int d = 0; d < D; d++)
		if (!(flags & 1ul << d) && 1 != odims[d])
			refined_add(r, odims[d], ostrs[d], istrs[d]);

	return r->D <= DIMS;
}

/** Steps of a contiguous array in which the dims in flags come first. */
static void flags_first(int D, unsigned long flags, long strs[], const long dims[], size_t size)
{
	long part[DIMS], rest[DIMS];

	md_select_dims(D, flags, part, dims);
	md_calc_strides_selected(D, flags, strs, dims, size);
	md_calc_strides_selected(D, ~flags, rest, dims, size);

	for (int i = 0; i < D; i++)
		strs[i] += rest[i] * md_calc_size(D, part);
}

void md_reshape2(int D, unsigned long flags, const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size)
{
	struct refined r;
	long strs[DIMS], n = md_calc_size(D, odims);

	if (!md_check_equal_dims(D, odims, idims, ~flags) || n != md_calc_size(D, idims))
		error("cannot reshape %ld elements to %ld, expected an equal number, and no change of other "
		      "dimensions",
		        md_calc_size(D, idims), n);

	if (0 == n)
		return;

	if (refine(&r, D, flags, odims, ostrs, idims, istrs)) {
		md_copy2(r.D, r.dims, r.ostrs, out, r.istrs, in, size);
		return;
	}

	void *tmp = md_alloc_sameplace(D, idims, size, out);

	flags_first(D, flags, strs, idims, size);
	md_copy2(D, idims, strs, tmp, istrs, in, size);
	flags_first(D, flags, strs, odims, size);
	md_copy2(D, odims, ostrs, out, strs, tmp, size);
	md_free(tmp);
}

void md_reshape(int D, unsigned long flags, const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_reshape2(D, flags, odims, ostrs, out, idims, istrs, in, size);
}

/* ---- blocks ---- */

void md_slice2(int D, unsigned long flags, const long pos[], const long dims[], const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size)
{
	long odims[DIMS], at[DIMS] = {0};

	md_select_dims(D, ~flags, odims, dims);

	for (int i = 0; i < D; i++)
		at[i] = (flags & 1ul << i) ? pos[i] : 0;

	md_copy_block2(D, at, odims, ostrs, out, dims, istrs, in, size);
}

void md_slice(int D, unsigned long flags, const long pos[], const long dims[], void *out, const void *in,
        size_t size)
{
	long odims[DIMS], ostrs[DIMS], istrs[DIMS];

	md_select_dims(D, ~flags, odims, dims);
	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, dims, size);
	md_slice2(D, flags, pos, dims, ostrs, out, istrs, in, size);
}

void md_move_block2(int D, const long dims[], const long opos[], const long odims[], const long ostrs[],
        void *out, const long ipos[], const long idims[], const long istrs[], const void *in, size_t size)
{
	for (int i = 0; i < D; i++)
		if (opos[i] < 0 || opos[i] + dims[i] > odims[i] || ipos[i] < 0 ||
		        ipos[i] + dims[i] > idims[i])
			error("cannot copy a block of %ld elements from position %ld to position %ld: "
			      "dimension %d of the arrays has %ld and %ld elements",
			        dims[i], ipos[i], opos[i], i, idims[i], odims[i]);

	md_copy2(D, dims, ostrs, (char *)out + md_calc_offset(D, ostrs, opos), istrs,
	        (const char *)in + md_calc_offset(D, istrs, ipos), size);
}

void md_move_block(int D, const long dims[], const long opos[], const long odims[], void *out,
        const long ipos[], const long idims[], const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_move_block2(D, dims, opos, odims, ostrs, out, ipos, idims, istrs, in, size);
}

void md_copy_block2(int D, const long pos[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size)
{
	long dims[DIMS], opos[DIMS], ipos[DIMS];

	for (int i = 0; i < D; i++) {
		bool cut = odims[i] <= idims[i];

		dims[i] = cut ? odims[i] : idims[i];
		ipos[i] = cut ? pos[i] : 0;
		opos[i] = cut ? 0 : pos[i];
	}

	md_move_block2(D, dims, opos, odims, ostrs, out, ipos, idims, istrs, in, size);
}

void md_copy_block(int D, const long pos[], const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_copy_block2(D, pos, odims, ostrs, out, idims, istrs, in, size);
}

/* ---- other sizes ---- */

/** Fills out where the block of an input of idims[] at pos[] does not lie: slabs from the last dim down. */
static void fill_margins(int D, const long pos[], const long odims[], char *out, const long idims[],
        const void *value, size_t size)
{
	long strs[DIMS], dims[DIMS];

	md_calc_strides(D, strs, odims, size);
	md_copy_dims(D, dims, odims);

	for (int d = D - 1; d >= 0; d--) {
		if (odims[d] <= idims[d])
			continue;

		dims[d] = pos[d];
		md_fill2(D, dims, strs, out, value, size);
		dims[d] = odims[d] - pos[d] - idims[d];
		md_fill2(D, dims, strs, out + (pos[d] + idims[d]) * strs[d], value, size);
		dims[d] = idims[d];
		out += pos[d] * strs[d];
	}
}

/** Where a block about the centre, or at the end, begins in the larger of the two. */
static void centred(int D, long pos[], const long odims[], const long idims[])
{
	for (int i = 0; i < D; i++)
		pos[i] = labs(odims[i] / 2 - idims[i] / 2);
}

static void resize_at(int D, const long pos[], const long odims[], void *out, const long idims[],
        const void *in, size_t size)
{
	void *zero = mem_calloc(1, size);

	fill_margins(D, pos, odims, out, idims, zero, size);
	md_copy_block(D, pos, odims, out, idims, in, size);
	free(zero);
}

void md_resize(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	const long pos[DIMS] = {0};

	resize_at(D, pos, odims, out, idims, in, size);
}

void md_resize_front(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long pos[DIMS];

	for (int i = 0; i < D; i++)
		pos[i] = labs(odims[i] - idims[i]);

	resize_at(D, pos, odims, out, idims, in, size);
}

void md_resize_center(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long pos[DIMS];

	centred(D, pos, odims, idims);
	resize_at(D, pos, odims, out, idims, in, size);
}

static void expect_larger(int D, const long odims[], const long idims[])
{
	for (int i = 0; i < D; i++)
		if (odims[i] < idims[i])
			error("dimension %d is padded from %ld to %ld elements, expected at least as many", i,
			        idims[i], odims[i]);
}

void md_pad(int D, const void *value, const long odims[], void *out, const long idims[], const void *in,
        size_t size)
{
	const long pos[DIMS] = {0};

	expect_larger(D, odims, idims);
	fill_margins(D, pos, odims, out, idims, value, size);
	md_copy_block(D, pos, odims, out, idims, in, size);
}

void md_pad_center(int D, const void *value, const long odims[], void *out, const long idims[],
        const void *in, size_t size)
{
	long pos[DIMS];

	expect_larger(D, odims, idims);
	centred(D, pos, odims, idims);
	fill_margins(D, pos, odims, out, idims, value, size);
	md_copy_block(D, pos, odims, out, idims, in, size);
}

/** A copy put together dim by dim. */
struct mirror {
	int D;
	const long *ostrs, *idims, *istrs;
	long dims[DIMS], strs[DIMS];
	size_t size;
};

/** Elements [first[d], first[d] + n[d]) of the mirrored continuation, dim d and below: runs of one period,
 * every second one backwards. */
static void mirror_dim(struct mirror *m, int d, const long first[], const long n[], char *out, const char *in)
{
	if (d < 0) {
		md_copy2(m->D, m->dims, m->ostrs, out, m->strs, in, m->size);
		return;
	}

	long period = m->idims[d];

	for (long k = 0; k < n[d]; k += m->dims[d]) {
		long at = first[d] + k;
		long run = (at >= 0) ? at / period : -((period - 1 - at) / period); // floor
		long within = at - run * period;
		bool back = 0 != run % 2;

		m->dims[d] = (n[d] - k < period - within) ? n[d] - k : period - within;
		m->strs[d] = back ? -m->istrs[d] : m->istrs[d];

		long here = m->dims[d];

		mirror_dim(m, d - 1, first, n, out + k * m->ostrs[d],
		        in + (back ? period - 1 - within : within) * m->istrs[d]);
		m->dims[d] = here;
	}
}

void md_reflectpad_center2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size)
{
	struct mirror m = {.D = D, .ostrs = ostrs, .idims = idims, .istrs = istrs, .size = size};
	long first[DIMS];

	expect_larger(D, odims, idims);

	if (0 == md_calc_size(D, idims))
		return;

	for (int i = 0; i < D; i++)
		first[i] = idims[i] / 2 - odims[i] / 2;

	mirror_dim(&m, D - 1, first, odims, out, in);
}

void md_reflectpad_center(
        int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_reflectpad_center2(D, odims, ostrs, out, idims, istrs, in, size);
}

/* ---- periodic ---- */

/** out[i] = in[(i + first) modulo n]. */
static void periodic(int D, const long first[], const long odims[], const long ostrs[], void *out,
        const long idims[], const long istrs[], const void *in, size_t size)
{
	struct periodic_dim p[DIMS];

	if (0 == md_calc_size(D, odims))
		return;

	for (int i = 0; i < D; i++) {
		long n = idims[i];

		if (0 == n)
			error("cannot repeat 0 elements to %ld, expected at least one element", odims[i]);

		p[i] = (struct periodic_dim){.str = istrs[i], .first = (first[i] % n + n) % n, .period = n};
	}

	periodic_copy(D, odims, ostrs, out, p, in, size);
}

void md_circ_shift2(int D, const long dims[], const long shift[], const long ostrs[], void *out,
        const long istrs[], const void *in, size_t size)
{
	long first[DIMS];

	for (int i = 0; i < D; i++)
		first[i] = (0 == dims[i]) ? 0 : -(shift[i] % dims[i]);

	periodic(D, first, dims, ostrs, out, dims, istrs, in, size);
}

void md_circ_shift(int D, const long dims[], const long shift[], void *out, const void *in, size_t size)
{
	long strs[DIMS];

	md_calc_strides(D, strs, dims, size);
	md_circ_shift2(D, dims, shift, strs, out, strs, in, size);
}

void md_periodic2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size)
{
	const long first[DIMS] = {0};

	periodic(D, first, odims, ostrs, out, idims, istrs, in, size);
}

void md_periodic(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_periodic2(D, odims, ostrs, out, idims, istrs, in, size);
}

void md_circ_ext2(int D, const long odims[], const long ostrs[], void *out, const long idims[],
        const long istrs[], const void *in, size_t size)
{
	for (int i = 0; i < D; i++)
		if (odims[i] < idims[i] || odims[i] > 2 * idims[i])
			error("dimension %d is extended from %ld to %ld elements, expected 1 to 2 times as "
			      "many",
			        i, idims[i], odims[i]);

	md_periodic2(D, odims, ostrs, out, idims, istrs, in, size);
}

void md_circ_ext(int D, const long odims[], void *out, const long idims[], const void *in, size_t size)
{
	long ostrs[DIMS], istrs[DIMS];

	md_calc_strides(D, ostrs, odims, size);
	md_calc_strides(D, istrs, idims, size);
	md_circ_ext2(D, odims, ostrs, out, idims, istrs, in, size);
}

/* ---- masks ---- */

void md_mask_compress(int D, const long dims[], uint32_t words[], const float *mask)
{
	long n = md_calc_size(D, dims);

	for (long w = 0; w < (n + 31) / 32; w++) {
		words[w] = 0;

		for (long i = 32 * w; i < n && i < 32 * (w + 1); i++)
			words[w] |= (uint32_t)(0.f != mask[i]) << i % 32;
	}
}

void md_mask_decompress(int D, const long dims[], float *mask, const uint32_t words[])
{
	long n = md_calc_size(D, dims);

	for (long i = 0; i < n; i++)
		mask[i] = (float)(words[i / 32] >> i % 32 & 1);
}
