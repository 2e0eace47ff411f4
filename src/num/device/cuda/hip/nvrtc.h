#ifndef NUM_DEVICE_CUDA_HIP_NVRTC_H
#define NUM_DEVICE_CUDA_HIP_NVRTC_H

/** Maps names of CUDA's run-time compiler (NVRTC) to hipRTC's names. */

#include <hip/hiprtc.h>

#define nvrtcProgram           hiprtcProgram
#define NVRTC_SUCCESS          HIPRTC_SUCCESS
#define nvrtcVersion           hiprtcVersion
#define nvrtcCreateProgram     hiprtcCreateProgram
#define nvrtcCompileProgram    hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog     hiprtcGetProgramLog
#define nvrtcGetCUBINSize      hiprtcGetCodeSize
#define nvrtcGetCUBIN          hiprtcGetCode
#define nvrtcDestroyProgram    hiprtcDestroyProgram

#endif
