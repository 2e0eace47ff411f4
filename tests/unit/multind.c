/* Dims, strides, loops in normal form, and moved data, each against plain nested loops. */

#include <omp.h>
#include <stdint.h>

#include "check.h"
#include "num/md/multind.h"
#include "strided.h"

static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void fill_random(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)pick(256);
}

static void test_dims(void)
{
	const long dims[] = {3, 1, 5, 2};
	long strs[4], pos[4] = {2, 0, 4, 1}, sel[4];

	md_calc_strides(4, strs, dims, 4);
	check(30 == md_calc_size(4, dims) && 1 == md_calc_size(0, dims), "size: product of the dims");
	check(4 == strs[0] && 0 == strs[1] && 12 == strs[2] && 60 == strs[3], "strides: 0 for dims of 1");
	check(116 == md_calc_offset(4, strs, pos), "offset of the last element");
	md_select_dims(4, 1 | 8, sel, dims);
	check(3 == sel[0] && 1 == sel[1] && 1 == sel[2] && 2 == sel[3], "select: the others become 1");
	check(md_check_broadcast(4, dims, sel) && !md_check_broadcast(4, sel, dims),
	        "broadcast: only from 1");
	check(md_check_equal_dims(4, dims, sel, 1 | 2 | 8) && !md_check_equal_dims(4, dims, sel, 4),
	        "equal dims: of the flags");

	long n = 0, at[4] = {0};

	do
		n++;
	while (md_next(4, dims, 4 | 8, at));
	check(10 == n && 0 == at[2] && 0 == at[3], "next: visits the dims in flags and ends at 0");
}

static void test_simplify(void)
{
	const long dims[] = {4, 1, 6, 5};
	long d[4], s[2][DIMS];

	md_copy_dims(4, d, dims);
	md_calc_strides(4, s[0], dims, 4);
	md_calc_strides(4, s[1], dims, 8);
	check(1 == md_simplify(2, 4, d, s) && 120 == d[0] && 4 == s[0][0] && 8 == s[1][0],
	        "simplify: contiguous arrays become one line");

	md_copy_dims(4, d, dims);
	md_calc_strides(4, s[0], dims, 4);
	md_copy_dims(4, s[1], (long[]){0, 0, 0, 4});
	check(2 == md_simplify(2, 4, d, s) && 24 == d[0] && 5 == d[1] && 0 == s[1][0] && 4 == s[1][1],
	        "simplify: repeated neighbours merge");

	md_copy_dims(2, d, (long[]){7, 3});
	md_copy_dims(2, s[0], (long[]){12, 4});
	check(1 == md_simplify(1, 2, d, s) && 21 == d[0] && 4 == s[0][0], "simplify: sorts before merging");

	md_copy_dims(2, d, (long[]){1, 1});
	check(0 == md_simplify(1, 2, d, s), "simplify: one element has no dims");
}

/* Counts visits of each element of a contiguous array; the second operand holds the same address. */
static void visit(void *ctx, long n, const long inner[], char *const ptr[])
{
	(void)ctx;

	for (long i = 0; i < n; i++)
		*(int *)(ptr[0] + i * inner[0]) += 1 + (ptr[0] + i * inner[0] != ptr[1] + i * inner[1]);
}

static void test_nary(void)
{
	bool good = true;

	for (int round = 0; round < 60; round++) {
		long dims[DIMS], strs[DIMS];
		int D = random_dims(dims, 5, round < 50 ? 9 : 30);
		long n = md_calc_size(D, dims);
		int *seen = md_calloc(D, dims, sizeof *seen);

		if (n > 1 << 20) {
			md_free(seen);
			continue;
		}

		md_calc_strides(D, strs, dims, sizeof *seen);
		omp_set_num_threads(1 + round % 7);
		md_nary(2, D, dims, (const long *const[]){strs, strs}, (void *const[]){seen, seen}, visit,
		        NULL, round % 2);

		for (long i = 0; i < n; i++)
			good = good && 1 == seen[i];

		md_free(seen);
	}

	check(good, "nary: each element once, with the right neighbours");
}

/* copy2 of random strides against a loop over positions; elements beyond the output stay. */
static bool copy_once(int D, const long dims[], size_t size)
{
	struct strided out = strided_make(D, dims, size, false), in = strided_make(D, dims, size, true);
	char *before = mem_alloc(out.bytes);
	long pos[DIMS] = {0};

	fill_random(in.buffer, in.bytes);
	fill_random(out.buffer, out.bytes);
	memcpy(before, out.buffer, out.bytes);
	md_copy2(D, dims, out.strs, out.first, in.strs, in.first, size);

	do
		memcpy(before + (strided_at(&out, D, pos) - out.buffer), strided_at(&in, D, pos), size);
	while (md_next(D, dims, ~0ul, pos));

	bool good = 0 == memcmp(before, out.buffer, out.bytes);

	free(before);
	free(in.buffer);
	free(out.buffer);
	return good;
}

