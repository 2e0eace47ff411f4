#ifndef MISC_THREADS_H
#define MISC_THREADS_H

/**
 * Threads for a parallel region, `#pragma omp parallel num_threads(threads_for(work))`: 1 for work that takes
 * less time than starting threads and waiting for them; else omp_get_max_threads(). Numbers in between are
 * never returned: libgomp would end the unused threads and start them again in the next region.
 *
 * work: estimated time on one thread [ns], i.e. the number of elements read, computed and written, times the
 * cost per element. The result of a region must not depend on the number of threads.
 */
extern int threads_for(double work);

#endif
