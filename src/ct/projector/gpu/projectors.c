/** The paths of the GPU, in the order in which they are tried. */

#include "ct/projector/gpu/projectors.h"

#include "ct/projector/bricks.h"
#include "ct/projector/cuda/any_orientation.h"
#include "ct/projector/gpu/general_tables.h"
#include "misc/minmax.h"

#define FLOAT32 (1u << DT_FLOAT32)
#define ANY     (FLOAT32 | 1u << DT_FLOAT64 | 1u << DT_COMPLEX64 | 1u << DT_COMPLEX128)

/* ---- detector columns parallel to z ---- */

void *gpu_plan_untilted(const struct xray *x, const bool *open)
{
	(void)open;
	return gpu_untilted_create(x);
}

static void untilted_free(void *plan)
{
	gpu_untilted_free(plan);
}

static bool takes_kind(const void *plan, long view, bool forward, enum gpu_untilted_kind kind)
{
	return gpu_untilted_fits(plan, view, forward) && gpu_untilted_kind(plan, view) == kind;
}

static bool is_single_slice(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	return takes_kind(plan, view, forward, GPU_SINGLE_SLICE);
}

static bool is_slice_parallel(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	return takes_kind(plan, view, forward, GPU_SLICE_PARALLEL);
}

static bool is_untilted(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	return takes_kind(plan, view, forward, GPU_UNTILTED);
}

static double untilted_memory(const void *plan, const struct xray_call *p, bool forward)
{
	(void)forward;
	return gpu_untilted_memory(plan, p->gpu);
}

static void untilted_forward(void *plan, const struct xray_call *p)
{
	gpu_untilted_forward(plan, (float *)p->proj, (float *)p->vol, p->gpu);
}

static void untilted_adjoint(void *plan, const struct xray_call *p)
{
	gpu_untilted_adjoint(plan, (float *)p->vol, (float *)p->proj, p->gpu);
}

/* ---- flat detectors of any orientation ---- */

void *gpu_plan_any_orientation(const struct xray *x, const bool *open)
{
	return gpu_any_orientation_create(x, open);
}

static void any_orientation_free(void *plan)
{
	gpu_any_orientation_free(plan);
}

static bool is_any_orientation(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	return gpu_any_orientation_fits(plan, view, forward);
}

/** Views of a call go together in blocks. */
static struct gpu_tile one_block(const struct gpu_tile *tile)
{
	struct gpu_tile block = *tile;

	block.views = min_long(block.views, GPU_BATCH_VIEWS);
	return block;
}

static double any_orientation_memory(const void *plan, const struct xray_call *p, bool forward)
{
	const struct gpu_tile block = one_block(p->gpu);

	(void)forward;
	return gpu_any_orientation_memory(plan, &block);
}

static void any_orientation_forward(void *plan, const struct xray_call *p)
{
	if (p->gpu->pass != 2)
		gpu_any_orientation_forward(plan, (float *)p->proj, (float *)p->vol, p->gpu);
}

static void any_orientation_adjoint(void *plan, const struct xray_call *p)
{
	if (p->gpu->pass != 2)
		gpu_any_orientation_adjoint(plan, (float *)p->vol, (float *)p->proj, p->gpu);
}

/* ---- any ---- */

static void free_general(void *plan)
{
	general_free(plan);
}

static double memory_general(const void *plan, const struct xray_call *p, bool forward)
{
	const struct gpu_tile block = one_block(p->gpu);

	return general_memory(plan, p->size == sizeof(double), forward, &block);
}

/** Blocks of views that begin at fixed places, so that the order of sums does not depend on how views are cut
 * into calls; both parts of complex data. */
static void run_general(struct general *plan, const struct xray_call *p, bool forward)
{
	const bool wide = (p->size == sizeof(double));
	const long end = p->gpu->view + p->gpu->views;
	const size_t view = (size_t)(p->x->g->cols * p->gpu->rows) * p->size * (size_t)p->step;

	for (long k = p->gpu->view, to; k < end && p->gpu->pass != 2; k = to) {
		struct gpu_tile block = *p->gpu;
		char *proj = p->proj + (size_t)(k - p->gpu->view) * view;

		to = min_long((k / GPU_BATCH_VIEWS + 1) * GPU_BATCH_VIEWS, end);
		block.view = k;
		block.views = to - k;

		for (int i = 0; i < p->step; i++) {
			char *y = proj + (size_t)i * p->size, *v = p->vol + (size_t)i * p->size;

			if (forward)
				general_forward(plan, wide, p->step, y, v, &block);
			else
				general_adjoint(plan, wide, p->step, v, y, &block);
		}
	}
}

static void forward_general(void *plan, const struct xray_call *p)
{
	run_general(plan, p, true);
}

static void adjoint_general(void *plan, const struct xray_call *p)
{
	run_general(plan, p, false);
}

/* ---- the list ---- */

#define BY_COLUMNS                                                                                           \
	.types = FLOAT32, .plan = gpu_plan_untilted, .free = untilted_free, .memory = untilted_memory,       \
	.forward = untilted_forward, .adjoint = untilted_adjoint

#define SINGLE_SLICE                                                                                         \
	.name = "single_slice", .views = "one slice before one row of a detector", .takes = is_single_slice, \
	BY_COLUMNS

#define UNTILTED                                                                                             \
	.name = "untilted", .views = "detector columns parallel to z, the volume in front of the source",    \
	.takes = is_untilted, BY_COLUMNS

#define GENERAL(model_name, MODEL)                                                                           \
	{.name = "general",                                                                                  \
	        .model = XRAY_##MODEL,                                                                       \
	        .views = "any",                                                                              \
	        .types = ANY,                                                                                \
	        .plan = gpu_general_##model_name,                                                            \
	        .free = free_general,                                                                        \
	        .memory = memory_general,                                                                    \
	        .forward = forward_general,                                                                  \
	        .adjoint = adjoint_general},

static const struct projector rows[] = {{SINGLE_SLICE, .model = XRAY_JOSEPH},
        {.name = "slice_parallel",
                .model = XRAY_JOSEPH,
                .views = "parallel beam perpendicular to z, flat",
                .takes = is_slice_parallel,
                BY_COLUMNS},
        {UNTILTED, .model = XRAY_JOSEPH},
        {.name = "any_orientation",
                .model = XRAY_JOSEPH,
                .views = "flat detectors, the volume in front of the source",
                .types = FLOAT32,
                .plan = gpu_plan_any_orientation,
                .free = any_orientation_free,
                .takes = is_any_orientation,
                .memory = any_orientation_memory,
                .forward = any_orientation_forward,
                .adjoint = any_orientation_adjoint},

        {SINGLE_SLICE, .model = XRAY_SIDDON}, {UNTILTED, .model = XRAY_SIDDON},

        {SINGLE_SLICE, .model = XRAY_SF}, {UNTILTED, .model = XRAY_SF},

        XRAY_MODEL_LIST(GENERAL, )};

const struct projector_list projectors_gpu = {
        .device = "GPU", .row = rows, .rows = (int)(sizeof rows / sizeof *rows)};

bool gpu_all_untilted(const struct projectors *p, enum dtype type, bool forward)
{
	for (int r = 0; r < projectors_gpu.rows; r++)
		if (rows[r].plan != gpu_plan_untilted && projectors_use(p, type, forward, rows + r))
			return false;

	return true;
}

bool gpu_uses_any_orientation(const struct projectors *p, enum dtype type, bool forward)
{
	for (int r = 0; r < projectors_gpu.rows; r++)
		if (rows[r].plan == gpu_plan_any_orientation && projectors_use(p, type, forward, rows + r))
			return true;

	return false;
}