static void test_copy(void)
{
	bool good = true;

	for (int round = 0; round < 20000; round++) {
		long dims[DIMS];
		int D = random_dims(dims, 4, (round % 50) ? 6 : 24);

		omp_set_num_threads(1 + round % 3);
		good = good && copy_once(D, dims, sizes[round % SIZES]);
	}

	check(good, "copy2: any order of dims, gaps, negative and zero steps, every size of element");

	for (int k = 0; k < 3; k++) {
		const long n[3][2] = {{2047, 65}, {2049, 130}, {63, 4097}};

		check(copy_once(2, n[k], 4), "copy2: %ld x %ld elements", n[k][0], n[k][1]);
	}
}

static void test_transpose(void)
{
	const long shapes[][3] = {{2047, 2049, 1}, {1, 4097, 3}, {70, 3, 129}, {64, 64, 64}};

	for (int k = 0; k < 4; k++) {
		const long *d = shapes[k];
		const long t[3] = {d[2], d[1], d[0]};
		uint32_t *in = md_alloc(3, d, 4), *out = md_alloc(3, d, 4), *back = md_alloc(3, d, 4);
		bool good = true;

		for (long i = 0; i < md_calc_size(3, d); i++)
			in[i] = (uint32_t)i;

		md_transpose(3, 0, 2, t, out, d, in, 4);

		for (long z = 0; z < d[2]; z++)
			for (long y = 0; y < d[1]; y++)
				for (long x = 0; x < d[0]; x++)
					good = good && out[z + d[2] * (y + d[1] * x)] ==
					                       in[x + d[0] * (y + d[1] * z)];

		md_transpose(3, 2, 0, d, back, t, out, 4);
		check(good && md_compare(3, d, in, back, 4), "transpose: %ld x %ld x %ld and back", d[0],
		        d[1], d[2]);
		md_free(in);
		md_free(out);
		md_free(back);
	}

	const long d[] = {2, 3, 4}, p[] = {4, 2, 3};
	const int order[] = {2, 0, 1};
	char in[24], out[24];
	bool good = true;

	for (int i = 0; i < 24; i++)
		in[i] = (char)i;

	md_permute(3, order, p, out, d, in, 1);

	for (int z = 0; z < 4; z++)
		for (int y = 0; y < 3; y++)
			for (int x = 0; x < 2; x++)
				good = good && out[z + 4 * (x + 2 * y)] == in[x + 2 * (y + 3 * z)];

	check(good, "permute: output dim i is input dim order[i]");
}

static void test_fill(void)
{
	bool good = true;

	for (int round = 0; round < 200; round++) {
		long dims[DIMS], pos[DIMS] = {0};
		int D = random_dims(dims, 4, 9);
		size_t size = sizes[round % SIZES];
		struct strided a = strided_make(D, dims, size, false);
		char *expected = mem_alloc(a.bytes), value[16];

		fill_random(a.buffer, a.bytes);
		fill_random(value, sizeof value);
		memcpy(expected, a.buffer, a.bytes);
		md_fill2(D, dims, a.strs, a.first, value, size);

		do
			memcpy(expected + (strided_at(&a, D, pos) - a.buffer), value, size);
		while (md_next(D, dims, ~0ul, pos));

		good = good && 0 == memcmp(expected, a.buffer, a.bytes);
		free(expected);
		free(a.buffer);
	}

	check(good, "fill2: every element of the array and nothing else");

	const long n[] = {4097};
	double big[4097];

	md_fill(1, n, big, &(double){2.5}, sizeof big[0]);
	good = 2.5 == big[0] && 2.5 == big[4096];
	md_clear(1, n, big, sizeof big[0]);
	check(good && 0. == big[0] && 0. == big[4096], "fill and clear: 4097 elements");
}

static void test_rearrange(void)
{
	const long d[] = {5, 4, 3}, shift[] = {2, -1, 6};
	short in[60], out[60], back[60];
	bool good = true;

	for (int i = 0; i < 60; i++)
		in[i] = (short)(i + 1);

	md_flip(3, d, 1 | 4, out, in, 2);

	for (int i = 0; i < 60; i++)
		good = good && out[i] == in[4 - i % 5 + 5 * (i / 5 % 4) + 20 * (2 - i / 20)];

	md_flip(3, d, 1 | 4, back, out, 2);
	check(good && md_compare(3, d, in, back, 2), "flip: reversed dims; twice is nothing");

	good = true;
	md_circ_shift(3, d, shift, out, in, 2);

	for (int i = 0; i < 60; i++)
		good = good && in[i] == out[(i % 5 + 2) % 5 + 5 * ((i / 5 + 3) % 4) + 20 * (i / 20)];

	check(good, "circ_shift: element i goes to i + shift, modulo the size");

	const long pos[] = {1, 2, 2}, one[] = {5, 1, 3};

	good = true;
	md_slice(3, 2, pos, d, out, in, 2);

	for (int z = 0; z < 3; z++)
		for (int x = 0; x < 5; x++)
			good = good && out[x + 5 * z] == in[x + 5 * 2 + 20 * z];

	check(good, "slice: the position along the flagged dims, all of the others");

	md_clear(3, d, back, 2);
	md_copy_block(3, (const long[]){0, 2, 0}, d, back, one, out, 2);
	good = back[10] == in[10] && back[50 + 4] == in[54] && 0 == back[0] && 0 == back[15];
	check(good, "copy_block: puts back what slice took");
}

