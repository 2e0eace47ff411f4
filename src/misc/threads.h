#ifndef MISC_THREADS_H
#define MISC_THREADS_H

/**
 * Threads that a parallel region gets, `#pragma omp parallel num_threads(threads_for(work))`: 1 for little
 * work, which takes less time than waking threads and waiting for them does, above all where other programs
 * keep them from running; else all, omp_get_max_threads(). Nothing between: libgomp ends the threads that a
 * region leaves out and starts them again in the next.
 *
 * work: about the nanoseconds that one thread takes: the elements that are read, computed and written, times
 * the cost of each in simple steps. What a region computes must not depend on the answer.
 */
extern int threads_for(double work);

#endif
