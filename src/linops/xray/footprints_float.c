/** Separable footprints of float32 data. */

#define REAL       float
#define PART       sf_part
#define FOOTPRINTS footprints_float

#include "linops/xray/footprints_impl.inc"
