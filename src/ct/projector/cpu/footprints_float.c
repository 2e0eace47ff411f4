/** Separable footprints of float32 data. */

#define REAL           float
#define PART           sf_part
#define FOOTPRINTS     footprints_float
#define SWEEP_UNTILTED untilted_sweep
#define SWEEP_LINES    sf_lines_sweep

#include "ct/projector/cpu/sf_lines.h"
#include "ct/projector/cpu/untilted.h"

#include "ct/projector/cpu/footprints_impl.inc"
