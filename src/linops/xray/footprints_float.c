/** Separable footprints of float32 data. */

#define REAL          float
#define PART          sf_part
#define FOOTPRINTS    footprints_float
#define SWEEP_UPRIGHT upright_sweep
#define SWEEP_LINES   sf_lines_sweep

#include "linops/xray/sf_lines.h"
#include "linops/xray/upright.h"

#include "linops/xray/footprints_impl.inc"
