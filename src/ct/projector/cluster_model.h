#ifndef CT_PROJECTOR_CLUSTER_MODEL_H
#define CT_PROJECTOR_CLUSTER_MODEL_H

#include <stdbool.h>

/**
 * Closed formulas of doc/cluster.md: time, traffic and memory of an iteration, one A and one A', on the ranks
 * of a cluster. For `gantry plan --ranks` and for the simulation (bench/cluster.c), so that both describe the
 * same. Nothing is sent here.
 */

/** Transforms of distributed vectors (xray_shared.c): bytes of the volume (A) and of the projections (A')
 * that a rank receives at a time, about, and the fewest views: each call of A' also reads and writes the
 * volume of its rows of bricks. */
enum { CLUSTER_PIECE = 4 << 20, CLUSTER_BATCH = 12 << 20, CLUSTER_FEWEST_VIEWS = 16 };

/** Sizes of the problem. */
struct cluster_problem {
	double size[3];           // voxels along x, y, z
	double cols, rows, views; // of the projections
	double rows_per_slice;    // detector rows onto which a slice on the axis is projected
	double magnify[2];        // relative to the axis, of the far and the near side of the volume
	double bytes;             // of an element
	double volumes;           // vectors of the volume, each distributed
	double projections;       // likewise
};

/** Rates of a rank. */
struct cluster_rates {
	double a, at;           // A and A' [voxels of a view per second]
	double memory, network; // [bytes/s]
	double inside;          // to ranks of the same node [bytes/s]
	double latency;         // of a message [s]
};

/** What an iteration takes. */
struct cluster_cost {
	double computing;    // A and A', without waiting and adding [s]
	double overlap;      // the iteration, if exchanges run beside the computing [s]
	double separate;     // the iteration, if they do not [s]
	double sent, inside; // by a rank to other nodes, and within its node; at most [bytes]
	double messages;     // by a rank, at most
	double memory;       // private memory of a rank [bytes]
};

/** Slabs along z times groups of views; rank = slab * groups + group. `node`: ranks of a node, all of which
 * have the same slab. Each slab is exchanged in chunks, and the rows of a group in batches of views. `first`:
 * the part of the views that is computed chunk by chunk (A) or batch by batch (A'). */
struct cluster_slabs {
	int slabs, groups, node, batches, chunks;
	double first;
};

/** Detector rows, counted from the middle, that slab s is projected onto. */
extern void cluster_rows(const struct cluster_problem *p, int slabs, int s, double row[2]);
/** How many of them belong to slab `owner`: rows belong to the slabs in equal parts. */
extern double cluster_rows_between(const struct cluster_problem *p, int slabs, int s, int owner);

extern struct cluster_cost cluster_of_slabs(
        const struct cluster_problem *p, const struct cluster_slabs *d, const struct cluster_rates *r);

/** The slabs and groups with the shortest iteration; false: ranks and node do not divide the problem. */
extern bool cluster_choose_slabs(const struct cluster_problem *p, int ranks, int node,
        const struct cluster_rates *r, struct cluster_slabs *d);

/** Distributed vectors (num/md/distributed.h): each rank computes some views (A) and some rows of bricks
 * (A'). It receives the volume in pieces, and the detector rows that meet its rows of bricks in batches.
 * `whole`: every rank has whole vectors instead, and receives the parts of the results of all others after
 * each A and A'. */
struct cluster_blocks {
	int ranks;
	bool whole;
	double rows;         // of bricks
	double piece, batch; // bytes that a rank receives at a time
	double fewest;       // views of a batch
};

extern struct cluster_cost cluster_of_blocks(
        const struct cluster_problem *p, const struct cluster_blocks *d, const struct cluster_rates *r);

#endif
