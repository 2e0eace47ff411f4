/** The kernels for float64 data. */

#define REAL               double
#define WIDE               1
#define CELL               joseph_cell64
#define KERNELS            xray_kernels_double
#define SWEEP_COLUMNS(...) 0u // float32 alone has the fast path

#include "linops/xray/columns.h"

typedef double REAL2 __attribute__((vector_size(16)));
typedef double REAL4 __attribute__((vector_size(32)));

#include "linops/xray/kernels_impl.inc"
