#include <stdlib.h>

#include "iter/recon_device.h"

#include "misc/mem.h"
#include "num/device.h"
#include "num/flpmath.h"
#include "num/place.h"

struct recon_device {
	size_t bytes; // of the volume
	void *host;
	bool stays; // x is that of an array in memory, y likewise
	bool kept;
	void *x, *y, *w; // w NULL: none
	struct weights *W;
	void *rows; // data of the subsets, one after the other; NULL: none
	struct iter_subset *subset;
};

/* Bytes on the device: vectors of the algorithm, of its terms, the data, and what the X-ray transform keeps
 * there. */
static double needs(const struct recon *r, const struct iter_problem *p, const struct iter_conf *conf)
{
	const struct algorithm *a = r->alg->algorithm;
	const double size = (double)dtype_size(r->type), n = (double)r->n, m = (double)r->m;
	const long volumes =
	        algorithm_volumes(a, conf->basis, NULL != p->W) + conf->keep + (conf->change > 0.) + 3;
	const long projections = algorithm_projections(a, conf->basis) + 3 * (NULL != p->W) + 2;
	double sum = (double)volumes * n + (double)projections * m + ((0 < p->subsets) ? m : 0.) +
	             ((NULL != p->data) ? 3. * m : 0.);

	for (int i = 0; i < p->terms; i++)
		sum += (double)(a->terms + 1) * (double)functional_size(p->term[i].g) +
		       (double)functional_memory(p->term[i].g) / size;

	return sum * size;
}

static bool can_go(const struct recon *r, const struct iter_problem *p, const struct iter_conf *conf)
{
	const bool known = NULL == p->data || functional_is_anywhere(p->data);
	const bool plain = known && NULL == p->F && NULL == p->back && NULL == p->dictionary;

	// what was begun here is not gone on with there
	const bool once = NULL == r->rule && NULL == conf->checkpoint && (0 == p->subsets || NULL == p->W);

	return 0 <= device_used() && (r->alg->algorithm->takes & ANYWHERE) && plain && once &&
	       needs(r, p, conf) <= (double)device_left();
}

/* Where the output is an array in memory, that is the volume. */
static void bring_volume(struct recon_device *d, const struct recon *r)
{
	d->x = (1 == r->problems) ? place_on_device(r->vol, true) : NULL;
	d->stays = NULL != d->x;

	if (d->stays)
		device_copy(d->x, d->host, d->bytes);
	else
		d->x = place_bring(d->host, d->bytes);
}

/* An array in memory may be there already. */
static void bring_data(struct recon_device *d, const struct recon *r, const struct iter_problem *p)
{
	const bool whole = 1 == r->problems && NULL == r->at && NULL == r->copy;

	d->y = whole ? place_on_device(r->proj, false) : NULL;
	d->kept = NULL != d->y;

	if (!d->kept)
		d->y = place_bring(p->y, (size_t)r->m * dtype_size(r->type));
}

/* As numbers, one for each of the data. */
static void bring_weights(struct recon_device *d, const struct recon *r, struct iter_problem *p)
{
	const enum dtype real = dtype_real(r->type);
	const size_t bytes = (size_t)r->m * dtype_size(real);
	long dims[DIMS];
	void *here = md_alloc(1, &r->m, dtype_size(real));

	run_fill(real, r->m, here, 1.);
	weights_apply(p->W, real, r->m, here, here);
	d->w = place_bring(here, bytes);
	md_free(here);

	md_singleton_dims(DIMS, dims);
	dims[0] = r->m;
	p->W = d->W = weights_create_array(dims, dims, real, d->w);
}

static void bring_subsets(struct recon_device *d, const struct recon *r, struct iter_problem *p)
{
	const size_t size = dtype_size(r->type);
	size_t at = 0;

	d->subset = mem_alloc((size_t)p->subsets * sizeof *d->subset);
	d->rows = place_bring(p->subset[0].y, (size_t)r->m * size);

	for (int k = 0; k < p->subsets; k++) {
		d->subset[k] = p->subset[k];
		d->subset[k].y = (char *)d->rows + at;
		at += (size_t)linop_codomain_size(p->subset[k].A) * size;
	}

	p->subset = d->subset;
}

struct recon_device *recon_device_begin(
        const struct recon *r, struct iter_problem *p, const struct iter_conf *conf, void **x)
{
	if (!can_go(r, p, conf))
		return NULL;

	struct recon_device *d = NEW(struct recon_device);
	const size_t size = dtype_size(r->type);

	d->bytes = (size_t)r->n * size;
	d->host = *x;
	bring_volume(d, r);
	bring_data(d, r, p);
	*x = d->x;
	p->y = d->y;

	if (NULL != p->W)
		bring_weights(d, r, p);

	if (0 < p->subsets)
		bring_subsets(d, r, p);

	return d;
}

void recon_device_end(struct recon_device *d)
{
	if (NULL == d)
		return;

	if (!d->stays) {
		device_copy(d->host, d->x, d->bytes);
		device_free(d->x);
	}

	if (!d->kept)
		device_free(d->y);

	if (NULL != d->w)
		device_free(d->w);

	if (NULL != d->rows)
		device_free(d->rows);

	free(d->subset);

	weights_free(d->W);
	free(d);
}
