#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iter/monitor/checkpoint.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "num/md/distributed.h"

static const char magic[] = "gantry checkpoint 8\n";

/** Settings that must agree between the run that wrote a checkpoint and the run that reads it. */
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
	long minimum; // 0 or 1
	double first, best, first_gradient;
	long end; // enum iter_end
	struct fall fall;
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

static piece_fn put;

/** n elements; distributed vectors are written and read as a whole. */
static void vector(const struct run *r, void *p, long n, piece_fn *fn, void *ctx)
{
	const size_t size = dtype_size(r->type);

	if (put == fn)
		distributed_gather(n, size, p);

	fn(ctx, p, (size_t)n * size);
	distributed_release(n, size, p, 0, n);
}

/** All vectors, in their order. */
static void all_vectors(const struct run *r, const struct course *c, piece_fn *fn, void *ctx)
{
	const int terms = r->p->terms;

	vector(r, r->x, r->n, fn, ctx);

	fn(ctx, r->h, (size_t)((r->basis + 2) * (r->basis + 4)) * sizeof *r->h);

	for (long i = 0; i < algorithm_volumes(r->alg, r->basis, NULL != r->p->W); i++)
		vector(r, r->v[i], r->n, fn, ctx);

	for (long i = 0; i < algorithm_projections(r->alg, r->basis); i++)
		vector(r, r->w[i], r->m, fn, ctx);

	for (int i = 0; i < r->alg->terms * terms; i++)
		vector(r, r->z[i], functional_size(r->p->term[i % terms].g), fn, ctx);

	for (int i = 0; i < terms; i++) {
		long bytes;
		void *state = functional_state(r->p->term[i].g, &bytes);

		if (bytes > 0)
			fn(ctx, state, (size_t)bytes);
	}

	if (NULL != c->good)
		vector(r, c->good, r->n, fn, ctx);

	if (NULL != c->last)
		vector(r, c->last, r->n, fn, ctx);
}

struct writer {
	struct file_out *f;
	struct hasher *h;
};

static void put(void *ctx, void *p, size_t bytes)
{
	struct writer *w = ctx;

	if (bytes > 0 && 1 != fwrite(p, bytes, 1, file_stream(w->f)))
		file_failed(w->f, NULL);

	hash_add(w->h, p, bytes);
}

static struct numbers numbers_of(const struct run *r, const struct course *c)
{
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
	n.end = (long)c->res.end;
	n.fall = c->fall;
	return n;
}

void checkpoint_write(const char *path, const struct run *r, const struct course *c)
{
	struct file_out *f = file_create_state(path);
	struct writer w = {f, hash_begin()};
	struct identity id = identity_of(r, c);
	struct numbers n = numbers_of(r, c);
	char hash[HASH_TEXT];

	put(&w, &id, sizeof id);
	put(&w, &n, sizeof n);
	all_vectors(r, c, put, &w);
	hash_end(w.h, hash);

	if (1 != fwrite(hash, sizeof hash, 1, file_stream(f)))
		file_failed(f, NULL);

	file_commit_synced(f);
}

struct reader {
	const char *path, *p;
	size_t left;
};

static void get(void *ctx, void *p, size_t bytes)
{
	struct reader *q = ctx;

	if (q->left < bytes)
		error("%s contains fewer vectors than this run needs (start without --resume)", q->path);

	memcpy(p, q->p, bytes);
	q->p += bytes;
	q->left -= bytes;
}

/* Checks the whole file before anything else of it is read, and cuts the checksum off. */
static void check_sum(struct reader *q)
{
	char hash[HASH_TEXT];

	if (q->left < sizeof magic || 0 != memcmp(q->p, magic, sizeof magic))
		error("%s: not a checkpoint of this version (start without --resume)", q->path);

	if (q->left < sizeof magic + HASH_TEXT)
		error("%s: truncated checkpoint (start without --resume)", q->path);

	q->left -= HASH_TEXT;
	hash_text(hash, q->p, q->left);

	if (0 != memcmp(hash, q->p + q->left, HASH_TEXT))
		error("%s: damaged or truncated checkpoint (start without --resume)", q->path);
}

static void check_identity(struct reader *q, const struct identity *want)
{
	struct identity id;

	get(q, &id, sizeof id);
	id.algorithm[sizeof id.algorithm - 1] = '\0';

	if (0 != strcmp(id.algorithm, want->algorithm))
		error("%s is a checkpoint of %s, expected a checkpoint of %s", q->path, id.algorithm,
		        want->algorithm);

	if (0 != memcmp(id.data, want->data, sizeof id.data) || id.n != want->n || id.m != want->m ||
	        id.type != want->type)
		error("%s is a checkpoint of other projections or of a volume of another size", q->path);

	if (0 != memcmp(&id, want, sizeof id))
		error("%s is a checkpoint of a run with other terms, options, geometry or model", q->path);
}

static void get_numbers(struct reader *q, struct run *r, struct course *c)
{
	struct numbers n;

	get(q, &n, sizeof n);
	r->k = n.k;
	memcpy(r->s, n.s, sizeof n.s);
	r->residual = n.residual;
	r->objective = n.objective;
	r->gradient = n.gradient;
	r->step = n.step;
	r->minimum = 0 != n.minimum;
	c->first = n.first;
	c->best = n.best;
	c->gradient = n.first_gradient;
	c->fall = n.fall;

	if (n.k < 0 || (0 != n.minimum && 1 != n.minimum) || n.end < ITER_ALL || n.end > ITER_CONVERGED ||
	        n.fall.n < 0 || n.fall.n > FALL_MARKS || (NULL != r->alg->sound && !r->alg->sound(r)))
		error("%s: the checkpoint contains impossible numbers (start without --resume)", q->path);

	c->res.end = (enum iter_end)n.end;
}

void checkpoint_read(const char *path, struct run *r, struct course *c)
{
	struct reader q = {.path = path};
	const char *all = q.p = file_map(path, &q.left);
	const struct identity want = identity_of(r, c);

	check_sum(&q);
	check_identity(&q, &want);
	get_numbers(&q, r, c);
	all_vectors(r, c, get, &q);

	if (0 != q.left)
		error("%s contains more vectors than this run needs (start without --resume)", path);

	file_unmap(all);
}
