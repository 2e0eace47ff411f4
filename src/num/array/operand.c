#include <string.h>

#include "num/array/operand.h"

#include "misc/error.h"
#include "num/kern/kern.h"
#include "num/md/multind.h"

void operand_shape(long shape[DIMS], int n, struct cfl *const in[])
{
	for (int i = 0; i < DIMS; i++) {
		shape[i] = in[0]->hdr.dims[i];

		for (int k = 1; k < n; k++)
			if (in[k]->hdr.dims[i] > shape[i])
				shape[i] = in[k]->hdr.dims[i];
	}
}

static void repeat(struct operand *o, const long shape[DIMS])
{
	long strs[2][DIMS];

	md_copy_dims(DIMS, o->dims, shape);
	md_calc_strides(DIMS, strs[0], shape, 1);
	md_calc_strides(DIMS, strs[1], o->file->hdr.dims, dtype_size(o->file->hdr.type));
	o->D = md_simplify(2, DIMS, o->dims, strs);
	md_copy_dims(o->D, o->strs, strs[1]);

	if (0 == o->D) {
		o->D = 1;
		o->dims[0] = 1;
		o->strs[0] = 0;
	}

	o->data = cfl_map(o->file);
}

void operand_open(
        struct operand *o, struct cfl *f, enum dtype want, const long shape[DIMS], const char *shape_name)
{
	*o = (struct operand){.file = f, .want = want};

	for (int i = 0; i < DIMS; i++) {
		if (f->hdr.dims[i] == shape[i])
			continue;

		if (1 != f->hdr.dims[i])
			error("%s is %s: size %ld along dimension %d, expected %ld as in %s, or 1", f->name,
			        hdr_shape(&f->hdr), f->hdr.dims[i], i, shape[i], shape_name);

		o->repeated = true;
	}

	if (o->repeated)
		repeat(o, shape);
}

bool operand_in_order(const struct operand *o)
{
	return !o->repeated && !cfl_is_mapped(o->file);
}

void operand_window(struct operand *o, long first, long n)
{
	o->window = first;
	o->data = cfl_next(o->file, n);
}

/** Elements [first, first + n) of a repeated operand. */
static void gather(const struct operand *o, long first, long n, char *buf)
{
	const enum dtype t = o->file->hdr.type;
	const long size = (long)dtype_size(o->want);
	const char *p = o->data;
	long pos[DIMS];

	for (int i = 0; i < o->D; i++) {
		pos[i] = first % o->dims[i];
		first /= o->dims[i];
		p += pos[i] * o->strs[i];
	}

	while (n > 0) {
		const long run = (o->dims[0] - pos[0] < n) ? o->dims[0] - pos[0] : n;

		const void *lies = kern_load(o->want, buf, t, false, p, o->strs[0], run);

		if (lies != buf)
			memcpy(buf, lies, (size_t)(run * size));

		buf += run * size;
		n -= run;
		p -= pos[0] * o->strs[0];
		pos[0] = 0;

		for (int i = 1; i < o->D; i++) {
			p += o->strs[i];

			if (++pos[i] < o->dims[i])
				break;

			p -= pos[i] * o->strs[i];
			pos[i] = 0;
		}
	}
}

const void *operand_load(const struct operand *o, long first, long n, void *buf, void *raw)
{
	const enum dtype t = o->file->hdr.type;
	const long size = (long)dtype_size(t);

	if (o->repeated) {
		gather(o, first, n, buf);
		return buf;
	}

	const void *p = (NULL != o->data) ? o->data + (first - o->window) * size
	                                  : cfl_block(o->file, first, n, (t == o->want) ? buf : raw);

	return kern_load(o->want, buf, t, false, p, size, n);
}
