/* Operators that move, repeat, leave out and sum elements: adjoints, inverses, values by definition. */

#include "linop_case.h"
#include "linops/block.h"
#include "linops/shapes.h"

static void every(enum dtype t)
{
	const long dims[] = {6, 1, 5, 4}, other[] = {4, 3, 7, 1}, counts[] = {2, 3, 1, 4};
	const long at[] = {3, 0, 3, 4, 1}, start[] = {5, 0, 1, 0}, step[] = {-2, 1, 3, 1};
	const long count[] = {3, 1, 2, 4}, before[] = {2, 0, -2, 1}, aft[] = {-1, 3, 0, 2};
	const unsigned char mask[120] = {[3] = 1, [17] = 1, [18] = 2, [119] = 1};

	check_operator(linop_zero_create(t, 3, other, 4, dims), "zero");
	check_operator(linop_sum_create(t, 4, dims, 1), "sum along 0");
	check_operator(linop_sum_create(t, 4, dims, 4 | 8), "sum along 2, 3");
	check_operator(linop_sum_create(t, 4, dims, 15), "sum of all");
	check_operator(linop_repmat_create(t, 4, dims, counts), "repmat");

	for (int anchor = RESIZE_END; anchor <= RESIZE_CENTRE; anchor++)
		check_operator(linop_resize_create(t, 4, other, dims, (enum resize_anchor)anchor), "resize");

	check_operator(linop_pad_create(t, 4, dims, before, aft), "pad");
	check_operator(linop_extract_create(t, 4, dims, start, step, count), "extract");
	check_operator(linop_permute_create(t, 4, dims, (int[]){2, 0, 3, 1}), "permute");
	check_operator(linop_transpose_create(t, 4, dims, 0, 3), "transpose");
	check_operator(linop_flip_create(t, 4, dims, 1 | 8), "flip");
	check_operator(linop_reshape_create(t, 2, (long[]){8, 15}, 4, dims), "reshape");
	check_operator(linop_circshift_create(t, 4, dims, (long[]){-8, 0, 3, 1}), "circshift");
	check_operator(linop_real_create(t, 4, dims), "real");
	check_operator(linop_patches_create(t, 4, dims, (long[]){3, 1, 5, 2}), "patches");

	for (int d = 0; d < 4; d += 2)
		check_operator(linop_sample_create(t, 4, dims, d, 5, at), "sample");

	check_operator(linop_sample_mask_create(t, 4, dims, mask), "mask");
}

/* Permutations are unitary: A'A = 1; so are samples of everything once. */
static void unitary(enum dtype t)
{
	const long dims[] = {6, 1, 5, 4};

	check_equal(normal_of(linop_permute_create(t, 4, dims, (int[]){2, 0, 3, 1})), 1.,
	        linop_identity_create(t, 4, dims), "permute: A'A = 1");
	check_equal(normal_of(linop_flip_create(t, 4, dims, 5)), 1., linop_identity_create(t, 4, dims),
	        "flip: A'A = 1");
	check_equal(after(linop_flip_create(t, 4, dims, 5), linop_flip_create(t, 4, dims, 5)), 1.,
	        linop_identity_create(t, 4, dims), "flip twice");
	check_equal(normal_of(linop_circshift_create(t, 4, dims, (long[]){1, 2, -3, 4})), 1.,
	        linop_identity_create(t, 4, dims), "circshift: A'A = 1");
	check_equal(normal_of(linop_sample_create(t, 4, dims, 3, 4, (long[]){2, 0, 3, 1})), 1.,
	        linop_identity_create(t, 4, dims), "sample of all: A'A = 1");
	check_equal(normal_of(linop_pad_create(t, 4, dims, (long[]){1, 2, 0, 3}, (long[]){0, 1, 2, 3})), 1.,
	        linop_identity_create(t, 4, dims), "pad: A'A = 1");
	check_equal(normal_of(linop_repmat_create(t, 4, dims, (long[]){2, 3, 1, 4})), 24.,
	        linop_identity_create(t, 4, dims), "repmat: A'A = the number of copies");
	check_equal(linop_sum_create(t, 4, dims, 4), 1.,
	        adjoint_of(linop_repmat_create(t, 4, (long[]){6, 1, 1, 4}, (long[]){1, 1, 5, 1})),
	        "sum = repmat'");
	check_equal(after(linop_sample_create(t, 4, dims, 2, 2, (long[]){1, 4}),
	                    linop_flip_create(t, 4, dims, 4)),
	        1.,
	        linop_extract_create(
	                t, 4, dims, (long[]){0, 0, 3, 0}, (long[]){1, 1, -3, 1}, (long[]){6, 1, 2, 4}),
	        "samples of a flip are an extract with negative steps");
}

