#ifndef CT_PROJECTOR_CPU_GENERAL_H
#define CT_PROJECTOR_CPU_GENERAL_H

#include "ct/projector/bricks.h"

/** CPU kernels that support any view, for each projector model, in float32 and float64. A projector model
 * without such kernels is an error at link time. */
#define GENERAL_KERNELS(name, NAME)                                                                          \
	extern const struct brick_kernels general_##name##_float, general_##name##_double;
XRAY_MODEL_LIST(GENERAL_KERNELS, )

#endif
