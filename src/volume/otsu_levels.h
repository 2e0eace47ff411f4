#ifndef VOLUME_OTSU_LEVELS_H
#define VOLUME_OTSU_LEVELS_H

#include <stdbool.h>

#include "misc/file/cfl.h"

/** Otsu's levels between several classes of values. The levels maximise the variance between classes. */

enum { OTSU_CLASSES = 8 };

/** For `0 <= k < classes - 1`, sets `cut[k]` to the first bin of class k + 1. Of equally good solutions, the
 * smallest cuts are chosen. Returns false if fewer than `classes` bins are occupied. */
extern bool otsu_cuts(long cut[], int classes, long bins, const long count[]);

/** For `0 <= k < classes - 1`, sets `level[k]` to the level between classes k and k + 1. Values equal to the
 * level belong to class k. The histogram is that of otsu_threshold(). For two classes, level[0] is
 * otsu_threshold(). Fewer occupied bins than classes are an error(). */
extern void otsu_levels(double level[], int classes, struct cfl *f);

#endif