static void test_resize(void)
{
	const long d[] = {5, 4};
	short in[20], out[64];

	for (int i = 0; i < 20; i++)
		in[i] = (short)(i + 1);

	for (long nx = 1; nx <= 8; nx++) {
		const long o[] = {nx, 7};
		bool end = true, centre = true;

		memset(out, 0xff, sizeof out);
		md_resize(2, o, out, d, in, 2);

		for (long y = 0; y < 7; y++)
			for (long x = 0; x < nx; x++)
				end = end && out[x + nx * y] == (x < 5 && y < 4 ? in[x + 5 * y] : 0);

		memset(out, 0xff, sizeof out);
		md_resize_center(2, o, out, d, in, 2);

		for (long y = 0; y < 7; y++)
			for (long x = 0; x < nx; x++) {
				long i = x - nx / 2 + 2, j = y - 3 + 2;
				bool inside = 0 <= i && i < 5 && 0 <= j && j < 4;

				centre = centre && out[x + nx * y] == (inside ? in[i + 5 * j] : 0);
			}

		check(end && centre, "resize: 5 x 4 to %ld x 7, at the end and about n/2", nx);
	}
}

/* ---- every function that moves data, against its definition: where element `o` of the output comes from
 * ---- */

struct job {
	int D;
	size_t size;
	unsigned long flags;
	int order[DIMS];
	long idims[DIMS], odims[DIMS];
	long pos[DIMS], opos[DIMS], block[DIMS];
	struct strided out, in;
	char value[16];
};

struct move {
	const char *name;
	bool strided; // has a form with steps
	void (*draw)(struct job *);
	void (*call)(struct job *);
	/** False: the element keeps what it had, or has the value. */
	bool (*source)(const struct job *, const long o[], long i[]);
	bool fills; // elements without a source have the value
};

static void draw_same(struct job *j)
{
	md_copy_dims(j->D, j->odims, j->idims);
}

static bool source_same(const struct job *j, const long o[], long i[])
{
	md_copy_dims(j->D, i, o);

	return true;
}

static void call_copy(struct job *j)
{
	md_copy2(j->D, j->odims, j->out.strs, j->out.first, j->in.strs, j->in.first, j->size);
}

static void call_copy_plain(struct job *j)
{
	md_copy(j->D, j->odims, j->out.first, j->in.first, j->size);
}

static void call_flip(struct job *j)
{
	md_flip2(j->D, j->idims, j->flags, j->out.strs, j->out.first, j->in.strs, j->in.first, j->size);
}

static bool source_flip(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = (j->flags & 1ul << d) ? j->idims[d] - 1 - o[d] : o[d];

	return true;
}

static void draw_permute(struct job *j)
{
	for (int d = 0; d < j->D; d++)
		j->order[d] = d;

	for (int d = j->D - 1; d > 0; d--) {
		int k = (int)pick(d + 1), t = j->order[d];

		j->order[d] = j->order[k];
		j->order[k] = t;
	}

	md_permute_dims(j->D, j->order, j->odims, j->idims);
}

static void call_permute(struct job *j)
{
	md_permute2(j->D, j->order, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first,
	        j->size);
}

static bool source_permute(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[j->order[d]] = o[d];

	return true;
}

static void draw_transpose(struct job *j)
{
	for (int d = 0; d < j->D; d++)
		j->order[d] = d;

	if (j->D > 0) {
		int a = (int)pick(j->D), b = (int)pick(j->D);

		j->order[a] = b;
		j->order[b] = a;
		j->pos[0] = a;
		j->pos[1] = b;
	}

	md_permute_dims(j->D, j->order, j->odims, j->idims);
}

static void call_transpose(struct job *j)
{
	md_transpose2(j->D, (int)j->pos[0], (int)j->pos[1], j->odims, j->out.strs, j->out.first, j->idims,
	        j->in.strs, j->in.first, j->size);
}

static void draw_slice(struct job *j)
{
	md_select_dims(j->D, ~j->flags, j->odims, j->idims);

	for (int d = 0; d < j->D; d++)
		j->pos[d] = pick(j->idims[d]);
}

