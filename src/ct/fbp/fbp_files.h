#ifndef CT_FBP_FBP_FILES_H
#define CT_FBP_FBP_FILES_H

#include "ct/fbp/fbp.h"
#include "ct/fbp/helical.h"
#include "ct/fbp/hilbert.h"
#include "ct/stream/view_read.h"
#include "misc/file/cfl.h"

/** These functions reconstruct a volume file from a projection file. Each channel and time is reconstructed
 * separately. */

struct fbp_files {
	const struct geom *g; // geometry of the selected views
	const struct grid *grid;
	const char *name;           // name of the geometry file
	struct cfl *proj;           // projections; closed after the reconstruction
	struct view_choice *chosen; // selected views
	const struct hdr *h;        // header of the output
	const char *out;            // name of the output
};

/** Reconstructs by filtered back projection (fbp.h), on the GPU if a GPU is in use. A volume that does not
 * fit into memory is computed slab by slab. */
extern void fbp_files_filtered(const struct fbp_files *s, struct fbp *f);

/** Reconstructs by Fourier transforms (gridrec.h). No array except the output has the size of the volume. */
extern void fbp_files_gridrec(const struct fbp_files *s, struct fbp *f);

/** Reconstructs a helical scan (helical.h). Slices that the helix does not cover cause a warning. */
extern void fbp_files_helical(
        const struct fbp_files *s, const struct fbp_settings *set, enum helical_method method);

/** Reconstructs by the two-step Hilbert method (hilbert.h). Truncated lines cause a warning. */
extern void fbp_files_hilbert(const struct fbp_files *s, const struct hilbert_settings *set);

/** Writes the filtered projections of x to y, for all channels and times. Columns added by scan_beyond() are
 * not written. */
extern void fbp_files_filter(struct fbp *f, const struct geom *g, struct cfl *x, struct cfl *y);

/** Returns the private memory of fbp_files_filter() for an output of this type [bytes]. */
extern long fbp_files_filter_memory(
        const struct fbp *f, const struct geom *g, const struct cfl *x, enum dtype type);

#endif
