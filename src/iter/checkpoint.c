#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/checkpoint.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/hash.h"
#include "misc/mem.h"

static const char magic[] = "gantry checkpoint 5\n";

/** What must agree between the run that wrote and the one that reads. */
struct identity {
	char magic[sizeof magic];
	char algorithm[32];
	char data[HASH_TEXT];    // of y
	char problem[HASH_TEXT]; // of conf->identity
	char dictionary[64];
	int type, terms, subsets, order;
	uint64_t seed;
	struct iter_descent descent;
	long n, m, basis, term_sizes;
	double lambda, step, relaxation, damping, factor;
	long inner; // conjugate gradients of a step
	bool keeps, compares;
};

/** The numbers of a run. */
struct numbers {
	long k;
	double s[RUN_NUMBERS];
	double residual, objective, gradient, step;
	bool minimum;
	double first, best, first_gradient;
	int end;
};

static struct identity identity_of(const struct run *r, const struct course *c)
{
	struct identity id;

	memset(&id, 0, sizeof id); // gaps between fields too
	memcpy(id.magic, magic, sizeof magic);
	snprintf(id.algorithm, sizeof id.algorithm, "%s", r->alg->name);
	hash_text(id.data, r->p->y, (size_t)r->m * dtype_size(r->type));

	if (NULL != r->conf->identity)
		hash_text(id.problem, r->conf->identity, strlen(r->conf->identity));

	if (NULL != r->p->dictionary_text)
		snprintf(id.dictionary, sizeof id.dictionary, "%s", r->p->dictionary_text);

	id.type = (int)r->type;
	id.terms = r->p->terms;
	id.subsets = r->p->subsets;
	id.order = (int)run_order(r);
	id.seed = r->conf->seed;
	id.descent = r->conf->descent;
	id.n = r->n;
	id.m = r->m;
	id.basis = r->basis;
	id.lambda = r->p->lambda;
	id.step = r->conf->step;
	id.relaxation = r->conf->relaxation;
	id.damping = r->conf->newton.alpha;
	id.factor = r->conf->newton.factor;
	id.inner = r->conf->newton.inner.iterations;
	id.keeps = NULL != c->good;
	id.compares = NULL != c->last;

	for (int i = 0; i < r->p->terms; i++)
		id.term_sizes = id.term_sizes * 31 + functional_size(r->p->term[i].g);

	return id;
}

/** A piece of the file: fn writes or reads it. */
typedef void piece_fn(void *ctx, void *p, size_t bytes);

/** All vectors, in their order. */
static void all_vectors(const struct run *r, const struct course *c, piece_fn *fn, void *ctx)
{
	const size_t size = dtype_size(r->type);
	const int terms = r->p->terms;

	fn(ctx, r->x, (size_t)r->n * size);

	fn(ctx, r->h, (size_t)((r->basis + 2) * (r->basis + 4)) * sizeof *r->h);

	for (long i = 0; i < algorithm_volumes(r->alg, r->basis, NULL != r->p->W); i++)
		fn(ctx, r->v[i], (size_t)r->n * size);

	for (long i = 0; i < algorithm_projections(r->alg, r->basis); i++)
		fn(ctx, r->w[i], (size_t)r->m * size);

	for (int i = 0; i < r->alg->terms * terms; i++)
		fn(ctx, r->z[i], (size_t)functional_size(r->p->term[i % terms].g) * size);

	for (int i = 0; i < terms; i++) {
		long bytes;
		void *state = functional_state(r->p->term[i].g, &bytes);

		if (bytes > 0)
			fn(ctx, state, (size_t)bytes);
	}

	if (NULL != c->good)
		fn(ctx, c->good, (size_t)r->n * size);

	if (NULL != c->last)
		fn(ctx, c->last, (size_t)r->n * size);
}

static void put(void *ctx, void *p, size_t bytes)
{
	if (bytes > 0 && 1 != fwrite(p, bytes, 1, ctx))
		error("the checkpoint cannot be written: is the disk full?");
}

void checkpoint_write(const char *path, const struct run *r, const struct course *c)
{
	struct file_out *f = file_create(path);
	struct identity id = identity_of(r, c);
	struct numbers n;

	memset(&n, 0, sizeof n);
	n.k = r->k;
	memcpy(n.s, r->s, sizeof n.s);
	n.residual = r->residual;
	n.objective = r->objective;
	n.gradient = r->gradient;
	n.step = r->step;
	n.minimum = r->minimum;
	n.first = c->first;
	n.best = c->best;
	n.first_gradient = c->gradient;
	n.end = (int)c->res.end;

	put(file_stream(f), &id, sizeof id);
	put(file_stream(f), &n, sizeof n);
	all_vectors(r, c, put, file_stream(f));
	file_commit(f);
}

struct reader {
	const char *path, *p;
	size_t left;
};

static void get(void *ctx, void *p, size_t bytes)
{
	struct reader *q = ctx;

	if (q->left < bytes)
		error("%s: the checkpoint ends early: it was not written to its end", q->path);

	memcpy(p, q->p, bytes);
	q->p += bytes;
	q->left -= bytes;
}

void checkpoint_read(const char *path, struct run *r, struct course *c)
{
	struct reader q = {.path = path};
	const char *all = q.p = file_map(path, &q.left);
	const struct identity want = identity_of(r, c);
	struct identity id;
	struct numbers n;

	if (q.left < sizeof id + sizeof n || 0 != memcmp(all, magic, sizeof magic))
		error("%s is no checkpoint of this version", path);

	get(&q, &id, sizeof id);
	id.algorithm[sizeof id.algorithm - 1] = '\0';

	if (0 != strcmp(id.algorithm, want.algorithm))
		error("%s is a checkpoint of %s, expected one of %s", path, id.algorithm, want.algorithm);

	if (0 != memcmp(id.data, want.data, sizeof id.data) || id.n != want.n || id.m != want.m ||
	        id.type != want.type)
		error("%s is a checkpoint of other projections or of a volume of another size", path);

	if (0 != memcmp(&id, &want, sizeof id))
		error("%s is a checkpoint of a run with other terms or options, another geometry or model",
		        path);

	get(&q, &n, sizeof n);
	r->k = n.k;
	memcpy(r->s, n.s, sizeof n.s);
	r->residual = n.residual;
	r->objective = n.objective;
	r->gradient = n.gradient;
	r->step = n.step;
	r->minimum = n.minimum;
	c->first = n.first;
	c->best = n.best;
	c->gradient = n.first_gradient;
	c->res.end = (enum iter_end)n.end;
	all_vectors(r, c, get, &q);

	if (0 != q.left)
		error("%s: the checkpoint is longer than this run's, by %zu bytes", path, q.left);

	file_unmap(all);
}
