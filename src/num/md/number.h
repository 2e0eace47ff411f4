#ifndef NUM_MD_NUMBER_H
#define NUM_MD_NUMBER_H

#include "misc/dtype.h"

/** Returns an element of type t as text, such as "12", "0.1" or "1-2i". The text reads back as the same
 * number. The type t must be a result of dtype_work() (num/kern/ops.h). The caller frees the text. */
extern char *number_text(enum dtype t, const void *value);

#endif
