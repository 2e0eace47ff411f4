/** Separable footprints of float32 data. */

#define REAL       float
#define PART       sf_part
#define FOOTPRINTS footprints_float

#include "ct/projector/cpu/footprints_impl.inc"
