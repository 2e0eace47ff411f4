/* Dims, strides, loops in normal form, and moved data, each against plain nested loops. */

#include <omp.h>
#include <stdint.h>

#include "check.h"
#include "num/multind.h"
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

	for (int round = 0; round < 400; round++) {
		long dims[DIMS];
		int D = random_dims(dims, 4, 13);

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
	check_ends(1, "number of elements", huge_dims, "size: overflow is an error");

	return checks_failed > 0;
}
