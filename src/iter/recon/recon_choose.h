#ifndef ITER_RECON_RECON_CHOOSE_H
#define ITER_RECON_RECON_CHOOSE_H

#include "iter/recon/recon.h"

/** The default algorithm for the given data, terms and penalty. This algorithm supports the data, the terms
 * and the penalty, and needs no further options. usage_error() with a suggestion if there is no such
 * algorithm. */
extern const struct algorithm *recon_choose(const struct recon_opts *o);

#endif
