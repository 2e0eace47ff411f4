#include "num/shape/reduce_dims_device.h"

#include "misc/error.h"
#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/device/device_load.h"
#include "num/md/flpmath.h"

/** The type of operands on the device: the kernels' type that holds both, and for integers the one in which
 * the CPU reduces them (num/shape/fold.h). */
static enum dtype common_type(const struct reduce_dims *r)
{
	enum dtype t = r->in[0]->hdr.type;

	if (1 < r->nin)
		t = dtype_promote(t, r->in[1]->hdr.type);

	if (!dtype_is_integer(t))
		return dtype_work(t);

	return fold_is_float(r->spec, t) ? DT_FLOAT64 : (DT_UINT64 == t) ? DT_UINT64 : DT_INT64;
}

/** Why the GPU does not do it; NULL: it does. */
static const char *obstacle(const struct reduce_dims *r, enum dtype t, long results)
{
	double bytes = 16. * (double)results;

	for (int k = 0; k < r->nin; k++)
		bytes += (double)r->in[k]->count * (double)dtype_size(t);

	return (bytes < .9 * (double)device_left() - 1e8) ? NULL
	                                                  : "the arrays do not fit into its memory together";
}

/** What is reduced: the operands, their magnitudes, or products that are not conjugated. */
static struct md_reduction reduction(const struct reduce_dims *r, enum dtype t, struct md_chain *pre)
{
	struct md_reduction m = {.red = r->spec.red, .type = t};
	const bool product = RED_DOT == m.red && r->spec.plain && dtype_is_complex(t);

	if (!r->spec.magnitude && !product)
		return m;

	m.pre = pre;

	int x = chain_operand(pre, t);

	if (product) {
		int y = chain_operand(pre, t);

		m.red = RED_SUM;
		x = chain_convert(pre, DT_COMPLEX128, x);
		chain_op2(pre, OP_MUL, x, chain_convert(pre, DT_COMPLEX128, y));
	} else {
		chain_op1(pre, OP_ABS, x);
	}

	return m;
}

void *reduce_dims_on_device(const struct reduce_dims *r, const long dims[], enum dtype value)
{
	const enum dtype t = common_type(r);
	struct md_chain pre = {0};
	const struct md_reduction m = reduction(r, t, &pre);
	long odims[DIMS], ostrs[DIMS], istrs[2][DIMS];
	void *in[2] = {NULL, NULL};
	double bytes = 0;

	for (int k = 0; k < r->nin; k++)
		bytes += (double)r->in[k]->count * (double)dtype_size(r->in[k]->hdr.type);

	if (!device_worth(bytes, 0.))
		return NULL;

	md_select_dims(DIMS, ~r->dims, odims, dims);

	const long results = md_calc_size(DIMS, odims);
	const char *why = obstacle(r, t, results);

	if (NULL != why) {
		warn("running on the CPU: %s", why);
		return NULL;
	}

	for (int k = 0; k < r->nin; k++) {
		in[k] = device_alloc((size_t)r->in[k]->count * dtype_size(t));
		device_load(t, in[k], r->in[k]->hdr.type, place_input(r->in[k]), r->in[k]->count);
		md_calc_strides(DIMS, istrs[k], r->in[k]->hdr.dims, dtype_size(t));
	}

	void *out = mem_alloc((size_t)results * dtype_size(value));

	md_calc_strides(DIMS, ostrs, odims, dtype_size(value));
	md_reduction_t(&m, value, DIMS, dims, r->dims, ostrs, out, r->nin,
	        (const long *const[]){istrs[0], istrs[1]}, (const void *const[]){in[0], in[1]});

	for (int k = 0; k < r->nin; k++)
		device_free(in[k]);

	return out;
}
