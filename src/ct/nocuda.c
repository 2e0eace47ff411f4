/** Builds without CUDA: no array lies on a device, so none of these is called. */

#include <stddef.h>

#include "ct/fbp/cuda/spread.h"
#include "ct/fbp/cuda/weigh.h"
#include "ct/projector/cuda/general.h"
#include "ct/projector/cuda/any_orientation.h"
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

struct gpu_untilted *gpu_untilted_create(const struct xray *x)
{
	(void)x;
	none();
	return NULL;
}

void gpu_untilted_free(struct gpu_untilted *p)
{
	(void)p;
}

bool gpu_untilted_fits(const struct gpu_untilted *p, long view, bool forward)
{
	(void)p;
	(void)view;
	(void)forward;
	return false;
}

enum gpu_untilted_kind gpu_untilted_kind(const struct gpu_untilted *p, long view)
{
	(void)p;
	(void)view;
	return GPU_UNTILTED;
}

double gpu_untilted_memory(const struct gpu_untilted *p, const struct gpu_part *part)
{
	(void)p;
	(void)part;
	return 0.;
}

void gpu_untilted_forward(struct gpu_untilted *p, float *proj, const float *vol, const struct gpu_part *part)
{
	(void)p;
	(void)proj;
	(void)vol;
	(void)part;
	none();
}

void gpu_untilted_adjoint(struct gpu_untilted *p, float *vol, const float *proj, const struct gpu_part *part)
{
	(void)p;
	(void)vol;
	(void)proj;
	(void)part;
	none();
}

long gpu_untilted_run(const struct gpu_untilted *p, long view, long end)
{
	(void)p;
	(void)end;
	return view + 1;
}

bool gpu_untilted_passes(const struct gpu_untilted *p, long view, long views, int pass)
{
	(void)p;
	(void)view;
	(void)views;
	(void)pass;
	return false;
}

long gpu_untilted_turned(const struct gpu_untilted *p, long slices)
{
	(void)p;
	(void)slices;
	return 0;
}

void gpu_untilted_turn(
        const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol)
{
	(void)p;
	(void)copy;
	(void)slices;
	(void)z;
	(void)n;
	(void)vol;
	none();
}

void gpu_untilted_untranspose(
        const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n)
{
	(void)p;
	(void)vol;
	(void)copy;
	(void)slices;
	(void)z;
	(void)n;
	none();
}

void gpu_untilted_forward_turned(
        struct gpu_untilted *p, float *proj, const float *copy, const struct gpu_part *part)
{
	(void)p;
	(void)proj;
	(void)copy;
	(void)part;
	none();
}

void gpu_untilted_adjoint_turned(
        struct gpu_untilted *p, float *copy, const float *proj, const struct gpu_part *part)
{
	(void)p;
	(void)copy;
	(void)proj;
	(void)part;
	none();
}

struct gpu_any_orientation *gpu_any_orientation_create(const struct xray *x, const bool *open)
{
	(void)x;
	(void)open;
	none();
	return NULL;
}

void gpu_any_orientation_free(struct gpu_any_orientation *p)
{
	(void)p;
}

bool gpu_any_orientation_fits(const struct gpu_any_orientation *p, long view, bool forward)
{
	(void)p;
	(void)view;
	(void)forward;
	return false;
}

double gpu_any_orientation_memory(const struct gpu_any_orientation *p, const struct gpu_part *part)
{
	(void)p;
	(void)part;
	return 0.;
}

void gpu_any_orientation_forward(
        struct gpu_any_orientation *p, float *proj, const float *vol, const struct gpu_part *part)
{
	(void)p;
	(void)proj;
	(void)vol;
	(void)part;
	none();
}

void gpu_any_orientation_adjoint(
        struct gpu_any_orientation *p, float *vol, const float *proj, const struct gpu_part *part)
{
	(void)p;
	(void)vol;
	(void)proj;
	(void)part;
	none();
}

struct gpu_fdk *gpu_fdk_create(const struct fbp *f, const struct grid *grid)
{
	(void)f;
	(void)grid;
	none();
	return NULL;
}

void gpu_fdk_free(struct gpu_fdk *p)
{
	(void)p;
}

bool gpu_fdk_fits(const struct gpu_fdk *p, long view)
{
	(void)p;
	(void)view;
	return false;
}

double gpu_fdk_memory(const struct gpu_fdk *p, const struct gpu_part *part)
{
	(void)p;
	(void)part;
	return 0.;
}

void gpu_fdk_backproject(struct gpu_fdk *p, float *vol, const float *q, const struct gpu_part *part)
{
	(void)p;
	(void)vol;
	(void)q;
	(void)part;
	none();
}

struct spread *spread_create(const struct spread_setup *s)
{
	(void)s;
	none();
	return NULL;
}

void spread_free(struct spread *p)
{
	(void)p;
}

void spread_add(
        const struct spread *p, bool wide, long step, void *vol, const void *q, const struct gpu_part *part)
{
	(void)p;
	(void)wide;
	(void)step;
	(void)vol;
	(void)q;
	(void)part;
	none();
}

void weigh_pad(bool is_double, void *out, long wide, const void *in, long n, long lines)
{
	(void)is_double;
	(void)out;
	(void)wide;
	(void)in;
	(void)n;
	(void)lines;
	none();
}

void weigh_views(const struct weigh *w, bool is_double, void *q, const void *p)
{
	(void)w;
	(void)is_double;
	(void)q;
	(void)p;
	none();
}
