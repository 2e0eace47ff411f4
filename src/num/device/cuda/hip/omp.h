#ifndef NUM_DEVICE_CUDA_HIP_OMP_H
#define NUM_DEVICE_CUDA_HIP_OMP_H

/** The two functions of OpenMP that .cu files call: hipcc's clang comes without their header. The program is
 * linked with the OpenMP library of the C compiler. */

extern "C" {
extern int omp_get_max_threads(void);
extern void omp_set_num_threads(int threads);
}

#endif
