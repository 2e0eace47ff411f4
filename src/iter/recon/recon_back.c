#include "iter/recon/recon_back.h"

#include "ct/fbp/fbp.h"
#include "misc/error.h"

struct linop *recon_back_create(int back, const struct geom *g, const struct grid *grid, enum dtype type,
        const struct mask *mask, const char *geom)
{
	if (back < 0)
		return NULL;

	if (BACK_VOXEL == back || BACK_FBP == back) {
		if (dtype_is_complex(type))
			usage_error("--back-model voxel and --back-model fbp need real projections, found %s",
			        dtype_name(type));

		return linop_fbp_create(g, grid, type, BACK_FBP == back, mask, geom);
	}

	struct linop *A = linop_xray_masked_create(g, grid, (enum xray_model)back, type, 1, 1, mask);
	struct linop *B = linop_adjoint_create(A);

	linop_free(A);

	return B;
}
