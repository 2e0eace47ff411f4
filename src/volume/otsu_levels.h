#ifndef VOLUME_OTSU_LEVELS_H
#define VOLUME_OTSU_LEVELS_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Levels between several classes of values by Otsu's criterion, the largest variance between classes. */

enum { OTSU_CLASSES = 8 };

/** Sets cut[k] to the first bin of class k + 1, for k = 0 to classes - 2. Among equally good solutions, the
 * smallest cuts are chosen. Returns false if fewer than `classes` bins are occupied. */
extern bool otsu_cuts(long cut[], int classes, long bins, const long count[]);

/** Sets level[k] to the level between classes k and k + 1, for k = 0 to classes - 2. Values equal to the
 * level belong to class k. The histogram is that of otsu_threshold(). For two classes, level[0] is
 * otsu_threshold(). Fewer occupied bins than classes are an error(). */
extern void otsu_levels(double level[], int classes, struct cfl *f);

#endif
