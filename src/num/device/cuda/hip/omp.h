#ifndef NUM_DEVICE_CUDA_HIP_OMP_H
#define NUM_DEVICE_CUDA_HIP_OMP_H

/** Declares the OpenMP functions that .cu files call, because hipcc has no omp.h. The program uses the OpenMP
 * library of the C compiler. */

extern "C" {
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);
}

#endif
