#ifndef MISC_THREADS_H
#define MISC_THREADS_H

/**
 * Threads for a parallel region, `#pragma omp parallel num_threads(threads_for(work))`: 1 for little
 * work, which takes less time than waking threads and waiting for them; else all, omp_get_max_threads().
 * Never a number in between: libgomp would end the unused threads and start them again in the next
 * region.
 *
 * work: estimated time on one thread [ns]: the elements read, computed and written, times the cost of each.
 * The result of a region must not depend on this number.
 */
extern int threads_for(double work);

#endif
