#ifndef VOLUME_OTSU_LEVELS_H
#define VOLUME_OTSU_LEVELS_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Levels between several classes of values by Otsu's criterion, the variance between the classes, by dynamic
 * programming over the bins of a histogram. */

enum { OTSU_CLASSES = 8 };

/** cut[k]: the first of `bins` bins that belongs to class k + 1, k = 0 to classes - 2; the smallest ones if
 * several are best. Returns false if fewer than `classes` bins are occupied. */
extern bool otsu_cuts(long cut[], int classes, long bins, const long count[]);

/** level[k], k = 0 to classes - 2: class k + 1 contains values greater than level[k]. For two classes it is
 * that of otsu_threshold(), whose histogram is used. error() if f has fewer different values than classes. */
extern void otsu_levels(double level[], int classes, struct cfl *f);

#endif
