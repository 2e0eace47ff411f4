#ifndef NUM_DEVICE_CUDA_VENDOR_H
#define NUM_DEVICE_CUDA_VENDOR_H

/** Defines AMD's names. The file src/num/device/cuda/vendor.h explains the names. */

#include <cuda_runtime.h>
#include <string>

#define GPU_VENDOR    "AMD"
#define GPU_PLATFORM  "HIP"
#define GPU_MONITOR   "rocm-smi"
#define GPU_VISIBLE   "HIP_VISIBLE_DEVICES"
#define GPU_ARCH_MAKE "HIPARCH set to its name (gfx90a)"

#define GPU_RTC "hipRTC"
#define GPU_RTC_FILES(major)                                                                                 \
	{                                                                                                    \
		"libhiprtc.so." + std::to_string(major), "libhiprtc.so", "libamdhip64.so.5",                 \
		        "libamdhip64.so"                                                                     \
	}
#define GPU_RTC_OPTIONS "-std=c++17", "-ffp-contract=off", "-w"
/* hipRTC lacks these names of the C library. 64-bit integers are long, as in C. */
#define GPU_RTC_PRELUDE                                                                                      \
	"#define NUM_EXPR_CUDA_EXPR_PRELUDE_H\n"                                                             \
	"#define __CUDACC__\n"                                                                               \
	"#undef __host__\n"                                                                                  \
	"#define __host__\n"                                                                                 \
	"#define __grid_constant__\n"                                                                        \
	"#define INFINITY __builtin_huge_valf()\n"                                                           \
	"#define NAN __builtin_nanf(\"\")\n"                                                                 \
	"#define int64_t long\n"                                                                             \
	"#define uint64_t unsigned long\n"                                                                   \
	"#define __ldcs(p) (*(p))\n"                                                                         \
	"#define __stcs(p, v) (*(p) = (v))\n"                                                                \
	"typedef signed char int8_t;\n"                                                                      \
	"typedef unsigned char uint8_t;\n"                                                                   \
	"typedef short int16_t;\n"                                                                           \
	"typedef unsigned short uint16_t;\n"

#define GPU_TOOLKIT_VERSION HIP_VERSION_MAJOR, HIP_VERSION_MINOR

static inline std::string gpu_rtc_architecture(const hipDeviceProp_t *p)
{
	return std::string("--offload-arch=") + p->gcnArchName;
}

#define GPU_FFT "hipFFT"
#define GPU_FFT_FILES                                                                                        \
	{                                                                                                    \
		"libhipfft.so.0", "libhipfft.so", "/opt/rocm/lib/libhipfft.so"                               \
	}
#define GPU_FFT_NAME(name) "hipfft" name

#endif
