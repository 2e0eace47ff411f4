/* Nodes of a computation, each value once. */

#include <stdlib.h>
#include <string.h>

#include "misc/mem.h"
#include "num/expr/expr_range.h"
#include "num/kern/kern.h"

static bool is_around(const struct node *n)
{
	return NODE_SHIFT == n->kind || NODE_MEDIAN == n->kind || NODE_BOX == n->kind;
}

static unsigned hash_node(const struct node *n)
{
	unsigned long h = (unsigned long)n->kind * 31 + (unsigned long)n->id;

	h = h * 1000003 + (unsigned long)n->type * 64 + (unsigned long)n->work;

	for (int i = 0; i < n->args; i++)
		h = (h ^ (unsigned long)n->arg[i]) * 0x9e3779b97f4a7c15ul;

	for (int i = 0; is_around(n) && i < 3; i++)
		h = h * 131 + (unsigned long)n->shift[i];

	for (int i = 0; NODE_CONSTANT == n->kind && i < 16; i++)
		h = h * 131 + n->value[i];

	return (unsigned)(h ^ h >> 32);
}

static bool same_node(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind || a->id != b->id || a->type != b->type || a->work != b->work ||
	        a->args != b->args)
		return false;

	for (int i = 0; i < a->args; i++)
		if (a->arg[i] != b->arg[i])
			return false;

	if (is_around(a) && 0 != memcmp(a->shift, b->shift, sizeof a->shift))
		return false;

	return NODE_CONSTANT != a->kind || 0 == memcmp(a->value, b->value, sizeof a->value);
}

static void link_node(struct graph *g, int i)
{
	int *bucket = &g->buckets[hash_node(&g->nodes[i]) % (unsigned)g->nbuckets];

	g->next[i] = *bucket;
	*bucket = i;
}

static void grow(struct graph *g)
{
	g->room = 2 * g->room + 64;
	g->nodes = mem_realloc(g->nodes, (size_t)g->room * sizeof *g->nodes);
	g->next = mem_realloc(g->next, (size_t)g->room * sizeof *g->next);
	g->nbuckets = g->room;
	g->buckets = mem_realloc(g->buckets, (size_t)g->nbuckets * sizeof *g->buckets);

	for (int i = 0; i < g->nbuckets; i++)
		g->buckets[i] = -1;

	for (int i = 0; i < g->n; i++)
		link_node(g, i);
}

/** What follows from the operands: shape, whether it is one value, and its stage. */
static void derive(const struct graph *g, struct node *n)
{
	bool scalar = true;

	for (int k = 0; k < n->args; k++) {
		const struct node *a = &g->nodes[n->arg[k]];

		scalar = scalar && a->scalar;
		n->stage = (a->stage > n->stage) ? a->stage : n->stage;

		for (int d = 0; !a->scalar && d < DIMS; d++)
			n->dims[d] = (1 == n->dims[d]) ? a->dims[d] : n->dims[d];
	}

	for (int d = 3; NODE_SAMPLE == n->kind && d < DIMS; d++)
		n->dims[d] = (1 == n->dims[d]) ? g->in[n->id % EXPR_OPERANDS].dims[d] : n->dims[d];

	if (0 < n->args)
		n->scalar = (scalar && NODE_SAMPLE != n->kind) || NODE_REDUCTION == n->kind;

	if (NODE_REDUCTION == n->kind)
		n->stage++;
}

/** A sum of integers may leave 64 bits whatever the elements. */
static bool is_wide_reduction(const struct node *n)
{
	return NODE_REDUCTION == n->kind && dtype_is_integer(n->work) &&
	       (RED_SUM == n->id || RED_PROD == n->id || RED_DOT == n->id);
}

int graph_node(struct graph *g, struct node n)
{
	if (0 < g->n)
		for (int i = g->buckets[hash_node(&n) % (unsigned)g->nbuckets]; i >= 0; i = g->next[i])
			if (same_node(&g->nodes[i], &n))
				return i;

	if (g->n == g->room)
		grow(g);

	if (0 < n.args)
		md_singleton_dims(DIMS, n.dims);

	derive(g, &n);
	n.counted = node_range(g, &n) || n.counted || is_wide_reduction(&n);
	g->nodes[g->n] = n;
	link_node(g, g->n);

	return g->n++;
}

int graph_constant(struct graph *g, enum dtype type, const void *value)
{
	struct node n = {.kind = NODE_CONSTANT, .type = type, .work = type, .scalar = true};

	memcpy(n.value, value, dtype_size(type));
	md_singleton_dims(DIMS, n.dims);

	return graph_node(g, n);
}

int graph_convert(struct graph *g, int node, enum dtype type)
{
	struct node n = g->nodes[node];

	if (type == n.type)
		return node;

	if (NODE_CONSTANT == n.kind) {
		unsigned char value[16];

		convert(type, value, n.type, n.value, 1, NARROW_SATURATE);

		return graph_constant(g, type, value);
	}

	if (NODE_INPUT == n.kind) { // load it as that at once
		n.type = type;

		return graph_node(g, n);
	}

	return graph_node(g, (struct node){.kind = NODE_CONVERT,
	                             .args = 1,
	                             .arg = {node},
	                             .work = n.type,
	                             .type = type,
	                             .column = n.column});
}

int graph_window(struct graph *g, enum node_kind kind, int node, int id, const int r[3], long column)
{
	const enum dtype type = g->nodes[node].type;
	struct node n = {.kind = kind,
	        .id = id,
	        .args = 1,
	        .arg = {node},
	        .work = type,
	        .type = type,
	        .column = column};

	memcpy(n.shift, r, sizeof n.shift);

	return g->nodes[node].scalar ? node : graph_node(g, n);
}

int graph_shift(struct graph *g, int node, bool is_virtual, const int shift[3], long column)
{
	return graph_window(g, NODE_SHIFT, node, is_virtual, shift, column);
}

void graph_free(struct graph *g)
{
	free(g->nodes);
	free(g->buckets);
	free(g->next);
}
