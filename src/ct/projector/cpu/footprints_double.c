/** Separable footprints of float64 data. */

#define REAL       double
#define PART       sf_part64
#define FOOTPRINTS footprints_double

#include "ct/projector/cpu/footprints_impl.inc"
