#ifndef CT_PROJECTOR_CLUSTER_MODEL_H
#define CT_PROJECTOR_CLUSTER_MODEL_H

#include <stdbool.h>

/**
 * Closed formulas of doc/cluster.md for time, traffic and memory of an iteration (one A and one A') on the
 * ranks of a cluster. Both `gantry plan --ranks` and the simulation (bench/cluster.c) use them. These
 * functions send no data.
 */

/** Transfers for distributed vectors (xray_shared.c). CLUSTER_PIECE, CLUSTER_BATCH: bytes of the volume (A)
 * and of the projections (A') that a rank receives at a time, approximately. CLUSTER_FEWEST_VIEWS: lower
 * limit of the views of a batch, because a rank reads and writes its part of the volume once per batch in
 * A'. */
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

/** The cost of an iteration. */
struct cluster_cost {
	double computing;    // A and A', without waiting and adding [s]
	double overlap;      // the iteration, if exchanges run beside the computing [s]
	double separate;     // the iteration, if they do not [s]
	double sent, inside; // by a rank to other nodes, and within its node; at most [bytes]
	double messages;     // by a rank, at most
	double memory;       // private memory of a rank [bytes]
};

/** The volume is divided into slabs along z, and the views into groups; rank = slab * groups + group. `node`:
 * number of ranks of a node, which all have the same slab. Each slab is exchanged in chunks, and the detector
 * rows of a group in batches of views. `first`: the part of the views that is computed chunk by chunk (A) or
 * batch by batch (A'). */
struct cluster_slabs {
	int slabs, groups, node, batches, chunks;
	double first;
};

/** Detector rows onto which slab s is projected, counted from the middle. */
extern void cluster_rows(const struct cluster_problem *p, int slabs, int s, double row[2]);
/** The number of rows of cluster_rows() that belong to slab `owner`; all slabs own equal parts of the
 * detector rows. */
extern double cluster_rows_between(const struct cluster_problem *p, int slabs, int s, int owner);

extern struct cluster_cost cluster_of_slabs(
        const struct cluster_problem *p, const struct cluster_slabs *d, const struct cluster_rates *r);

/** Finds the numbers of slabs and groups with the shortest iteration. Returns false if this number of ranks
 * cannot be divided into slabs and groups. */
extern bool cluster_choose_slabs(const struct cluster_problem *p, int ranks, int node,
        const struct cluster_rates *r, struct cluster_slabs *d);

/** Distributed vectors (num/md/distributed.h): each rank computes some views (A) and some rows of bricks
 * (A'). In A, a rank receives the volume in pieces. In A', a rank receives the detector rows that meet its
 * rows of bricks, in batches of views. `whole`: instead, every rank has the complete vectors, and receives
 * the results of all other ranks after each A and A'. */
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
