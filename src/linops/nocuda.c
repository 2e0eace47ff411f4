/** Builds without CUDA: no array lies on a device, so none of these is called. */

#include <stddef.h>

#include "linops/xray/cuda/general.h"
#include "misc/error.h"

static void none(void)
{
	error("the X-ray transform on a GPU: built without CUDA");
}

struct general *general_create(const struct general_setup *s)
{
	(void)s;
	none();
	return NULL;
}

void general_free(struct general *g)
{
	(void)g;
}

double general_memory(const struct general *g, bool wide, bool forward, const struct gpu_part *part)
{
	(void)g;
	(void)wide;
	(void)forward;
	(void)part;
	return 0.;
}

void general_forward(const struct general *g, bool wide, long step, void *proj, const void *vol,
        const struct gpu_part *part)
{
	(void)g;
	(void)wide;
	(void)step;
	(void)proj;
	(void)vol;
	(void)part;
	none();
}

void general_adjoint(const struct general *g, bool wide, long step, void *vol, const void *proj,
        const struct gpu_part *part)
{
	(void)g;
	(void)wide;
	(void)step;
	(void)vol;
	(void)proj;
	(void)part;
	none();
}

void general_hide(void *vol, long size, const unsigned char *inside, long n)
{
	(void)vol;
	(void)size;
	(void)inside;
	(void)n;
	none();
}