static void apply(struct linop *A, double *y, const double *x)
{
	linop_forward(A, y, x);
	linop_free(A);
}

static void values(void)
{
	const long dims[] = {3, 2};
	const double x[] = {1, 2, 3, 4, 5, 6};
	double y[24];

	apply(linop_transpose_create(DT_FLOAT64, 2, dims, 0, 1), y, x);
	check(1 == y[0] && 4 == y[1] && 2 == y[2] && 6 == y[5], "transpose: values");
	apply(linop_sum_create(DT_FLOAT64, 2, dims, 1), y, x);
	check(6 == y[0] && 15 == y[1], "sum: values");
	apply(linop_repmat_create(DT_FLOAT64, 2, dims, (long[]){2, 2}), y, x);
	check(1 == y[3] && 4 == y[6] && 1 == y[12] && 6 == y[23], "repmat: values");
	apply(linop_resize_create(DT_FLOAT64, 2, (long[]){5, 1}, dims, RESIZE_CENTRE), y, x);
	check(0 == y[0] && 4 == y[1] && 6 == y[3] && 0 == y[4],
	        "resize: element n/2 becomes n'/2: row 1 of 2 is row 0 of 1");
	apply(linop_resize_create(DT_FLOAT64, 2, (long[]){4, 2}, dims, RESIZE_FRONT), y, x);
	check(0 == y[0] && 1 == y[1] && 3 == y[3] && 0 == y[4] && 6 == y[7], "resize: at the front");
	apply(linop_pad_create(DT_FLOAT64, 2, dims, (long[]){-1, 1}, (long[]){0, 0}), y, x);
	check(0 == y[0] && 0 == y[1] && 2 == y[2] && 6 == y[5], "pad: negative cuts");
	apply(linop_patches_create(DT_FLOAT64, 2, dims, (long[]){2, 2}), y, x);
	check(1 == y[0] && 2 == y[1] && 2 == y[2] && 3 == y[3] && 4 == y[4] && 6 == y[7],
	        "patches: a Hankel matrix along each dim");
	apply(linop_extract_create(DT_FLOAT64, 2, dims, (long[]){2, 1}, (long[]){-2, 1}, (long[]){2, 1}), y,
	        x);
	check(6 == y[0] && 4 == y[1], "extract: backwards");
	apply(linop_circshift_create(DT_FLOAT64, 2, dims, (long[]){1, 0}), y, x);
	check(3 == y[0] && 1 == y[1] && 6 == y[3], "circshift: values");
	apply(linop_sample_create(DT_FLOAT64, 2, dims, 0, 2, (long[]){2, 2}), y, x);
	check(3 == y[0] && 3 == y[1] && 6 == y[3], "sample: values");
	apply(adjoint_of(linop_sample_create(DT_FLOAT64, 2, dims, 0, 2, (long[]){2, 2})), y, x);
	check(0 == y[0] && 3 == y[2] && 7 == y[5], "sample: repeated numbers sum");
	apply(linop_sample_mask_create(DT_FLOAT64, 2, dims, (unsigned char[]){0, 1, 0, 0, 1, 1}), y, x);
	check(2 == y[0] && 5 == y[1] && 6 == y[2], "mask: values");
}

static struct linop *matrix(enum dtype t, long rows, long cols, unsigned long seed)
{
	void *M = probe_vector(t, rows * cols, seed);
	struct linop *A = linop_matrix_create(t, rows, cols, M, 2, (long[]){cols, 3});

	free(M);

	return A;
}

