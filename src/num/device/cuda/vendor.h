#ifndef NUM_DEVICE_CUDA_VENDOR_H
#define NUM_DEVICE_CUDA_VENDOR_H

/** Defines NVIDIA's names, which differ from AMD's. With HIP=1, the file of the same name in
 * src/num/device/cuda/hip is used instead. */

#include <cuda_runtime.h>
#include <string>

#define GPU_VENDOR    "NVIDIA"
#define GPU_PLATFORM  "CUDA"
#define GPU_MONITOR   "nvidia-smi"
#define GPU_VISIBLE   "CUDA_VISIBLE_DEVICES"
#define GPU_ARCH_MAKE "NVARCH set to its compute capability"

/** Names the run-time compiler and possible files of its library. */
#define GPU_RTC "NVRTC"
#define GPU_RTC_FILES(major)                                                                                 \
	{                                                                                                    \
		"libnvrtc.so." + std::to_string(major), "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"   \
	}
#define GPU_RTC_OPTIONS "-std=c++17", "--fmad=false", "-device-int128", "-w"
#define GPU_RTC_PRELUDE "" // put before every source

/** The version of the CUDA toolkit of this build, as major and minor number. */
#define GPU_TOOLKIT_VERSION CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100

/** Returns the run-time compiler's option for the architecture of a GPU. */
static inline std::string gpu_rtc_architecture(const cudaDeviceProp *p)
{
	return "-arch=sm_" + std::to_string(10 * p->major + p->minor);
}

/** Names the Fourier transform library, its possible files and its functions. */
#define GPU_FFT "cuFFT"
#define GPU_FFT_FILES                                                                                        \
	{                                                                                                    \
		"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so",                         \
		        "/usr/local/cuda/lib64/libcufft.so"                                                  \
	}
#define GPU_FFT_NAME(name) "cufft" name

#endif
