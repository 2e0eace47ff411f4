#ifndef NUM_DEVICE_CUDA_VENDOR_H
#define NUM_DEVICE_CUDA_VENDOR_H

/** Names that differ between makers of GPUs, here NVIDIA's names. AMD's names are in the header of the same
 * path in the folder src/num/device/cuda/hip, which the compiler searches first with HIP=1. */

#include <cuda_runtime.h>
#include <string>

#define GPU_VENDOR    "NVIDIA"
#define GPU_PLATFORM  "CUDA"
#define GPU_MONITOR   "nvidia-smi"
#define GPU_VISIBLE   "CUDA_VISIBLE_DEVICES"
#define GPU_ARCH_MAKE "NVARCH set to its compute capability"

/** The name of the run-time compiler, and the names of its library in the order in which they are tried. */
#define GPU_RTC "NVRTC"
#define GPU_RTC_FILES(major)                                                                                 \
	{                                                                                                    \
		"libnvrtc.so." + std::to_string(major), "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"   \
	}
#define GPU_RTC_OPTIONS "-std=c++17", "--fmad=false", "-device-int128", "-w"
#define GPU_RTC_PRELUDE "" // put before every source

/** Major and minor version of the toolkit that this build was made with. */
#define GPU_TOOLKIT_VERSION CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100

/** The architecture of a device as the run-time compiler's option. */
static inline std::string gpu_rtc_architecture(const cudaDeviceProp *p)
{
	return "-arch=sm_" + std::to_string(10 * p->major + p->minor);
}

/** The name of the library for Fourier transforms, the names of its files in the order in which they are
 * tried, and the full names of its functions. */
#define GPU_FFT "cuFFT"
#define GPU_FFT_FILES                                                                                        \
	{                                                                                                    \
		"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so",                         \
		        "/usr/local/cuda/lib64/libcufft.so"                                                  \
	}
#define GPU_FFT_NAME(name) "cufft" name

#endif
