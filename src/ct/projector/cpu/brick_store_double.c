/** Bricks of float64 data. */

#include <stdbool.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "ct/projector/cpu/transpose.h"

#define REAL           double
#define STORE          brick_store_double
#define TURN_TILE(...) false

#include "ct/projector/cpu/brick_store_impl.inc"
