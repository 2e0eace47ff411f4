#ifndef MISC_THREADS_H
#define MISC_THREADS_H

/**
 * Returns the number of threads for `#pragma omp parallel num_threads(threads_for(work))`. `work` is the
 * estimated time of the region on one thread [ns]. The result is 1 if starting threads takes longer than the
 * work. Otherwise the result is omp_get_max_threads(). With other numbers, libgomp would end unused threads
 * and start new threads in the next region.
 *
 * The results of a parallel region must not depend on the number of threads.
 */
extern int threads_for(double work);

#endif
