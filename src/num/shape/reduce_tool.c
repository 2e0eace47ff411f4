#include "num/shape/reduce_tool.h"

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "num/shape/reduce_dims.h"

/** The quantity of the results: extremes and means have that of the elements; sums of counts are counts. */
static enum quantity quantity_of(enum quantity q, enum reduction red)
{
	switch (q) {
	case Q_GEOMETRY:
		return Q_UNKNOWN;
	case Q_COUNTS:
		return q;
	case Q_MASK:
		return (RED_MIN == red || RED_MAX == red) ? q : Q_UNKNOWN;
	default:
		return (RED_SUM == red) ? Q_UNKNOWN : q;
	}
}

void reduce_tool(const struct tool *texts, enum reduction red, int argc, char *argv[])
{
	struct tool tool = *texts;
	unsigned long dims = 0;
	const char *in = NULL, *out = NULL;
	int type = -1;

	const struct opt opts[] = {
	        OPT_TYPE(&type),
	        ARG_DIMS("DIMS", &dims, "dimensions to reduce: 2 or z; several with commas: 0,2 or x,z"),
	        ARG_IN("IN", &in, "any array"),
	        ARG_OUT("OUT", &out, "length 1 along DIMS"),
	        OPT_END,
	};

	tool.opts = opts;
	tool.by_parts = true;
	tool.memory = "a few tens of MiB. Sums of a stream need up to another 512 MiB";
	tool_init(&tool, argc, argv);

	struct reduce_dims r = {.spec = {.red = red}, .dims = dims, .nin = 1, .in = {cfl_open(in)}};
	struct hdr h;

	hdr_copy(&h, &r.in[0]->hdr);
	h.quantity = quantity_of(h.quantity, red);
	h.has_detector = false;
	h.type = (0 <= type) ? (enum dtype)type : reduce_dims_type(&r);
	r.spec.as_float = 0 <= type && !dtype_is_integer(h.type);
	reduce_dims_header(&h, dims);

	tool_needs(reduce_dims_memory(&r), 0);

	struct cfl *y = cfl_create(out, &h);

	reduce_dims(&r, y, tool.name);
	hdr_free(&h);
	cfl_close(r.in[0]);
	cfl_close(y);
	leave(EXIT_DONE);
}
