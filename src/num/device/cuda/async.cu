/* Tensor maps. The driver creates tensor maps; its library is not linked but queried for the function. */

#include "num/device/cuda/async.h"

#ifdef GANTRY_EMULATE
static cudaError_t encode(CUtensorMap *map, int rank, const float *base, const uint64_t *dims,
        const uint64_t *steps, const uint32_t *box)
{
	return emulated_tensor_map(map, rank, base, dims, steps, box);
}
#else
static cudaError_t encode(CUtensorMap *map, int rank, const float *base, const uint64_t *dims,
        const uint64_t *steps, const uint32_t *box)
{
	typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
	        const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
	        CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
	static encode_fn *fn;
	const cuuint32_t ones[5] = {1, 1, 1, 1, 1};

	if (NULL == fn) {
		void *p = NULL;
		cudaDriverEntryPointQueryResult found;

		GPU_CHECK(cudaGetDriverEntryPointByVersion(
		        "cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &found));
		if (NULL == p)
			error("GPU: the NVIDIA driver has no cuTensorMapEncodeTiled(), expected one of CUDA "
			      "12 or newer");
		fn = (encode_fn *)p;
	}

	CUresult e = fn(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, (cuuint32_t)rank, (void *)base, dims, steps,
	        box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

	return (CUDA_SUCCESS == e) ? cudaSuccess : cudaErrorInvalidValue;
}
#endif

static void tensor(
        CUtensorMap *map, int rank, const float *base, const long dims[], const long steps[], const int box[])
{
	uint64_t d[3] = {1, 1, 1}, s[2] = {0, 0};
	uint32_t b[3] = {1, 1, 1};

	for (int i = 0; i < rank; i++) {
		d[i] = (uint64_t)dims[i];
		b[i] = (uint32_t)box[i];
		if (0 < i)
			s[i - 1] = (uint64_t)steps[i - 1];
	}

	gpu_enter();
	if (cudaSuccess != encode(map, rank, base, d, s, b))
		error("GPU: a tensor map of %ld x %ld x %ld elements, rows %ld and planes %ld bytes apart, "
		      "boxes of %d x "
		      "%d x %d was refused",
		        (long)d[0], (long)d[1], (long)d[2], (long)s[0], (long)s[1], (int)b[0], (int)b[1],
		        (int)b[2]);
}

void gpu_tensor3(
        CUtensorMap *map, const float *base, const long dims[3], const long steps[2], const int box[3])
{
	tensor(map, 3, base, dims, steps, box);
}

void gpu_tensor2(
        CUtensorMap *map, const float *base, const long dims[2], const long steps[1], const int box[2])
{
	tensor(map, 2, base, dims, steps, box);
}
