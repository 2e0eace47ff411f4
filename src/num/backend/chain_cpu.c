/* Chains of operators on the CPU: blocks of elements, gathered if not contiguous, pass through the kernels
 * one operator after the other while they are in the first-level cache. */

#include <omp.h>
#include <string.h>

#include "misc/error.h"
#include "misc/threads.h"
#include "num/backend/backend_cpu.h"

enum {
	LINE = KERN_BLOCK / 2, // blocks do not cross the ends of lines at least this long
	RUN = 1 << 15          // elements per call of a kernel that needs no gathering
};

/** A free slot that no value needed later occupies. */
static int slot_for(struct cpu_chain *c, int v)
{
	bool taken[CHAIN_SLOTS] = {false};

	for (int u = 0; u < v; u++)
		for (int later = v; later < c->f->values && 0 <= c->slot[u]; later++)
			for (int i = 0; i < c->f->value[later].args; i++)
				if (u == c->f->value[later].in[i])
					taken[c->slot[u]] = true;

	for (int i = 0; i < CHAIN_SLOTS - 2; i++) // the last two are put()'s
		if (!taken[i])
			return i;

	error("a chain of %d values keeps too many values at once, expected at most %d", c->f->values,
	        CHAIN_SLOTS);
}

static bool stands_still(const struct md_shape *s, int k)
{
	for (int i = 0; i < s->D; i++)
		if (0 != s->strs[k][i])
			return false;

	return true;
}

void cpu_chain_prepare(struct cpu_chain *c, const struct md_chain *f, const struct md_shape *s, int first)
{
	*c = (struct cpu_chain){.f = f, .s = s, .first = first};

	for (int k = 0; k < f->operands; k++) {
		c->direct[k] = walk_is_even(s, first + k, dtype_size(f->value[k].type));
		c->constant[k] = stands_still(s, first + k);
	}

	for (int v = 0; v < f->values; v++) {
		const struct md_value *x = &f->value[v];

		c->slot[v] = -1;

		if (CHAIN_CONSTANT != x->kind)
			c->slot[v] = slot_for(c, v);

		if (CHAIN_OP == x->kind) {
			c->fn[v] = kern_op(x->op, x->work);

			if (NULL == c->fn[v])
				error("%s is not defined for %s", op_name(x->op), dtype_name(x->work));
		}
	}
}

bool cpu_chain_is_direct(const struct cpu_chain *c)
{
	const struct md_chain *f = c->f;
	int last = f->values - 1;
	bool moves = false;

	for (int v = 0; v < last; v++) {
		if (CHAIN_CONSTANT == f->value[v].kind)
			continue;

		if (CHAIN_OPERAND != f->value[v].kind || !(c->direct[v] || c->constant[v]))
			return false;

		moves = moves || c->direct[v];
	}

	return moves && CHAIN_OP == f->value[last].kind;
}

/** Operand k of the chain: where it lies, or gathered to buf. */
static const void *operand(
        const struct cpu_chain *c, const struct cpu_walk *w, int k, long n, void *buf, bool *scalar)
{
	size_t size = dtype_size(c->f->value[k].type);
	long step = (0 < c->s->D) ? c->s->strs[c->first + k][0] : 0;
	bool one_line = w->at + n <= w->n;
	const char *p = w->line[c->first + k] + w->at * step;

	*scalar = c->constant[k] || (one_line && 0 == step) || 1 == n;

	if (*scalar || c->direct[k] || (one_line && step == (long)size))
		return p;

	walk_gather(w, c->first + k, size, n, buf);

	return buf;
}

const void *cpu_chain_block(const struct cpu_chain *c, struct cpu_chain_work *work, const struct cpu_walk *w,
        long n, void *to, bool *scalar)
{
	const struct md_chain *f = c->f;
	const void *at[CHAIN_VALUES];
	bool one[CHAIN_VALUES];
	int last = f->values - 1;

	for (int v = 0; v <= last; v++) {
		const struct md_value *x = &f->value[v];
		void *buf = (0 <= c->slot[v]) ? work->slot[c->slot[v]] : NULL;
		const void *in[3] = {NULL, NULL, NULL};
		unsigned mask = 0;

		for (int i = 0; i < x->args; i++) {
			in[i] = at[x->in[i]];
			mask |= (unsigned)one[x->in[i]] << i;
		}

		one[v] = (0 < x->args) && mask == (1u << x->args) - 1;

		if (v == last && NULL != to && !one[v] && 0 < x->args)
			buf = to;

		switch (x->kind) {
		case CHAIN_OPERAND:
			at[v] = operand(c, w, v, n, buf, &one[v]);
			break;
		case CHAIN_CONSTANT:
			at[v] = x->constant;
			one[v] = true;
			break;
		case CHAIN_CONVERT:
			at[v] = kern_load(x->type, buf, f->value[x->in[0]].type, false, in[0],
			        (long)dtype_size(f->value[x->in[0]].type), one[v] ? 1 : n);
			break;
		case CHAIN_OP:
			c->fn[v](one[v] ? 1 : n, buf, in[0], in[1], in[2], one[v] ? 0 : mask);
			at[v] = buf;
			break;
		}
	}

	*scalar = one[last];

	return at[last];
}

