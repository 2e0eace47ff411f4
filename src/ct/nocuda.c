/** Builds without CUDA: no array is on a device. */

#include <stddef.h>

#include "ct/fbp/cuda/spread.h"
#include "ct/fbp/cuda/weigh.h"
#include "ct/projector/cuda/general.h"
#include "ct/projector/cuda/any_orientation.h"
#include "num/device/absent.h"

REFUSED(struct general *, general_create, (const struct general_setup *s));
ABSENT_VOID(general_free, (struct general * g));
ABSENT(double, general_memory,
        (const struct general *g, bool wide, bool forward, const struct gpu_tile *tile), 0.);
REFUSED(void, general_forward,
        (const struct general *g, bool wide, long step, void *proj, const void *vol,
                const struct gpu_tile *tile));
REFUSED(void, general_adjoint,
        (const struct general *g, bool wide, long step, void *vol, const void *proj,
                const struct gpu_tile *tile));
REFUSED(void, general_hide, (void *vol, long size, const unsigned char *inside, long n));
REFUSED(struct gpu_untilted *, gpu_untilted_create, (const struct xray *x));
ABSENT_VOID(gpu_untilted_free, (struct gpu_untilted * p));
ABSENT(bool, gpu_untilted_fits, (const struct gpu_untilted *p, long view, bool forward), false);
ABSENT(enum gpu_untilted_kind, gpu_untilted_kind, (const struct gpu_untilted *p, long view), GPU_UNTILTED);
ABSENT(double, gpu_untilted_memory, (const struct gpu_untilted *p, const struct gpu_tile *tile), 0.);
REFUSED(void, gpu_untilted_forward,
        (struct gpu_untilted * p, float *proj, const float *vol, const struct gpu_tile *tile));
REFUSED(void, gpu_untilted_adjoint,
        (struct gpu_untilted * p, float *vol, const float *proj, const struct gpu_tile *tile));
ABSENT(long, gpu_untilted_run, (const struct gpu_untilted *p, long view, long end), view + 1);
ABSENT(bool, gpu_untilted_passes, (const struct gpu_untilted *p, long view, long views, int pass), false);
ABSENT(long, gpu_untilted_transposed, (const struct gpu_untilted *p, long slices), 0);
REFUSED(void, gpu_untilted_transpose,
        (const struct gpu_untilted *p, float *copy, long slices, long z, long n, const float *vol));
REFUSED(void, gpu_untilted_untranspose,
        (const struct gpu_untilted *p, float *vol, const float *copy, long slices, long z, long n));
REFUSED(void, gpu_untilted_forward_transposed,
        (struct gpu_untilted * p, float *proj, const float *copy, const struct gpu_tile *tile));
REFUSED(void, gpu_untilted_adjoint_transposed,
        (struct gpu_untilted * p, float *copy, const float *proj, const struct gpu_tile *tile));
REFUSED(struct gpu_any_orientation *, gpu_any_orientation_create, (const struct xray *x, const bool *open));
ABSENT_VOID(gpu_any_orientation_free, (struct gpu_any_orientation * p));
ABSENT(bool, gpu_any_orientation_fits, (const struct gpu_any_orientation *p, long view, bool forward), false);
ABSENT(double, gpu_any_orientation_memory, (const struct gpu_any_orientation *p, const struct gpu_tile *tile),
        0.);
REFUSED(void, gpu_any_orientation_forward,
        (struct gpu_any_orientation * p, float *proj, const float *vol, const struct gpu_tile *tile));
REFUSED(void, gpu_any_orientation_adjoint,
        (struct gpu_any_orientation * p, float *vol, const float *proj, const struct gpu_tile *tile));
REFUSED(struct gpu_fdk *, gpu_fdk_create, (const struct fbp *f, const struct grid *grid));
ABSENT_VOID(gpu_fdk_free, (struct gpu_fdk * p));
ABSENT(bool, gpu_fdk_fits, (const struct gpu_fdk *p, long view), false);
ABSENT(double, gpu_fdk_memory, (const struct gpu_fdk *p, const struct gpu_tile *tile), 0.);
REFUSED(void, gpu_fdk_backproject,
        (struct gpu_fdk * p, float *vol, const float *q, const struct gpu_tile *tile));
REFUSED(struct spread *, spread_create, (const struct spread_setup *s));
ABSENT_VOID(spread_free, (struct spread * p));
REFUSED(void, spread_add,
        (const struct spread *p, bool wide, long step, void *vol, const void *q,
                const struct gpu_tile *tile));
REFUSED(void, weigh_pad, (bool is_double, void *out, long wide, const void *in, long n, long lines));
REFUSED(void, weigh_views, (const struct weigh *w, bool is_double, void *q, const void *p));
