/* Reductions of typed arrays along some dims. */

#include <stdlib.h>

#include "misc/error.h"
#include "num/array/array_internal.h"
#include "num/array/array_reduce.h"
#include "num/array/array_table.h"

void array_reduce_store(struct reduce *r, char *out, long step, const void *value, long n, long over)
{
	long lost = kern_store(r->type[2], r->swapped[2], out, step, r->t.value, value, n, r->narrow, false);

	lost = (over > lost) ? over : lost; // most of the former are among the latter

	if (0 < lost) {
#pragma omp atomic
		r->lost += lost;
	}
}

/** The walks over kept and reduced dims, sorted by the steps of the inputs; reduced elements that are counted
 * stay in their order. */
static void make_walks(
        struct reduce *r, unsigned long mask, const struct array *out, const struct array *const in[])
{
	const bool counted = RED_ARGMIN == r->red || RED_ARGMAX == r->red;
	long kdims[DIMS], rdims[DIMS], kstrs[REDUCE_OPERANDS][DIMS], rstrs[REDUCE_ARGS_MAX][DIMS];
	int K, R = DIMS;

	array_common_dims(r->args, in, kdims);

	for (int i = 0; i < DIMS; i++) {
		const bool reduced = mask & 1ul << i;

		rdims[i] = reduced ? kdims[i] : 1;
		kdims[i] = reduced ? 1 : kdims[i];
		kstrs[2][i] = reduced ? 0 : out->strs[i];

		for (int k = 0; k < REDUCE_ARGS_MAX; k++) {
			const bool moves = k < r->args && 1 != in[k]->dims[i];

			kstrs[k][i] = (moves && !reduced) ? in[k]->strs[i] : 0;
			rstrs[k][i] = (moves && reduced) ? in[k]->strs[i] : 0;
		}
	}

	r->kcount = md_calc_size(DIMS, kdims);
	r->rcount = md_calc_size(DIMS, rdims);
	K = md_simplify(REDUCE_OPERANDS, DIMS, kdims, kstrs);

	if (!counted)
		R = md_simplify(REDUCE_ARGS_MAX, DIMS, rdims, rstrs);

	array_walk_init(
	        &r->kept, REDUCE_OPERANDS, K, kdims, (const long *const[]){kstrs[0], kstrs[1], kstrs[2]});
	array_walk_init(&r->reduced, REDUCE_ARGS_MAX, R, rdims, (const long *const[]){rstrs[0], rstrs[1]});
}

long array_plain_reduce(enum reduction red, const struct op_types *t, unsigned long dims,
        const struct array *out, const struct array *const in[], enum narrow narrow)
{
	struct reduce r = {.red = red, .t = *t, .args = reduction_args(red), .narrow = narrow};

	for (int k = 0; k < r.args; k++) {
		r.ptr[k] = in[k]->data;
		r.type[k] = in[k]->type;
		r.swapped[k] = in[k]->swapped;
	}

	if (1 == r.args) // never read, but moved along
		r.ptr[1] = r.ptr[0];

	r.ptr[2] = out->data;
	r.type[2] = out->type;
	r.swapped[2] = out->swapped;
	make_walks(&r, dims, out, in);

	if (0 == r.kcount)
		return 0;

	if (array_reduce_rows_fit(&r))
		array_reduce_rows(&r);
	else
		array_reduce_lines(&r);

	return r.lost;
}

/** Types, and the dims of the result. */
static struct op_types settle(
        enum reduction red, unsigned long mask, const struct array *const in[], long dims[DIMS])
{
	enum dtype types[REDUCE_ARGS_MAX];
	struct op_types t;

	for (int k = 0; k < reduction_args(red); k++)
		types[k] = in[k]->type;

	if (!reduction_types(red, types, &t))
		error("%s: %s needs real elements, found complex ones", array_label(in[0]),
		        reduction_name(red));

	array_common_dims(reduction_args(red), in, dims);
	md_select_dims(DIMS, ~mask, dims, dims);

	return t;
}

void array_reduce(enum reduction red, unsigned long mask, struct array *out, const struct array *const in[],
        struct array_rules r)
{
	long dims[DIMS];
	const struct op_types t = settle(red, mask, in, dims);
	bool overlap = false;

	if (!md_check_equal_dims(DIMS, out->dims, dims, ~0ul))
		error("%s is %s, but the result of %s over %s (%s) has another shape", array_label(out),
		        array_shape(out), reduction_name(red), array_label(in[0]), array_shape(in[0]));

	array_check_output(out);

	for (int k = 0; k < reduction_args(red); k++)
		overlap = overlap || array_overlap(out, in[k]);

	if (overlap) { // the results are few: they wait in memory of their own
		struct array *results = array_reduction(red, mask, in, r);

		array_copy(out, results, r);
		array_free(results);
		return;
	}

	long lost = array_entries()->reduce(red, &t, mask, out, in, r.narrow);

	array_report_lost(out, t.value, lost, r);
}

struct array *array_reduction(
        enum reduction red, unsigned long mask, const struct array *const in[], struct array_rules r)
{
	long dims[DIMS];
	const struct op_types t = settle(red, mask, in, dims);
	struct array *out = array_create(t.result, DIMS, dims);
	long lost = array_entries()->reduce(red, &t, mask, out, in, r.narrow);

	array_report_lost(out, t.value, lost, r);

	return out;
}