static void call_slice(struct job *j)
{
	md_slice2(j->D, j->flags, j->pos, j->idims, j->out.strs, j->out.first, j->in.strs, j->in.first,
	        j->size);
}

static bool source_slice(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = (j->flags & 1ul << d) ? j->pos[d] : o[d];

	return true;
}

static void draw_block(struct job *j)
{
	for (int d = 0; d < j->D; d++) {
		long n = j->idims[d];

		j->odims[d] = 1 + pick(2 * n);
		j->pos[d] = pick(labs(j->odims[d] - n) + 1);
	}
}

static void call_copy_block(struct job *j)
{
	md_copy_block2(j->D, j->pos, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first,
	        j->size);
}

static bool source_copy_block(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = o[d] + ((j->odims[d] <= j->idims[d]) ? j->pos[d] : -j->pos[d]);

	return md_is_index(j->D, i, j->idims);
}

static void draw_move_block(struct job *j)
{
	for (int d = 0; d < j->D; d++) {
		j->odims[d] = 1 + pick(8);

		long least = (j->odims[d] < j->idims[d]) ? j->odims[d] : j->idims[d];

		j->block[d] = 1 + pick(least);
		j->pos[d] = pick(j->idims[d] - j->block[d] + 1);
		j->opos[d] = pick(j->odims[d] - j->block[d] + 1);
	}
}

static void call_move_block(struct job *j)
{
	md_move_block2(j->D, j->block, j->opos, j->odims, j->out.strs, j->out.first, j->pos, j->idims,
	        j->in.strs, j->in.first, j->size);
}

static bool source_move_block(const struct job *j, const long o[], long i[])
{
	long at[DIMS];

	for (int d = 0; d < j->D; d++) {
		at[d] = o[d] - j->opos[d];
		i[d] = at[d] + j->pos[d];
	}

	return md_is_index(j->D, at, j->block);
}

static void draw_diag(struct job *j)
{
	int first = md_min_idx(j->flags & ((1ul << j->D) - 1));

	for (int d = 0; d < j->D; d++)
		if (j->flags & 1ul << d)
			j->idims[d] = j->idims[first];

	draw_same(j);
}

static void call_copy_diag(struct job *j)
{
	md_copy_diag2(j->D, j->idims, j->flags, j->out.strs, j->out.first, j->in.strs, j->in.first, j->size);
}

static bool source_diag(const struct job *j, const long o[], long i[])
{
	int first = md_min_idx(j->flags & ((1ul << j->D) - 1));

	md_copy_dims(j->D, i, o);

	for (int d = 0; d < j->D; d++)
		if ((j->flags & 1ul << d) && o[d] != o[first])
			return false;

	return true;
}

static void draw_shift(struct job *j)
{
	draw_same(j);

	for (int d = 0; d < j->D; d++)
		j->pos[d] = pick(5 * j->idims[d]) - 2 * j->idims[d];
}

static void call_shift(struct job *j)
{
	md_circ_shift2(j->D, j->idims, j->pos, j->out.strs, j->out.first, j->in.strs, j->in.first, j->size);
}

static bool source_shift(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = (o[d] - j->pos[d] + 4 * j->idims[d]) % j->idims[d];

	return true;
}

static void draw_larger(struct job *j)
{
	for (int d = 0; d < j->D; d++)
		j->odims[d] = j->idims[d] + pick(2 * j->idims[d] + 2);
}

static void draw_any(struct job *j)
{
	for (int d = 0; d < j->D; d++)
		j->odims[d] = 1 + pick(2 * j->idims[d] + 2);
}

static void draw_twice(struct job *j)
{
	for (int d = 0; d < j->D; d++)
		j->odims[d] = j->idims[d] + pick(j->idims[d] + 1);
}

static void call_periodic(struct job *j)
{
	md_periodic2(j->D, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first, j->size);
}

static void call_circ_ext(struct job *j)
{
	md_circ_ext2(j->D, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first, j->size);
}

static bool source_periodic(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = o[d] % j->idims[d];

	return true;
}

static void call_reflect(struct job *j)
{
	md_reflectpad_center2(
	        j->D, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first, j->size);
}

static bool source_reflect(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++) {
		long n = j->idims[d], at = o[d] - j->odims[d] / 2 + n / 2;

		while (at < 0 || at >= n)
			at = (at < 0) ? -1 - at : 2 * n - 1 - at;

		i[d] = at;
	}

	return true;
}

static void call_resize(struct job *j)
{
	md_resize(j->D, j->odims, j->out.first, j->idims, j->in.first, j->size);
}

static void call_pad(struct job *j)
{
	md_pad(j->D, j->value, j->odims, j->out.first, j->idims, j->in.first, j->size);
}

static bool source_resize(const struct job *j, const long o[], long i[])
{
	md_copy_dims(j->D, i, o);

	return md_is_index(j->D, i, j->idims);
}

