#ifndef CT_PROJECTOR_CLUSTER_MODEL_H
#define CT_PROJECTOR_CLUSTER_MODEL_H

#include <stdbool.h>

/**
 * Formulas for the time, traffic and memory of one iteration on a cluster. An iteration is one projection A
 * and one backprojection A'. The formulas are described in doc/cluster.md. `gantry plan --ranks` and the
 * simulation bench/cluster.c use the formulas. The functions send no data.
 */

/**
 * Sizes of transfers for distributed vectors (xray_shared.c). A rank is one process of the cluster.
 *
 * - CLUSTER_PIECE: In A, a rank receives the volume in pieces of about this size [bytes].
 * - CLUSTER_BATCH: In A', a rank receives the projections in batches of about this size [bytes].
 * - CLUSTER_FEWEST_VIEWS: A batch has at least this number of views. In A', a rank reads and writes its part
 *   of the volume once per batch.
 */
enum { CLUSTER_PIECE = 4 << 20, CLUSTER_BATCH = 12 << 20, CLUSTER_FEWEST_VIEWS = 16 };

/** Sizes of the volume and the projections. */
struct cluster_problem {
	double size[3];           // voxels along x, y, z
	double cols, rows, views; // number of columns, rows and views
	double rows_per_slice;    // detector rows per slice, for a slice at the rotation axis
	double magnify[2];  // magnification of the far and the near side of the volume, relative to the axis
	double bytes;       // bytes per element
	double volumes;     // number of distributed vectors with the size of the volume
	double projections; // number of distributed vectors with the size of the projections
};

/** Speed of one rank (process). */
struct cluster_rates {
	double a, at;           // speed of A and of A' [voxels of a view per second]
	double memory, network; // rates of memory, and of transfers to other nodes [bytes/s]
	double inside;          // rate of transfers to ranks of the same node [bytes/s]
	double latency;         // latency of a message [s]
};

/** Cost of one iteration on the cluster. */
struct cluster_cost {
	double computing;    // time to compute A and A', without waiting and adding [s]
	double overlap;      // time of the iteration if transfers overlap with computing [s]
	double separate;     // time of the iteration if transfers do not overlap with computing [s]
	double sent, inside; // most bytes that a rank sends to other nodes, and within its node
	double messages;     // most messages that a rank sends
	double memory;       // private memory of a rank [bytes]
};

/** A division of the volume into slabs along z, and of the views into groups. The rank number is slab *
 * groups + group. `node` is the number of ranks per node. All ranks of a node have the same slab. A slab is
 * sent in `chunks` chunks. The detector rows of a group are sent in `batches` batches of views. In A, the
 * fraction `first` of the views is computed chunk by chunk. In A', the fraction `first` of the views is
 * computed batch by batch. */
struct cluster_slabs {
	int slabs, groups, node, batches, chunks;
	double first;
};

/** Finds the detector rows onto which slab s is projected. Sets row[0] and row[1] to the ends of the range,
 * counted from the middle of the detector. */
extern void cluster_rows(const struct cluster_problem *p, int slabs, int s, double row[2]);
/** Returns how many of the rows of cluster_rows() belong to slab `owner`. Each slab owns an equal part of
 * the detector rows. */
extern double cluster_rows_between(const struct cluster_problem *p, int slabs, int s, int owner);

/** Returns the cost of an iteration with slabs. */
extern struct cluster_cost cluster_of_slabs(
        const struct cluster_problem *p, const struct cluster_slabs *d, const struct cluster_rates *r);

/** Finds the division into slabs with the shortest iteration. Returns false if this number of ranks cannot
 * be divided into slabs and groups. */
extern bool cluster_choose_slabs(const struct cluster_problem *p, int ranks, int node,
        const struct cluster_rates *r, struct cluster_slabs *d);

/** A division for distributed vectors (num/md/distributed.h). A rank computes some views in A, and some rows
 * of bricks in A'. A brick is a block of voxels. In A, a rank receives the volume in pieces. In A', a rank
 * receives projections in batches of views. A rank receives only the detector rows that its bricks need. If
 * `whole` is true, every rank has complete vectors. With `whole`, the ranks exchange results after each A
 * and each A'. */
struct cluster_blocks {
	int ranks;
	bool whole;
	double rows;         // number of rows of bricks
	double piece, batch; // bytes that a rank receives at a time
	double fewest;       // least number of views of a batch
};

/** Returns the cost of an iteration with distributed or complete vectors. */
extern struct cluster_cost cluster_of_blocks(
        const struct cluster_problem *p, const struct cluster_blocks *d, const struct cluster_rates *r);

#endif
