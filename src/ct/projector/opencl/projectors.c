/** The paths of OpenCL, in the order in which they are tried. */

#include "ct/projector/bricks.h"
#include "ct/projector/opencl/general.h"
#include "ct/projector/projector.h"

#define ANY (1u << DT_FLOAT32 | 1u << DT_FLOAT64 | 1u << DT_COMPLEX64 | 1u << DT_COMPLEX128)

static void free_general(void *plan)
{
	opencl_general_free(plan);
}

static double memory_general(const void *plan, const struct xray_call *p, bool forward)
{
	return opencl_general_memory(plan, p->size == sizeof(double), forward, p->gpu);
}

/** Real and imaginary part of complex data. */
static void forward_general(void *plan, const struct xray_call *p)
{
	for (int i = 0; i < p->step; i++)
		opencl_general_forward(plan, p->size == sizeof(double), p->step,
		        p->proj + (size_t)i * p->size, p->vol + (size_t)i * p->size, p->gpu);
}

static void adjoint_general(void *plan, const struct xray_call *p)
{
	for (int i = 0; i < p->step; i++)
		opencl_general_adjoint(plan, p->size == sizeof(double), p->step, p->vol + (size_t)i * p->size,
		        p->proj + (size_t)i * p->size, p->gpu);
}

#define GENERAL(model_name, MODEL)                                                                           \
	{.name = "general",                                                                                  \
	        .model = XRAY_##MODEL,                                                                       \
	        .views = "any",                                                                              \
	        .types = ANY,                                                                                \
	        .plan = opencl_general_##model_name,                                                         \
	        .free = free_general,                                                                        \
	        .memory = memory_general,                                                                    \
	        .forward = forward_general,                                                                  \
	        .adjoint = adjoint_general},

static const struct projector rows[] = {XRAY_MODEL_LIST(GENERAL, )};

const struct projector_list projectors_opencl = {
        .device = "OpenCL device", .row = rows, .rows = (int)(sizeof rows / sizeof *rows)};
