/** The paths of the CPU, in the order in which they are tried. */

#include "ct/projector/projector.h"

#include "ct/projector/cpu/brick_walk.h"
#include "ct/projector/cpu/footprints.h"
#include "ct/projector/cpu/general.h"
#include "ct/projector/cpu/slice_parallel.h"
#include "ct/projector/cpu/ray_sweep.h"
#include "ct/projector/slice/single_slice.h"
#include "ct/projector/stack/stack.h"

#define FLOAT32 (1u << DT_FLOAT32 | 1u << DT_COMPLEX64)
#define ANY     (FLOAT32 | 1u << DT_FLOAT64 | 1u << DT_COMPLEX128)

static void *plan_slice_parallel(const struct xray *x, const bool *open)
{
	(void)open;
	return slice_parallel_create(x);
}

static void free_slice_parallel(void *plan)
{
	slice_parallel_free(plan);
}

static bool is_slice_parallel(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	(void)view;
	(void)forward;
	return plan;
}

static double memory_slice_parallel(const void *plan, const struct xray_call *p, bool forward)
{
	(void)p;
	(void)forward;
	return (double)slice_parallel_memory(plan);
}

static void *plan_fan_stack(const struct xray *x, const bool *open)
{
	(void)open;
	return stack_fan_create(x);
}

static void free_fan_stack(void *plan)
{
	stack_fan_free(plan);
}

static bool is_fan_stack(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	(void)view;
	(void)forward;
	return plan;
}

static double memory_fan_stack(const void *plan, const struct xray_call *p, bool forward)
{
	(void)p;
	(void)forward;
	return stack_fan_memory(plan);
}

static void *plan_single_slice(const struct xray *x, const bool *open)
{
	(void)open;
	return single_slice_create(x);
}

static void free_single_slice(void *plan)
{
	single_slice_free(plan);
}

static bool is_single_slice(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)x;
	(void)forward;
	return single_slice_takes(plan, view);
}

static double memory_single_slice(const void *plan, const struct xray_call *p, bool forward)
{
	(void)plan;
	return single_slice_memory(p, forward);
}

/** One source, or direction, for all rows. */
static bool has_source(const struct xray *x, const void *plan, long view, bool forward)
{
	(void)plan;
	(void)view;
	(void)forward;
	return !x->g->stack;
}

/** Columns parallel to z before a volume of slices. */
static bool is_untilted(const struct xray *x, const void *plan, long view, bool forward)
{
	return has_source(x, plan, view, forward) && x->view[view].untilted && x->grid.size[2] > 1;
}

/** And so many rows that they go column by column. */
static bool has_columns(const struct xray *x, const void *plan, long view, bool forward)
{
	return is_untilted(x, plan, view, forward) && ray_by_columns(x);
}

static bool is_flat(const struct xray *x, const void *plan, long view, bool forward)
{
	return has_source(x, plan, view, forward) && x->g->radius == 0.;
}

static void general_forward(void *plan, const struct xray_call *p)
{
	if (p->x->g->stack)
		stack_general_forward(p);
	else
		bricks_forward(plan, p);
}

static void general_adjoint(void *plan, const struct xray_call *p)
{
	if (p->x->g->stack)
		stack_general_adjoint(p);
	else
		bricks_adjoint(plan, p);
}

#define SLICE_PARALLEL_VIEWS "parallel beam perpendicular to z, flat untilted detector of four rows or more"

#define SLICE_PARALLEL                                                                                       \
	.name = "slice_parallel", .types = FLOAT32, .plan = plan_slice_parallel,                             \
	.free = free_slice_parallel, .takes = is_slice_parallel, .memory = memory_slice_parallel,            \
	.forward = slice_parallel_forward, .adjoint = slice_parallel_adjoint

#define FAN_STACK                                                                                            \
	.name = "fan_stack", .views = "stacks of fans before four slices or more", .types = FLOAT32,         \
	.plan = plan_fan_stack, .free = free_fan_stack, .takes = is_fan_stack, .memory = memory_fan_stack,   \
	.forward = stack_fan_forward, .adjoint = stack_fan_adjoint

#define SINGLE_SLICE                                                                                         \
	.name = "single_slice",                                                                              \
	.views = "one slice before one flat detector row, rays within the slice, the slice in front of the " \
	         "source",                                                                                   \
	.types = FLOAT32, .plan = plan_single_slice, .free = free_single_slice, .takes = is_single_slice,    \
	.memory = memory_single_slice, .forward = single_slice_forward, .adjoint = single_slice_adjoint

#define BRICKS .forward = bricks_forward, .adjoint = bricks_adjoint

#define GENERAL(model_name, MODEL)                                                                           \
	{.name = "general",                                                                                  \
	        .model = XRAY_##MODEL,                                                                       \
	        .views = "any",                                                                              \
	        .types = ANY,                                                                                \
	        .forward = general_forward,                                                                  \
	        .adjoint = general_adjoint,                                                                  \
	        .kernels = {&general_##model_name##_float, &general_##model_name##_double}},

static const struct projector rows[] = {{FAN_STACK, .model = XRAY_JOSEPH},
        {SLICE_PARALLEL, .model = XRAY_JOSEPH, .views = SLICE_PARALLEL_VIEWS},
        {.name = "untilted",
                .model = XRAY_JOSEPH,
                .views = "detector columns parallel to z, four rows or more, more than one slice",
                .types = FLOAT32,
                .takes = has_columns,
                BRICKS,
                .kernels = {&untilted_joseph}},
        {SINGLE_SLICE, .model = XRAY_JOSEPH},
        {.name = "ray_packet",
                .model = XRAY_JOSEPH,
                .views = "any: sixteen neighbouring rays together",
                .types = FLOAT32,
                .takes = has_source,
                BRICKS,
                .kernels = {&packet_joseph}},

        {FAN_STACK, .model = XRAY_SIDDON},
        {SLICE_PARALLEL, .model = XRAY_SIDDON,
                .views = SLICE_PARALLEL_VIEWS "; rows on slices one by one, no ray along faces of voxels"},
        {.name = "untilted",
                .model = XRAY_SIDDON,
                .views = "detector columns parallel to z, four rows or more, more than one slice",
                .types = FLOAT32,
                .takes = has_columns,
                BRICKS,
                .kernels = {&untilted_siddon}},
        {SINGLE_SLICE, .model = XRAY_SIDDON},
        {.name = "ray_packet",
                .model = XRAY_SIDDON,
                .views = "any: sixteen neighbouring rays together",
                .types = FLOAT32,
                .takes = has_source,
                BRICKS,
                .kernels = {&packet_siddon}},

        {FAN_STACK, .model = XRAY_SF},
        {SLICE_PARALLEL, .model = XRAY_SF, .views = SLICE_PARALLEL_VIEWS "; rows on slices one by one"},
        {.name = "untilted",
                .model = XRAY_SF,
                .views = "detector columns parallel to z, more than one slice",
                .types = FLOAT32,
                .takes = is_untilted,
                BRICKS,
                .kernels = {&untilted_sf}},
        {.name = "any_orientation",
                .model = XRAY_SF,
                .views = "flat detectors, also before a single slice",
                .types = FLOAT32,
                .takes = is_flat,
                BRICKS,
                .kernels = {&any_orientation_sf}},

        XRAY_MODEL_LIST(GENERAL, )};

const struct projector_list projectors_cpu = {
        .device = "CPU", .row = rows, .rows = (int)(sizeof rows / sizeof *rows)};
