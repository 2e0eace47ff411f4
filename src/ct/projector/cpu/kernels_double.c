/** The kernels for float64 data. */

#define REAL               double
#define CELL               joseph_cell64
#define EPSILON            DBL_EPSILON
#define KERNELS            xray_kernels_double
#define SWEEP_COLUMNS(...) 0u // float32 alone has the fast path

#include <float.h>

#include "ct/projector/cpu/columns.h"

#define FOLLOW_PACKET(...)  false // so has the other one
#define FOLLOW_LENGTHS(...) ~0u   // and this one: all are left
#define TURN_TILE(...)      false

typedef double REAL2 __attribute__((vector_size(16)));
typedef double REAL4 __attribute__((vector_size(32)));

#include "ct/projector/cpu/kernels_impl.inc"
