#ifndef CT_FBP_FBP_FILES_H
#define CT_FBP_FBP_FILES_H

#include "ct/fbp/fbp.h"
#include "ct/fbp/helical.h"
#include "ct/fbp/hilbert.h"
#include "ct/stream/view_read.h"
#include "misc/file/cfl.h"

/** Projections to a volume, from file to file: views are read on demand, all channels and times one after the
 * other, and the volume is written slab by slab if it does not fit into memory. */

struct fbp_files {
	const struct geom *g; // of the views chosen
	const struct grid *grid;
	const char *name; // of the geometry
	struct cfl *proj; // closed at the end
	struct view_choice *chosen;
	const struct hdr *h; // of the output
	const char *out;     // its name
};

/** By filtered back projection, on the GPU where device_used(). */
extern void fbp_files_filtered(const struct fbp_files *s, struct fbp *f);

/** By Fourier transforms (gridrec.h), slice by slice: nothing but the output is as large as the volume. */
extern void fbp_files_gridrec(const struct fbp_files *s, struct fbp *f);

/** A helix, view by view; warns of slices that it does not cover. */
extern void fbp_files_helical(
        const struct fbp_files *s, const struct fbp_settings *set, enum helical_method method);

/** Slice by slice along lines of the Hilbert transform; warns of truncated lines. */
extern void fbp_files_hilbert(const struct fbp_files *s, const struct hilbert_settings *set);

/** Filtered projections of all channels and times, on the columns of the detector. */
extern void fbp_files_filter(struct fbp *f, const struct geom *g, struct cfl *x, struct cfl *y);

#endif