static void call_resize_front(struct job *j)
{
	md_resize_front(j->D, j->odims, j->out.first, j->idims, j->in.first, j->size);
}

static bool source_resize_front(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = o[d] + j->idims[d] - j->odims[d];

	return md_is_index(j->D, i, j->idims);
}

static void call_resize_center(struct job *j)
{
	md_resize_center(j->D, j->odims, j->out.first, j->idims, j->in.first, j->size);
}

static void call_pad_center(struct job *j)
{
	md_pad_center(j->D, j->value, j->odims, j->out.first, j->idims, j->in.first, j->size);
}

static bool source_center(const struct job *j, const long o[], long i[])
{
	for (int d = 0; d < j->D; d++)
		i[d] = o[d] - j->odims[d] / 2 + j->idims[d] / 2;

	return md_is_index(j->D, i, j->idims);
}

/** Other extents along the dims in flags: factors are dealt out anew, so some need a temporary copy. */
static void draw_reshape(struct job *j)
{
	long n = 1;
	int last = -1;

	draw_same(j);

	for (int d = 0; d < j->D; d++)
		if (j->flags & 1ul << d) {
			n *= j->idims[d];
			last = d;
		}

	for (int d = 0; d < last; d++) {
		if (!(j->flags & 1ul << d))
			continue;

		long f = 1 + pick(12);

		while (0 != n % f)
			f--;

		j->odims[d] = f;
		n /= f;
	}

	if (last >= 0)
		j->odims[last] = n;
}

static void call_reshape(struct job *j)
{
	md_reshape2(j->D, j->flags, j->odims, j->out.strs, j->out.first, j->idims, j->in.strs, j->in.first,
	        j->size);
}

static bool source_reshape(const struct job *j, const long o[], long i[])
{
	md_copy_dims(j->D, i, o);
	md_unravel_index(j->D, i, j->flags, j->idims, md_ravel_index(j->D, o, j->flags, j->odims));

	return true;
}

static const struct move moves[] = {
        {"copy2", true, draw_same, call_copy, source_same, false},
        {"copy", false, draw_same, call_copy_plain, source_same, false},
        {"flip2", true, draw_same, call_flip, source_flip, false},
        {"permute2", true, draw_permute, call_permute, source_permute, false},
        {"transpose2", true, draw_transpose, call_transpose, source_permute, false},
        {"slice2", true, draw_slice, call_slice, source_slice, false},
        {"copy_block2", true, draw_block, call_copy_block, source_copy_block, false},
        {"move_block2", true, draw_move_block, call_move_block, source_move_block, false},
        {"copy_diag2", true, draw_diag, call_copy_diag, source_diag, false},
        {"circ_shift2", true, draw_shift, call_shift, source_shift, false},
        {"periodic2", true, draw_any, call_periodic, source_periodic, false},
        {"circ_ext2", true, draw_twice, call_circ_ext, source_periodic, false},
        {"reflectpad_center2", true, draw_larger, call_reflect, source_reflect, false},
        {"reshape2", true, draw_reshape, call_reshape, source_reshape, false},
        {"resize", false, draw_any, call_resize, source_resize, true},
        {"resize_front", false, draw_any, call_resize_front, source_resize_front, true},
        {"resize_center", false, draw_any, call_resize_center, source_center, true},
        {"pad", false, draw_larger, call_pad, source_resize, true},
        {"pad_center", false, draw_larger, call_pad_center, source_center, true},
};

static struct strided plain_array(int D, const long dims[], size_t size)
{
	struct strided a = {.bytes = (size_t)md_calc_size(D, dims) * size};

	md_calc_strides(D, a.strs, dims, size);
	a.first = a.buffer = mem_alloc(a.bytes);

	return a;
}

static bool move_once(const struct move *m, size_t size)
{
	struct job j = {.size = size};
	long pos[DIMS] = {0};

	j.D = random_dims(j.idims, 4, 7);
	j.flags = (unsigned long)pick(1 << j.D);
	m->draw(&j);
	j.in = m->strided ? strided_make(j.D, j.idims, size, true) : plain_array(j.D, j.idims, size);
	j.out = m->strided ? strided_make(j.D, j.odims, size, false) : plain_array(j.D, j.odims, size);
	fill_random(j.in.buffer, j.in.bytes);
	fill_random(j.out.buffer, j.out.bytes);

	if (NULL != strstr(m->name, "pad"))
		fill_random(j.value, sizeof j.value);

	char *want = mem_alloc(j.out.bytes);

	memcpy(want, j.out.buffer, j.out.bytes);
	m->call(&j);

	do {
		long at[DIMS];
		char *to = want + (strided_at(&j.out, j.D, pos) - j.out.buffer);

		if (m->source(&j, pos, at))
			memcpy(to, strided_at(&j.in, j.D, at), size);
		else if (m->fills)
			memcpy(to, j.value, size);
	} while (md_next(j.D, j.odims, ~0ul, pos));

	bool good = 0 == memcmp(want, j.out.buffer, j.out.bytes);

	free(want);
	free(j.in.buffer);
	free(j.out.buffer);
	return good;
}

