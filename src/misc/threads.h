#ifndef MISC_THREADS_H
#define MISC_THREADS_H

/**
 * Number of threads for a parallel region: `#pragma omp parallel num_threads(threads_for(work))`. It is 1 if
 * the work takes less time than starting threads and waiting for them; otherwise omp_get_max_threads(). Other
 * numbers are never returned: libgomp would end the unused threads and start them again in the next region.
 *
 * work: estimated time on one thread [ns], i.e. the number of elements read, computed and written, times the
 * cost per element. The result of a region must not depend on the number of threads.
 */
extern int threads_for(double work);

#endif