/** A chain whose values go to the shape's operand 0. */
struct run {
	struct cpu_chain c;
	enum dtype type; // of the output
	bool direct;     // no gathering, no conversion: long runs
	bool even;       // the output has no gaps
	char *ptr[MD_OPERANDS];
};

/** Writes n values of the chain's type to the output. */
static void put(const struct run *r, struct cpu_chain_work *work, const struct cpu_walk *w, long n,
        const void *values, bool scalar)
{
	enum dtype t = chain_type(r->c.f);
	long size = (long)dtype_size(r->type), step = (0 < r->c.s->D) ? r->c.s->strs[0][0] : size;
	char *p = w->line[0] + w->at * step;
	void *flat = work->slot[CHAIN_SLOTS - 1];

	if (scalar && 1 < n) {
		values = kern_load(t, flat, t, false, values, 0, n);
		flat = work->slot[CHAIN_SLOTS - 2];
	}

	if (r->even || w->at + n <= w->n) {
		kern_store(r->type, false, p, r->even ? size : step, t, values, n, NARROW_SATURATE, false);
		return;
	}

	if (t != r->type) {
		kern_store(r->type, false, flat, size, t, values, n, NARROW_SATURATE, false);
		values = flat;
	}

	walk_scatter(w, 0, (size_t)size, n, values);
}

static void run_range(void *ctx, long first, long n)
{
	const struct run *r = ctx;
	struct cpu_chain_work work;
	struct cpu_walk w = walk_start(r->c.s, r->ptr, first);
	long most = r->direct ? RUN : KERN_BLOCK;
	long step = (0 < r->c.s->D) ? r->c.s->strs[0][0] : 0, size = (long)dtype_size(r->type);
	bool in_place = r->type == chain_type(r->c.f) && (r->even || size == step);

	for (long left = n; left > 0;) {
		long m = (left < most) ? left : most;
		bool scalar;

		if (w.n >= LINE && !(r->direct && r->even))
			m = (w.n - w.at < m) ? w.n - w.at : m;

		void *to = (in_place && (r->even || w.at + m <= w.n)) ? w.line[0] + w.at * size : NULL;
		const void *values = cpu_chain_block(&r->c, &work, &w, m, to, &scalar);

		if (values != to)
			put(r, &work, &w, m, values, scalar);

		left -= m;

		if (left > 0)
			walk_on(&w, m);
	}
}

void cpu_ranges(long count, void (*fn)(void *ctx, long first, long n), void *ctx)
{
	const int threads = threads_for(2. * (double)count);

	if (1 == threads) { // even a region of one thread costs system calls inside another
		if (0 < count)
			fn(ctx, 0, count);

		return;
	}

#pragma omp parallel num_threads(threads)
	{
		long nt = omp_get_num_threads(), me = omp_get_thread_num();
		long blocks = (count + KERN_BLOCK - 1) / KERN_BLOCK;
		long first = blocks * me / nt * KERN_BLOCK, end = blocks * (me + 1) / nt * KERN_BLOCK;

		if (end > count)
			end = count;

		if (first < end)
			fn(ctx, first, end - first);
	}
}

void cpu_chain(
        const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out, const void *const in[])
{
	struct run r = {.type = t, .ptr = {out}};

	for (int k = 0; k < f->operands; k++)
		r.ptr[1 + k] = (char *)in[k];

	cpu_chain_prepare(&r.c, f, s, 1);
	r.even = walk_is_even(s, 0, dtype_size(t));
	r.direct = cpu_chain_is_direct(&r.c) && r.even && t == chain_type(f);
	cpu_ranges(walk_count(s), run_range, &r);
}