static void test_moves(void)
{
	enum { MOVES = sizeof moves / sizeof moves[0], ROUNDS = 3500 };

	for (int k = 0; k < MOVES; k++) {
		bool good = true;

		for (int round = 0; round < fewer(ROUNDS); round++) {
			omp_set_num_threads(1 + round % 3);
			good = good && move_once(&moves[k], sizes[round % SIZES]);
		}

		check(good, "%s: %ld random cases against its definition", moves[k].name, fewer(ROUNDS));
	}
}

static void test_swap(void)
{
	bool swap = true, flip = true, in_place = true, circular = true;

	for (int round = 0; round < 2000; round++) {
		long dims[DIMS], pos[DIMS] = {0};
		int D = random_dims(dims, 4, 6);
		size_t size = sizes[round % SIZES];
		unsigned long flags = (unsigned long)pick(1 << D);
		struct strided x[3], was[3];

		for (int k = 0; k < 3; k++) {
			x[k] = was[k] = strided_make(D, dims, size, false);
			fill_random(x[k].buffer, x[k].bytes);
			was[k].buffer = mem_alloc(x[k].bytes);
			memcpy(was[k].buffer, x[k].buffer, x[k].bytes);
			was[k].first = was[k].buffer + (x[k].first - x[k].buffer);
		}

		int kind = round % 4;

		if (0 == kind)
			md_swap2(D, dims, x[0].strs, x[0].first, x[1].strs, x[1].first, size);
		else if (1 == kind)
			md_swap_flip2(D, dims, flags, x[0].strs, x[0].first, x[1].strs, x[1].first, size);
		else if (2 == kind)
			md_flip2(D, dims, flags, x[0].strs, x[0].first, x[0].strs, x[0].first, size);
		else
			md_circular_swap2(3, D, dims, (const long *const[]){x[0].strs, x[1].strs, x[2].strs},
			        (void *const[]){x[0].first, x[1].first, x[2].first}, size);

		do {
			long m[DIMS];

			for (int d = 0; d < D; d++)
				m[d] = (flags & 1ul << d) ? dims[d] - 1 - pos[d] : pos[d];

#define SAME(k, p, l, q) (0 == memcmp(strided_at(&x[k], D, p), strided_at(&was[l], D, q), size))
			if (0 == kind)
				swap = swap && SAME(0, pos, 1, pos) && SAME(1, pos, 0, pos);
			else if (1 == kind)
				flip = flip && SAME(0, pos, 1, m) && SAME(1, pos, 0, m);
			else if (2 == kind)
				in_place = in_place && SAME(0, pos, 0, m);
			else
				circular = circular && SAME(0, pos, 1, pos) && SAME(1, pos, 2, pos) &&
				           SAME(2, pos, 0, pos);
		} while (md_next(D, dims, ~0ul, pos));

		for (int k = 0; k < 3; k++) {
			free(x[k].buffer);
			free(was[k].buffer);
		}
	}

	check(swap, "swap2: each gets the other's elements");
	check(flip, "swap_flip2: and backwards");
	check(in_place, "flip2: in place");
	check(circular, "circular_swap2: each gets the next one's elements");
}

static void test_compare(void)
{
	bool good = true;

	for (int round = 0; round < 2000; round++) {
		long dims[DIMS], pos[DIMS];
		int D = random_dims(dims, 4, 6);
		size_t size = sizes[round % SIZES];
		struct strided a = strided_make(D, dims, size, false), b = strided_make(D, dims, size, false);

		fill_random(a.buffer, a.bytes);
		fill_random(b.buffer, b.bytes);
		md_copy2(D, dims, a.strs, a.first, b.strs, b.first, size);
		good = good && md_compare2(D, dims, a.strs, a.first, b.strs, b.first, size);

		for (int d = 0; d < D; d++)
			pos[d] = pick(dims[d]);

		strided_at(&a, D, pos)[pick((long)size)] ^= 1;
		good = good && !md_compare2(D, dims, a.strs, a.first, b.strs, b.first, size);
		free(a.buffer);
		free(b.buffer);
	}

	check(good, "compare2: equal bytes, one bit of difference");
}

static void running_sum(void *ctx, long n, long step, void *line)
{
	(void)ctx;

	for (long i = 1; i < n; i++)
		*(int *)((char *)line + i * step) += *(int *)((char *)line + (i - 1) * step);
}

static void count_position(void *ctx, const long pos[])
{
	int *seen = ctx;

#pragma omp atomic
	seen[pos[0] + 4 * (pos[1] + 3 * pos[2])]++;
}

