/** The kernels of single rays for float32 data. */

#define REAL                               float
#define CELL                               joseph_cell
#define EPSILON                            FLT_EPSILON
#define KERNELS(model)                     ray_general_##model##_float
#define FOLLOW_PACKET(...)                 false
#define FOLLOW_LENGTHS(x, b, r, axes, ...) ((void)(axes), ~0u) // all are left

#include <float.h>

typedef float REAL2 __attribute__((vector_size(8)));
typedef float REAL4 __attribute__((vector_size(16)));

#include "ct/projector/cpu/kernels_impl.inc"
