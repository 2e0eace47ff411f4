/** The kernels of single rays for float64 data. */

#define REAL                               double
#define CELL                               joseph_cell64
#define EPSILON                            DBL_EPSILON
#define KERNELS(model)                     ray_general_##model##_double
#define FOLLOW_PACKET(...)                 false
#define FOLLOW_LENGTHS(x, b, r, axes, ...) ((void)(axes), ~0u) // all are left

#include <float.h>

typedef double REAL2 __attribute__((vector_size(16)));
typedef double REAL4 __attribute__((vector_size(32)));

#include "ct/projector/cpu/kernels_impl.inc"
