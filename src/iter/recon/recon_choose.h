#ifndef ITER_RECON_RECON_CHOOSE_H
#define ITER_RECON_RECON_CHOOSE_H

#include "iter/recon/recon.h"

/** The default algorithm for the given data, terms and penalty: it supports all of these and chooses its
 * steps. usage_error() with a suggestion if there is none. */
extern const struct algorithm *recon_choose(const struct recon_opts *o);

#endif
