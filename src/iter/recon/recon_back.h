#ifndef ITER_RECON_RECON_BACK_H
#define ITER_RECON_RECON_BACK_H

#include "ct/projector/mask.h"
#include "ct/projector/xray.h"

/** Back projectors other than the transpose of A: the transposes of all models of enum xray_model,
 * voxel-driven back projection, and FBP. */
enum { BACK_VOXEL = XRAY_MODELS, BACK_FBP };
#define BACK_MODEL_NAMES XRAY_MODEL_NAMES "|voxel|fbp"

#define OPT_BACK_MODEL(back)                                                                                 \
	OPT_CHOICE(0, "back-model", back, BACK_MODEL_NAMES, "backprojector (default: the transpose)")

/** An operator from the projections to the volume; NULL if back is -1. Keeps a reference to the mask; geom:
 * name of the geometry file. */
extern struct linop *recon_back_create(int back, const struct geom *g, const struct grid *grid,
        enum dtype type, const struct mask *mask, const char *geom);

#endif
