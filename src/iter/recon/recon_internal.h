#ifndef ITER_RECON_RECON_INTERNAL_H
#define ITER_RECON_RECON_INTERNAL_H

#include "iter/recon/recon.h"
#include "iter/recon/recon_rule.h"
#include "iter/recon/recon_scan.h"
#include "iter/recon/recon_spectrum.h"
#include "iter/recon/recon_subsets.h"

/* The volume of a problem has SPACE dims. If a term couples channels or times, the volume has FRAMES more
 * dims. */
enum { SPACE = 3, FRAMES = 2 };

/** The state of a reconstruction command. */
struct recon {
	const struct recon_opts *opts;
	const struct recon_algorithm *alg;
	enum dtype type; // of all vectors
	long m, n;       // numbers of elements of the projections and of the volume of a problem
	long problems, channels;
	int rank; // number of dims of a problem
	struct recon_scan scan;
	char *data; // data model from --data and the header of PROJ; NULL means least squares
	struct cfl *geom, *proj, *vol;
	struct cfl *init, *weights, *prior, *reference; // NULL means not given
	struct geom **g; // geometries of the selected views, for all frames of scan.own
	struct grid grid;
	const struct hdr *header; // header of the volume
	long *at;                 // numbers of the selected views; NULL means all views
	long views;               // number of selected views
	struct mask *mask;
	struct linop *A;
	struct linop *back;       // NULL means A'
	struct linop *dictionary; // NULL means voxels
	const void *y;            // projections in the compute type
	void *copy;               // memory of y; NULL means that y is part of the mapped file
	char *chosen;             // copied weights of the selected views, or NULL
	struct recon_terms terms;
	struct recon_unit unit;        // unit of factors such as 0.5n in the current problem; NAN if unknown
	struct recon_subsets *subsets; // NULL means none
	struct recon_rule *rule;       // NULL means none
	struct recon_spectrum *spectrum; // NULL means none
	double ymin;                     // smallest projection value
	bool distributed;                // each rank stores a part of each vector (num/md/distributed.h)
};

/** Returns the shape of the unknown on this grid, with these numbers of channels and times. */
extern struct recon_unknown recon_unknown(
        const struct recon *r, const struct grid *grid, long channels, long times);

/** Returns true if the projections can be used directly from the file. The file must have the compute type,
 * and the selected views must be consecutive. */
extern bool recon_is_in_file(const struct recon *r);

/** Returns how step sizes are chosen if --step is not given. */
static inline enum iter_steps recon_steps(const struct recon_opts *o)
{
	return (1 == o->steps) ? STEPS_PLAIN : STEPS_DIAGONAL;
}

/** Returns a text that identifies a run. The caller frees the text. The text depends on everything that
 * changes the result: models, geometry, grid, terms, data and weights. */
extern char *recon_identity(const struct recon *r);

/** Creates the terms again. `value` replaces every factor `auto`. A value of 0 means a factor of 1. */
extern void recon_set_factor(struct recon *r, double value);

/** Computes r->unit from the projections y and weights W of a problem. Numbers that cannot be estimated are
 * NAN. */
extern void recon_measure_unit(struct recon *r, const void *y, const struct weights *W);

/** Declares the memory and the temporary files that the command needs. With --plan, the vectors and an
 * estimated time are printed. The estimated time is the number of projections times the time of one
 * projection. The projections are counted in a run on a tiny problem. The time of one projection is
 * extrapolated from a few views. */
extern void recon_plan(const struct recon *r);

/** Cost of a reconstruction. */
struct recon_plan_work {
	double volumes, projections;  // numbers of vectors
	double terms, calls, seconds; // bytes of terms; projections per problem; time of one [s]
};

/** Prints the plan for several ranks (option --ranks of `gantry plan`). The plan contains the decomposition,
 * the data sent and the efficiency. */
extern void recon_plan_ranks(const struct recon *r, const struct recon_plan_work *w);

/** Returns true if the vectors can be distributed over ranks (num/md/distributed.h). With distributed
 * vectors, each rank stores only a part of each vector. */
extern bool recon_can_distribute(const struct recon *r);

#endif