static void test_loops(void)
{
	const long dims[] = {4, 3, 5};
	const int order[] = {2, 0, 1};
	int x[60], y[60] = {0}, seen[60] = {0};
	bool good = true;

	for (int i = 0; i < 60; i++)
		x[i] = i % 7;

	for (int i = 0; i < 60; i++)
		for (int a = 0; a <= i % 4; a++)
			for (int c = 0; c <= i / 12; c++)
				y[i] += (a + 4 * (i / 4 % 3) + 12 * c) % 7;

	md_septrafo(3, dims, 1 | 4, x, sizeof x[0], running_sum, NULL);
	check(0 == memcmp(x, y, sizeof x), "septrafo: a line function along two of three dims");

	md_loop(3, dims, count_position, seen);
	md_parallel_loop(3, dims, count_position, seen);

	for (int i = 0; i < 60; i++)
		good = good && 2 == seen[i];

	check(good, "loop, parallel_loop: each position once");

	long pos[3] = {0}, n = 0;

	good = true;

	do {
		good = good && n == md_ravel_index_permuted(3, pos, 5, dims, order);
		n++;
	} while (md_next_permuted(3, order, dims, 5, pos));

	check(good && 20 == n, "next_permuted: in the order of ravel_index_permuted");
}

static void test_indices(void)
{
	bool good = true;

	for (int round = 0; round < 5000; round++) {
		long dims[DIMS], pos[DIMS] = {0}, back[DIMS] = {0}, part[DIMS];
		int D = random_dims(dims, 5, 6), order[DIMS];
		unsigned long flags = (unsigned long)pick(1 << D), other = (unsigned long)pick(1 << D);

		for (int d = 0; d < D; d++) {
			pos[d] = (flags & 1ul << d) ? pick(dims[d]) : 0;
			order[d] = D - 1 - d;
		}

		long index = md_ravel_index(D, pos, flags, dims), reversed;

		md_select_dims(D, flags, part, dims);
		good = good && 0 <= index && index < md_calc_size(D, part) && md_is_index(D, pos, dims);
		md_unravel_index(D, back, flags, dims, index);
		good = good && md_check_equal_dims(D, pos, back, ~0ul);
		reversed = md_ravel_index_permuted(D, pos, flags, dims, order);
		md_unravel_index_permuted(D, back, flags, dims, reversed, order);
		good = good && md_check_equal_dims(D, pos, back, ~0ul);
		good = good &&
		       md_reravel_index(D, other, flags, dims, index) == md_ravel_index(D, pos, other, dims);
	}

	check(good, "ravel, unravel, reravel, permuted: there and back");
	check(-1 == md_max_idx(0) && -1 == md_min_idx(0) && 5 == md_max_idx(0x2c) && 2 == md_min_idx(0x2c),
	        "max_idx, min_idx: of a mask");
	check(!md_is_index(2, (const long[]){2, 3}, (const long[]){2, 4}) &&
	                !md_is_index(1, (const long[]){-1}, (const long[]){2}),
	        "is_index: not outside");
}

