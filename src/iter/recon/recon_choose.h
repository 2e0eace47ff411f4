#ifndef ITER_RECON_RECON_CHOOSE_H
#define ITER_RECON_RECON_CHOOSE_H

#include "iter/recon/recon.h"

/** The algorithm for the data, terms and penalty asked for, where none is named: one that takes them all and
 * finds its steps itself. usage_error() that says what to change where there is none. */
extern const struct algorithm *recon_choose(const struct recon_opts *o);

#endif
