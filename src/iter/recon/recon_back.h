#ifndef ITER_RECON_RECON_BACK_H
#define ITER_RECON_RECON_BACK_H

#include "ct/projector/mask.h"
#include "ct/projector/xray.h"

/** Back projectors that can replace the transpose of the projector. A number below XRAY_MODELS selects the
 * transpose of that model in enum xray_model. BACK_VOXEL is voxel-driven back projection. BACK_FBP is
 * filtered back projection. */
enum { BACK_VOXEL = XRAY_MODELS, BACK_FBP };
#define BACK_MODEL_NAMES XRAY_MODEL_NAMES "|voxel|fbp"

#define OPT_BACK_MODEL(back)                                                                                 \
	OPT_CHOICE(0, "back-model", back, BACK_MODEL_NAMES, "backprojector (default: the transpose)")

/** Creates back projector number `back`, which maps projections to a volume. Returns NULL if `back` is -1.
 * The operator keeps a reference to `mask`. `geom` is the name of the geometry file. Complex projections are
 * a usage_error() for BACK_VOXEL and BACK_FBP. */
extern struct linop *recon_back_create(int back, const struct geom *g, const struct grid *grid,
        enum dtype type, const struct mask *mask, const char *geom);

#endif
