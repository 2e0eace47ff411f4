#ifndef VOLUME_OTSU_LEVELS_H
#define VOLUME_OTSU_LEVELS_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Levels between several classes of values by Otsu's criterion, the largest variance between the classes.
 * Computed by dynamic programming over the bins of a histogram. */

enum { OTSU_CLASSES = 8 };

/** cut[k]: the first of `bins` bins that belongs to class k + 1, k = 0 to classes - 2. Of several equally
 * good solutions, the one with the smallest cuts is returned. Returns false if fewer than `classes` bins are
 * occupied.
 */
extern bool otsu_cuts(long cut[], int classes, long bins, const long count[]);

/** level[k], k = 0 to classes - 2: class k + 1 contains values greater than level[k]. The histogram is that
 * of otsu_threshold(). For two classes, level[0] is otsu_threshold(). error() if fewer bins are occupied
 * than there are classes. */
extern void otsu_levels(double level[], int classes, struct cfl *f);

#endif