/* A block of matrices is the matrix of the blocks. */
static void blocks(enum dtype t)
{
	struct linop *A = matrix(t, 4, 3, 1), *B = matrix(t, 4, 2, 2), *C = matrix(t, 5, 2, 3);
	struct linop *M = linop_block_create(2, 2, (const struct linop *[]){A, B, NULL, C}, 0, 0);

	check(9 == linop_codomain(M)[0] && 5 == linop_domain(M)[0] && 3 == linop_domain(M)[1],
	        "block %s: shapes", dtype_name(t));
	check_operator(linop_ref(M), "block along 0");
	check_operator(
	        linop_block_create(2, 2, (const struct linop *[]){A, B, NULL, C}, BLOCK_FLAT, BLOCK_FLAT),
	        "flat block");
	check_operator(linop_stack_rows_create(2, (const struct linop *[]){B, C}, 0), "rows");
	check_operator(linop_stack_rows_create(2, (const struct linop *[]){B, B}, 4), "rows along a new dim");
	check_operator(linop_stack_cols_create(2, (const struct linop *[]){A, B}, 0), "columns");
	check_operator(linop_block_diag_create(2, (const struct linop *[]){A, C}, 0, BLOCK_FLAT), "diagonal");

	/* the parts of M, by cutting */
	struct linop *low = linop_pad_create(t, 2, (long[]){9, 3}, (long[]){-4, 0}, (long[]){0, 0});
	struct linop *right = linop_pad_create(t, 2, (long[]){2, 3}, (long[]){3, 0}, (long[]){0, 0});
	struct linop *left = linop_pad_create(t, 2, (long[]){3, 3}, (long[]){0, 0}, (long[]){2, 0});
	struct linop *high = linop_pad_create(t, 2, (long[]){9, 3}, (long[]){0, 0}, (long[]){-5, 0});

	check_equal(after(linop_ref(low), after(linop_ref(M), linop_ref(right))), 1., linop_ref(C),
	        "block: lower right");
	check_equal(after(high, after(linop_ref(M), right)), 1., linop_ref(B), "block: upper right");
	check_equal(after(low, after(linop_ref(M), left)), 1.,
	        linop_zero_create(t, 2, (long[]){5, 3}, 2, (long[]){3, 3}), "block: the zero");
	linop_free(A);
	linop_free(B);
	linop_free(C);
	linop_free(M);
}

static void as_text(void)
{
	struct linop *A = matrix(DT_FLOAT32, 4, 3, 1), *R = linop_scale(2., A);
	struct linop *N = linop_normal_create(R);
	char *text = linop_text(N);

	check(0 == strcmp(text, "normal: 3 x 3 -> 3 x 3, float32\n"
	                        "  scale: 3 x 3 -> 4 x 3\n"
	                        "    matrix: 3 x 3 -> 4 x 3\n"),
	        "an operator as a tree");
	free(text);
	linop_free(A);
	linop_free(R);
	linop_free(N);
}

static void bad_extract(void)
{
	linop_extract_create(DT_FLOAT32, 1, (long[]){5}, (long[]){3}, (long[]){1}, (long[]){3});
}

static void bad_sample(void)
{
	linop_sample_create(DT_FLOAT32, 1, (long[]){5}, 0, 1, (long[]){5});
}

static void bad_mask(void)
{
	linop_sample_mask_create(DT_FLOAT32, 1, (long[]){3}, (unsigned char[3]){0});
}

static void bad_reshape(void)
{
	linop_reshape_create(DT_FLOAT32, 1, (long[]){5}, 1, (long[]){6});
}

static void bad_order(void)
{
	linop_permute_create(DT_FLOAT32, 2, (long[]){5, 6}, (int[]){1, 1});
}

static void bad_block(void)
{
	linop_block_create(1, 2,
	        (const struct linop *[]){matrix(DT_FLOAT32, 4, 3, 1), matrix(DT_FLOAT32, 5, 3, 1)}, 0, 0);
}

static void empty_row(void)
{
	linop_block_create(2, 1, (const struct linop *[]){matrix(DT_FLOAT32, 4, 3, 1), NULL}, 0, 0);
}

static void bad_sum(void)
{
	linop_sum_create(DT_FLOAT32, 2, (long[]){3, 4}, 4);
}

static void bad_patches(void)
{
	linop_patches_create(DT_FLOAT32, 1, (long[]){3}, (long[]){4});
}

static void refusals(void)
{
	check_ends(
	        1, "the patches have 4 elements along dimension 0, expected 1 to 3", bad_patches, "patches");
	check_ends(1, "elements 3 to 5 along dimension 0", bad_extract, "extract beyond");
	check_ends(
	        1, "sample 0 is element 5 along dimension 0, expected 0 to 4", bad_sample, "sample beyond");
	check_ends(1, "all 3 elements of the mask are 0", bad_mask, "empty mask");
	check_ends(1, "6 elements are reshaped to 5, expected equal numbers", bad_reshape, "reshape");
	check_ends(1, "must contain each dimension once", bad_order, "order");
	check_ends(1, "outputs of 5 x 3, expected 4 x 3 like the other operators of the block", bad_block,
	        "block");
	check_ends(1, "row 1 of a block of operators is empty", empty_row, "empty row");
	check_ends(1,
	        "along the dimensions of bit mask 0x4 is not supported, expected one or more of the "
	        "dimensions 0 to 1",
	        bad_sum, "sum");
}

int main(void)
{
	refusals(); // first: forks before there are threads

	for (int i = 0; i < 4; i++) {
		every(types[i]);
		unitary(types[i]);
		blocks(types[i]);
	}

	values();
	as_text();

	return checks_failed > 0;
}
