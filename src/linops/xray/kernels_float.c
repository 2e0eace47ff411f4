/** The kernels for float32 data. */

#define REAL          float
#define WIDE          0
#define CELL          joseph_cell
#define KERNELS       xray_kernels_float
#define SWEEP_COLUMNS column_sweep

#include "linops/xray/columns.h"

typedef float REAL2 __attribute__((vector_size(8)));
typedef float REAL4 __attribute__((vector_size(16)));

#include "linops/xray/kernels_impl.inc"
