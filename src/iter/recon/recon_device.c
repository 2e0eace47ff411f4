#include <stdlib.h>

#include "iter/recon/recon_device.h"

#include "misc/mem.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/flpmath.h"

struct recon_device {
	size_t bytes; // of the volume
	void *host;
	bool stays; // x is that of an array in memory, y likewise
	bool kept;
	void *x, *y, *w; // w NULL: none
	struct weights *W;
	void *rows; // data of the subsets, one after the other; NULL: none
	void *row_weights;
	int subsets;
	struct iter_subset *subset;
};

/* Bytes on the device: vectors of the algorithm and of its terms, the data, and memory of the X-ray
 * transform. */
static double needs(const struct recon *r, const struct iter_problem *p, const struct iter_conf *conf)
{
	const struct algorithm *a = r->alg->algorithm;
	const double size = (double)dtype_size(r->type), n = (double)r->n, m = (double)r->m;
	const long volumes =
	        algorithm_volumes(a, conf->basis, NULL != p->W) + conf->keep + (conf->change > 0.) + 3;
	const long projections = algorithm_projections(a, conf->basis) + 3 * (NULL != p->W) + 2;
	double sum = (double)volumes * n + (double)projections * m +
	             ((0 < p->subsets) ? m : 0.) * ((NULL != p->W) ? 2. : 1.) +
	             ((NULL != p->data) ? 3. * m : 0.) +
	             ((NULL != p->F) ? 4. * (m + n) : 0.); // what these keep

	for (int i = 0; i < p->terms; i++)
		sum += (double)(a->terms + 1) * (double)functional_size(p->term[i].g) +
		       (double)functional_memory(p->term[i].g) / size;

	return sum * size;
}

static bool can_go(const struct recon *r, const struct iter_problem *p, const struct iter_conf *conf)
{
	const bool known = NULL == p->data || functional_is_anywhere(p->data);
	const bool linear = NULL == p->F || (nlop_is_anywhere(p->F) && NULL == conf->newton.reference);

	// what was begun here is not gone on with there
	const bool once = NULL == r->rule && NULL == conf->checkpoint;

	return 0 <= device_used() && (r->alg->algorithm->takes & ANYWHERE) && known && linear && once &&
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

/* An array in memory may be there already, unless the data are made of it. */
static void bring_data(struct recon_device *d, const struct recon *r, const struct iter_problem *p)
{
	const bool whole = 1 == r->problems && NULL == r->at && NULL == r->copy && p->y == r->y;

	d->y = whole ? place_on_device(r->proj, false) : NULL;
	d->kept = NULL != d->y;

	if (!d->kept)
		d->y = place_bring(p->y, (size_t)r->m * dtype_size(r->type));
}

/* m numbers at `there`, one for each of the data; `here` is room for them. */
static struct weights *weights_there(
        const struct weights *W, enum dtype real, long m, void *here, void *there)
{
	long dims[DIMS];

	run_fill(real, m, here, 1.);
	weights_apply(W, real, m, here, here);
	device_copy(there, here, (size_t)m * dtype_size(real));
	md_singleton_dims(DIMS, dims);
	dims[0] = m;

	return weights_create_array(dims, dims, real, there);
}

static void bring_weights(struct recon_device *d, const struct recon *r, struct iter_problem *p)
{
	const enum dtype real = dtype_real(r->type);
	void *here = md_alloc(1, &r->m, dtype_size(real));

	d->w = device_alloc((size_t)r->m * dtype_size(real));
	p->W = d->W = weights_there(p->W, real, r->m, here, d->w);
	md_free(here);
}

static void bring_subsets(struct recon_device *d, const struct recon *r, struct iter_problem *p)
{
	const enum dtype real = dtype_real(r->type);
	const size_t size = dtype_size(r->type);
	void *here = md_alloc(1, &r->m, dtype_size(real));
	size_t at = 0;

	d->subsets = p->subsets;
	d->subset = mem_alloc((size_t)p->subsets * sizeof *d->subset);
	d->rows = place_bring(p->subset[0].y, (size_t)r->m * size);
	d->row_weights = (NULL != p->W) ? device_alloc((size_t)r->m * dtype_size(real)) : NULL;

	for (int k = 0; k < p->subsets; k++) {
		const long m = linop_codomain_size(p->subset[k].A);

		d->subset[k] = p->subset[k];
		d->subset[k].y = (char *)d->rows + at * size;

		if (NULL != p->subset[k].W)
			d->subset[k].W = weights_there(p->subset[k].W, real, m, here,
			        (char *)d->row_weights + at * dtype_size(real));

		at += (size_t)m;
	}

	p->subset = d->subset;
	md_free(here);
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

	if (NULL != d->row_weights)
		device_free(d->row_weights);

	for (int k = 0; k < d->subsets; k++)
		weights_free((struct weights *)d->subset[k].W);

	free(d->subset);
	weights_free(d->W);
	free(d);
}
