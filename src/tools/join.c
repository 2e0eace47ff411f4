#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "num/shape/merge_header.h"
#include "num/shape/shaping.h"

int main_join(int argc, char *argv[]);

/* Checks that arrays fit together; error() otherwise. */
static void check_fits(const struct cfl *a, const struct cfl *b, int dim)
{
	if (a->hdr.type != b->hdr.type)
		error("%s is %s and %s is %s: expected one type (see gantry cast)", a->name,
		        dtype_name(a->hdr.type), b->name, dtype_name(b->hdr.type));

	for (int d = 0; d < DIMS; d++)
		if (d != dim && a->hdr.dims[d] != b->hdr.dims[d])
			error("%s is %s and %s is %s: expected equal sizes in all dimensions but %d", a->name,
			        hdr_shape(&a->hdr), b->name, hdr_shape(&b->hdr), dim);
}

static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);

	if (!tool_force())
		error("%s (use --force to join the arrays)", s.data);

	warn("%s", s.data);
	free(s.data);
}

/* Joining counts to line integrals is most likely a mistake; arrays that say nothing fit to all. */
static void check_kind(const struct cfl *a, const struct cfl *b)
{
	const struct hdr *p = &a->hdr, *q = &b->hdr;

	if (p->quantity && q->quantity && p->quantity != q->quantity)
		complain("%s holds %s and %s %s", a->name, quantity_name(p->quantity), b->name,
		        quantity_name(q->quantity));

	if (*p->unit && *q->unit && strcmp(p->unit, q->unit))
		complain("%s is in %s and %s in %s", a->name, p->unit, b->name, q->unit);

	if (p->has_detector && q->has_detector && !merge_same_detector(p, q))
		complain("%s and %s have different detectors", a->name, b->name);
}

/* The header of the first, with what it leaves open taken from the others. */
static void join_headers(struct hdr *h, int dim, int n, struct cfl *const x[])
{
	long total = 0;

	const struct hdr **all = mem_alloc((size_t)n * sizeof *all);

	hdr_copy(h, &x[0]->hdr);

	for (int k = 0; k < n; k++) {
		const struct hdr *q = &x[k]->hdr;

		check_fits(x[0], x[k], dim);
		check_kind(x[0], x[k]);
		cfl_warn_spacing(x[0], x[k]);
		total = add_checked(total, q->dims[dim], "the joined dimension");

		if (!h->quantity)
			h->quantity = q->quantity;

		if (!*h->unit)
			memcpy(h->unit, q->unit, sizeof h->unit);

		all[k] = q;
	}

	merge_detector(h, n, all);
	free(all);
	shaping_subrange(h, dim, 0, 1, total);
	shaping_touched(h, n > 1 ? 1UL << dim : 0);
}

int main_join(int argc, char *argv[])
{
	int dim = 0;
	struct opt_list in = {0};
	const char *out = NULL;

	const struct opt opts[] = {
	        ARG_DIM("DIM", &dim, "the dimension to join along, by number or name"),
	        ARG_IN_MANY("IN", &in, "arrays of one type, equal in all other dims"),
	        ARG_OUT("OUT", &out, "the joined arrays, in the order given"),
	        OPT_END,
	};

	tool_init(&(struct tool){.name = "join",
	                  .group = GROUP_SHAPE,
	                  .synonyms = "cat concat concatenate stack append",
	                  .about = "Join arrays along a dimension",
	                  .details = "The result continues the grid of the first array.",
	                  .examples = "gantry join z lower upper whole\ngantry join view scan1 scan2 both",
	                  .opts = opts},
	        argc, argv);

	struct cfl **x = mem_calloc((size_t)in.n, sizeof(struct cfl *));
	struct hdr h;

	for (int k = 0; k < in.n; k++)
		x[k] = cfl_open(in.v[k]);

	join_headers(&h, dim, in.n, x);

	struct cfl *y = cfl_create(out, &h);

	hdr_free(&h);
	shaping_join(y, dim, in.n, x, "joining");

	for (int k = 0; k < in.n; k++)
		cfl_close(x[k]);

	cfl_close(y);
	free(x);
	leave(EXIT_DONE);
}