static void test_algebra(void)
{
	const long a[4] = {3, 1, 5, 2}, b[4] = {1, 4, 5, 1}, strs[4] = {4, 0, 12, 60};
	const int order[4] = {2, 0, 3, 1};
	long out[4];
	int inverse[4];

	md_merge_dims(4, out, a, b);
	check(md_check_equal_dims(4, out, (const long[]){3, 4, 5, 2}, ~0ul), "merge_dims");
	md_min_dims(4, 3, out, a, b);
	check(md_check_equal_dims(4, out, (const long[]){1, 1, 5, 2}, ~0ul), "min_dims: in the flags");
	md_max_dims(4, 3, out, a, b);
	check(md_check_equal_dims(4, out, (const long[]){3, 4, 5, 2}, ~0ul), "max_dims: in the flags");
	md_permute_dims(4, order, out, a);
	check(md_check_equal_dims(4, out, (const long[]){5, 3, 2, 1}, ~0ul), "permute_dims");
	md_transpose_dims(4, 0, 2, out, a);
	check(md_check_equal_dims(4, out, (const long[]){5, 1, 3, 2}, ~0ul), "transpose_dims");
	md_permute_invert(4, inverse, order);
	check(md_check_equal_order(4, inverse, (const int[]){1, 3, 0, 2}), "permute_invert");
	check(0x6 == md_permute_flags(4, order, 0x9), "permute_flags");
	check(0xd == md_nontriv_dims(4, a) && 0xd == md_nontriv_strides(4, strs), "nontriv");
	md_select_strides(4, 5, out, strs);
	check(md_check_equal_dims(4, out, (const long[]){4, 0, 12, 0}, ~0ul), "select_strides");
	md_calc_strides_selected(4, 9, out, a, 4);
	check(md_check_equal_dims(4, out, (const long[]){4, 0, 0, 12}, ~0ul), "calc_strides_selected");
	check(4 == md_calc_blockdim(4, a, strs, 4) &&
	                2 == md_calc_blockdim(3, a, (const long[]){4, 0, 16}, 4) &&
	                0 == md_calc_blockdim(1, a, (const long[]){8}, 4),
	        "calc_blockdim");
	md_singleton_strides(4, out);
	check(0 == md_nontriv_strides(4, out), "singleton_strides");
	check(md_check_compat(4, 0xf, a, b) && !md_check_compat(4, 0xc, a, b), "check_compat");
	check(md_check_bounds(4, 2, (const long[]){3, 1, 5, 2}, (const long[]){3, 4, 5, 2}) &&
	                !md_check_bounds(4, 0xf, (const long[]){4, 1, 5, 2}, a),
	        "check_bounds");
	check(md_check_dimensions(4, a, 0xd) && !md_check_dimensions(4, a, 0x5), "check_dimensions");
	check(md_check_order_bounds(4, order) && !md_check_order_bounds(2, (const int[]){1, 1}) &&
	                !md_check_order_bounds(1, (const int[]){1}),
	        "check_order_bounds");

	char buffer[100];

	check(md_overlap(1, (const long[]){10}, (const long[]){4}, buffer, 1, (const long[]){5},
	              (const long[]){-4}, buffer + 40, 4) &&
	                !md_overlap(1, (const long[]){10}, (const long[]){4}, buffer, 1, (const long[]){5},
	                        (const long[]){4}, buffer + 40, 4) &&
	                !md_overlap(1, (const long[]){0}, (const long[]){4}, buffer, 1, (const long[]){5},
	                        (const long[]){4}, buffer, 4),
	        "overlap: of the ranges of addresses");
}

static void test_masks(void)
{
	bool good = true;

	for (long n = 0; n < 100; n++) {
		float mask[100], back[100];
		uint32_t words[4] = {0};

		for (long i = 0; i < n; i++)
			mask[i] = (float)pick(3);

		md_mask_compress(1, &n, words, mask);
		md_mask_decompress(1, &n, back, words);

		for (long i = 0; i < n; i++)
			good = good && back[i] == (0 != mask[i]) &&
			       (words[i / 32] >> i % 32 & 1) == (0 != mask[i]);
	}

	check(good, "mask_compress: a bit per element, and back");
}

static void test_diagonal_and_empty(void)
{
	float m[9] = {0};
	const float two = 2;

	md_fill_diag(2, (const long[]){3, 3}, 3, m, &two, sizeof two);
	check(2 == m[0] && 2 == m[4] && 2 == m[8] && 0 == m[1] && 0 == m[3], "fill_diag");

	const long none[] = {3, 0, 2};
	char a[8] = {1}, b[8] = {2};

	md_copy(3, none, a, b, 1);
	md_fill(3, none, a, b, 1);
	md_flip(3, none, 7, a, b, 1);
	md_circ_shift(3, none, none, a, b, 1);
	md_clear(3, none, a, 1);
	check(1 == a[0] && md_compare(3, none, a, b, 1), "dims of 0: nothing happens");
}

static void two_by_three_diagonal(void)
{
	char m[6] = {0};

	md_fill_diag(2, (const long[]){2, 3}, 3, m, m, 1);
}

static void wrong_reshape(void)
{
	char m[6] = {0};

	md_reshape(1, 1, (const long[]){5}, m, (const long[]){6}, m, 1);
}

static void block_outside(void)
{
	char m[6] = {0};

	md_copy_block(1, (const long[]){3}, (const long[]){4}, m, (const long[]){6}, m, 1);
}

static void incompatible_dims(void)
{
	long out[1];

	md_merge_dims(1, out, (const long[]){2}, (const long[]){3});
}

static void huge_dims(void)
{
	const long dims[] = {1L << 40, 1L << 40};

	md_calc_size(2, dims);
}

int main(void)
{
	test_dims();
	test_simplify();
	test_nary();
	test_copy();
	test_transpose();
	test_fill();
	test_rearrange();
	test_resize();
	test_moves();
	test_swap();
	test_compare();
	test_loops();
	test_indices();
	test_algebra();
	test_masks();
	test_diagonal_and_empty();
	check_ends(1, "2 by 3", two_by_three_diagonal, "diagonals: unequal extents are an error");
	check_ends(1, "cannot reshape 6 elements to 5", wrong_reshape,
	        "reshape: another number of elements is an error");
	check_ends(1, "of the arrays has", block_outside, "copy_block: beyond the end is an error");
	check_ends(
	        1, "2 in one array and 3", incompatible_dims, "merge_dims: incompatible sizes are an error");
	check_ends(1, "number of elements", huge_dims, "size: overflow is an error");

	return checks_failed > 0;
}
