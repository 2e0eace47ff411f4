#ifndef CT_FBP_FBP_FILES_H
#define CT_FBP_FBP_FILES_H

#include "ct/fbp/fbp.h"
#include "ct/fbp/helical.h"
#include "ct/fbp/hilbert.h"
#include "ct/stream/view_read.h"
#include "misc/file/cfl.h"

/** Reconstruction of a volume file from a file of projections. Views are read on demand. Channels and times
 * are reconstructed one by one. If the volume does not fit into memory, it is written slab by slab. */

struct fbp_files {
	const struct geom *g; // of the views chosen
	const struct grid *grid;
	const char *name; // of the geometry
	struct cfl *proj; // closed at the end
	struct view_choice *chosen;
	const struct hdr *h; // of the output
	const char *out;     // its name
};

/** Filtered back projection; on the GPU if device_used(). */
extern void fbp_files_filtered(const struct fbp_files *s, struct fbp *f);

/** Reconstruction by Fourier transforms (gridrec.h), slice by slice. The output is the only array as large as
 * the volume. */
extern void fbp_files_gridrec(const struct fbp_files *s, struct fbp *f);

/** Reconstruction from a helical scan, view by view; warns of slices that the helix does not cover. */
extern void fbp_files_helical(
        const struct fbp_files *s, const struct fbp_settings *set, enum helical_method method);

/** Two-step Hilbert reconstruction (hilbert.h), slice by slice; warns of truncated lines. */
extern void fbp_files_hilbert(const struct fbp_files *s, const struct hilbert_settings *set);

/** Writes the filtered projections of all channels and times, without the columns that scan_beyond() adds. */
extern void fbp_files_filter(struct fbp *f, const struct geom *g, struct cfl *x, struct cfl *y);

#endif
