#ifndef NUM_MD_NUMBER_H
#define NUM_MD_NUMBER_H

#include "misc/dtype.h"

/** An element of a work type (num/kern/ops.h) as text that reads back as the same number: "12", "0.1",
 * "1-2i". malloc'd. */
extern char *number_text(enum dtype t, const void *value);

#endif
