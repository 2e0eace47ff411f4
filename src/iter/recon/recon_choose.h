#ifndef ITER_RECON_RECON_CHOOSE_H
#define ITER_RECON_RECON_CHOOSE_H

#include "iter/recon/recon.h"

/** Returns the default algorithm for the data, terms and penalty in o. The algorithm needs no further
 * options. If no algorithm supports the combination, a usage_error() suggests other options. */
extern const struct algorithm *recon_choose(const struct recon_opts *o);

#endif
