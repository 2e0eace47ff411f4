#ifndef ITER_RECON_RECON_INTERNAL_H
#define ITER_RECON_RECON_INTERNAL_H

#include "iter/recon/recon.h"
#include "iter/recon/recon_rule.h"
#include "iter/recon/recon_scan.h"
#include "iter/recon/recon_spectrum.h"
#include "iter/recon/recon_subsets.h"

/* A problem has the dims of space, or also channel and time if a term couples them. The other dims count
 * problems. */
enum { SPACE = 3, FRAMES = 2 };

/** The state of a running reconstruction command. */
struct recon {
	const struct recon_opts *opts;
	const struct recon_algorithm *alg;
	enum dtype type; // of vectors
	long m, n;       // elements of a problem's projections and volume
	long problems, channels;
	int rank; // dims of a problem
	struct recon_scan scan;
	char *data; // from --data and the header of PROJ; NULL: least squares
	struct cfl *geom, *proj, *vol;
	struct cfl *init, *weights, *prior, *reference; // NULL: not given
	struct geom **g;                                // of the chosen views, for each frame of scan.own
	struct grid grid;
	const struct hdr *header; // of the volume
	long *at;                 // chosen views; NULL: all
	long views;               // how many
	struct mask *mask;
	struct linop *A;
	struct linop *back;       // NULL: A'
	struct linop *dictionary; // NULL: voxels
	const void *y;            // of the compute type
	void *copy;               // owns y if it differs from the file
	char *chosen;             // weights of the chosen views, or NULL
	struct recon_terms terms;
	struct recon_unit unit; // of factors in units of the noise, in this problem; sigma NAN: unknown
	struct recon_subsets *subsets;   // NULL: none
	struct recon_rule *rule;         // NULL: none
	struct recon_spectrum *spectrum; // NULL: none
	double ymin;
	bool distributed; // each rank has a part of the vectors (num/md/distributed.h)
};

/** The unknown of a problem on this grid, with these numbers of channels and times. */
extern struct recon_unknown recon_unknown(
        const struct recon *r, const struct grid *grid, long channels, long times);

/** Whether the projection file contains y in the form that the algorithm needs. */
extern bool recon_is_in_file(const struct recon *r);

/** How step sizes are chosen if --step is not given. */
static inline enum iter_steps recon_steps(const struct recon_opts *o)
{
	return (1 == o->steps) ? STEPS_PLAIN : STEPS_DIAGONAL;
}

/** Text that identifies a run by everything that changes its result (malloc'd): models, geometry, grid,
 * terms, data, weights.
 */
extern char *recon_identity(const struct recon *r);

/** Creates the terms again; `value` replaces the factor given as `auto`. value 0: the factor is 1. */
extern void recon_set_factor(struct recon *r, double value);

/** Computes r->unit from the projections and weights of a problem; its numbers are NAN if unknown. */
extern void recon_measure_unit(struct recon *r, const void *y, const struct weights *W);

/** Declares memory and temporary files and, with --plan, prints vectors and time. The time is the number of
 * projections times the time of a projection. Projections are counted by solving a tiny version of the
 * problem; the time of a projection is extrapolated from a few views. */
extern void recon_plan(const struct recon *r);

/** Cost of a reconstruction: vectors, bytes of terms, and `calls` projections and back projections per
 * problem, which take `seconds` each. */
struct recon_plan_work {
	long volumes, projections;
	double terms, calls, seconds;
};

/** For `gantry plan --ranks`: prints the decomposition, what is sent and the efficiency. */
extern void recon_plan_ranks(const struct recon *r, const struct recon_plan_work *w);

/** Whether each of several ranks needs only a part of the vectors (num/md/distributed.h). */
extern bool recon_can_distribute(const struct recon *r);

#endif
