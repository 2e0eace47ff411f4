/** Time, traffic and memory of an iteration on a cluster. */

#include <math.h>

#include "ct/projector/cluster_model.h"

enum { ADDED = 3 }; // accesses of an addition: two read, one written

static double voxels(const struct cluster_problem *p)
{
	return p->size[0] * p->size[1] * p->size[2];
}

static double pixels(const struct cluster_problem *p)
{
	return p->cols * p->rows * p->views;
}

/** Updates of a vector of x, p and s of conjugate gradients, and latencies of their sums. */
static double rest(const struct cluster_problem *p, const struct cluster_rates *r, int ranks)
{
	const double accesses = 10., sums = 6.;

	return accesses * p->bytes * voxels(p) / ranks / r->memory + sums * ceil(log2(ranks)) * r->latency;
}

void cluster_rows(const struct cluster_problem *p, int slabs, int s, double row[2])
{
	const double half = p->size[2] / 2., edge = p->rows / 2.,
	             z[2] = {p->size[2] * s / slabs - half, p->size[2] * (s + 1) / slabs - half};

	row[0] = z[0] * p->magnify[z[0] < 0.];
	row[1] = z[1] * p->magnify[!(z[1] < 0.)];

	for (int i = 0; i < 2; i++)
		row[i] = fmin(edge, fmax(-edge, row[i] * p->rows_per_slice));
}

double cluster_rows_between(const struct cluster_problem *p, int slabs, int s, int owner)
{
	const double low = p->rows * owner / slabs - p->rows / 2.;
	double row[2];

	cluster_rows(p, slabs, s, row);

	return fmax(0., fmin(row[1], low + p->rows / slabs) - fmax(row[0], low));
}

/** The most rows that a slab is projected onto and does not own, and the most other slabs that own them. */
static double rows_of_others(const struct cluster_problem *p, int slabs, double *owners)
{
	double most = 0.;

	*owners = 0.;

	for (int s = 0; s < slabs && slabs > 1; s++) {
		double row[2], n = 0.;

		cluster_rows(p, slabs, s, row);
		most = fmax(most, row[1] - row[0] - p->rows / slabs);

		for (int t = 0; t < slabs; t++)
			n += t != s && cluster_rows_between(p, slabs, s, t) > 0.;

		*owners = fmax(*owners, n);
	}

	return most;
}

struct cluster_cost cluster_of_slabs(
        const struct cluster_problem *p, const struct cluster_slabs *d, const struct cluster_rates *c)
{
	const int ranks = d->slabs * d->groups, nodes = d->groups / d->node;
	const double work = voxels(p) * p->views / ranks, a = work / c->a, at = work / c->at;
	const double slab = p->bytes * voxels(p) / d->slabs, cut = floor(d->first * d->batches) / d->batches;
	const double sent_out = slab * (nodes - 1) / d->groups, sent_in = slab * (d->node - 1) / d->node;
	const double outer = sent_out / c->network, inner = sent_in / c->inside;
	const double chunk = (outer + inner) / d->chunks, longer = fmax(outer, inner);
	double owners;
	const double rows = p->bytes * p->cols * rows_of_others(p, d->slabs, &owners) * p->views / d->groups,
	             r = rows / c->network;
	const double forward =
	        chunk + fmax(cut * a, longer - chunk) + fmax((1. - cut) * a + r / d->batches, r);
	const double backward = fmax(
	        cut * at + r / d->batches + fmax((1. - cut) * at, r - cut * at) + chunk, cut * at + longer);
	const double adding = (double)ADDED * (rows + slab) / c->memory + rest(p, c, ranks);

	return (struct cluster_cost){.computing = a + at,
	        .overlap = forward + backward + adding,
	        .separate = a + at + 2. * (r + longer + chunk) + adding,
	        .sent = 2. * (rows + sent_out),
	        .inside = 2. * sent_in,
	        .messages = 2. * (d->chunks * (double)(d->node - 1 + nodes - 1) + d->batches * owners),
	        .memory = p->bytes * (p->volumes * voxels(p) + p->projections * pixels(p)) / ranks +
	                  slab * (1. + 2. / d->chunks) + 4. * rows / d->batches};
}

bool cluster_choose_slabs(const struct cluster_problem *p, int ranks, int node, const struct cluster_rates *r,
        struct cluster_slabs *d)
{
	double least = INFINITY;

	for (int groups = node; groups <= ranks && groups <= p->views; groups += node)
		for (int batches = 32; batches <= 128 && ranks % groups == 0; batches *= 2) {
			const struct cluster_slabs other = {ranks / groups, groups, node, batches, 8, 0.5};

			if (other.slabs > p->size[2])
				continue;

			const double time = cluster_of_slabs(p, &other, r).overlap;

			if (time < least)
				*d = other;

			least = fmin(least, time);
		}

	return least < INFINITY;
}

/** Vectors are whole: their parts are exchanged after the computing. */
static struct cluster_cost exchanged(
        const struct cluster_problem *p, int ranks, double computing, const struct cluster_rates *c)
{
	const double volume = p->bytes * voxels(p), views = p->bytes * pixels(p),
	             sent = (volume + views) * (ranks - 1) / ranks,
	             time = computing + sent / c->network + rest(p, c, 1);

	return (struct cluster_cost){.computing = computing,
	        .overlap = time,
	        .separate = time,
	        .sent = sent,
	        .messages = 2. * (ranks - 1),
	        .memory = p->volumes * volume + p->projections * views};
}

struct cluster_cost cluster_of_blocks(
        const struct cluster_problem *p, const struct cluster_blocks *d, const struct cluster_rates *c)
{
	const double R = d->ranks, work = voxels(p) * p->views, others = (R - 1.) / R;
	const double a = work / c->a * ceil(p->views / R) / p->views,
	             at = work / c->at * ceil(d->rows / R) / d->rows;
	const double volume = p->bytes * voxels(p), views = p->bytes * pixels(p);
	double most = 0., all = 0., least = INFINITY; // detector rows that a rank needs

	if (d->whole)
		return exchanged(p, d->ranks, a + at, c);

	for (int k = 0; k < d->ranks; k++) {
		double row[2];

		cluster_rows(p, d->ranks, k, row);
		most = fmax(most, row[1] - row[0]);
		least = fmin(least, row[1] - row[0]);
		all += row[1] - row[0];
	}

	const double sent = views / R * (all - least) / p->rows, got = views * most / p->rows * others;
	const double pieces = fmin(d->rows, ceil(volume / d->piece)),
	             batches = ceil(p->views / fmax(d->fewest, d->batch / (most * p->cols * p->bytes)));
	const double v = volume * others / c->network, q = fmax(sent, got) / c->network;

	return (struct cluster_cost){.computing = a + at,
	        .overlap = fmax(a, v * (pieces - 1.) / pieces) + v / pieces +
	                   fmax(at, q * (batches - 1.) / batches) + q / batches + rest(p, c, d->ranks),
	        .separate = a + at + v + q + rest(p, c, d->ranks),
	        .sent = volume * others + sent,
	        .messages = pieces * (R - 1.) + ceil(p->views / R) * (R - 1.),
	        .memory = (p->volumes * volume + p->projections * views) / R +
	                  2. * fmax(volume / pieces, got / others / batches)};
}
