/* Tests of what all other kernels rely on: launches, barriers, shuffles, shared memory, copies between host
 * and device and, if available, asynchronous copies. */

#include <stdio.h>
#include <vector>

#include "num/device/cuda/async.h"

extern "C" {
#include "num/device/cuda/selftest.h"
}

enum { THREADS = 256, WARPS = THREADS / 32 };

/** Sums of THREADS numbers each, by shuffles within warps and shared memory between them. */
static __global__ void sum_blocks(long n, long *sums, const int *in)
{
	__shared__ long partial[WARPS];
	const long i = (long)blockIdx.x * THREADS + threadIdx.x;
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	long v = (i < n) ? in[i] : 0;

	for (int by = 16; 0 < by; by /= 2)
		v += __shfl_xor_sync(~0u, v, by);

	if (0 == lane)
		partial[warp] = v;
	__syncthreads();

	if (0 == warp) {
		v = (lane < WARPS) ? partial[lane] : 0;
		for (int by = 16; 0 < by; by /= 2)
			v += __shfl_down_sync(~0u, v, by);
		if (0 == lane)
			sums[blockIdx.x] = v;
	}
}

/** Places of the odd numbers, in order: ballots. One warp. */
static __global__ void odd_places(int n, int *places, const int *in)
{
	const int lane = threadIdx.x;
	int found = 0;

	for (int first = 0; first < n; first += 32) {
		const int i = first + lane;
		const bool odd = i < n && (in[i] & 1);
		const unsigned all = __ballot_sync(~0u, odd);

		if (odd)
			places[found + __popc(all & ((1u << lane) - 1))] = i;
		found += __popc(all);
	}
}

/** The reverse of THREADS words, by way of asynchronous copies to dynamic shared memory. */
static __global__ void reverse_blocks(float *out, const float *in)
{
	GPU_SHARED(float, room);
	const float *mine = in + (size_t)blockIdx.x * THREADS;

	if (threadIdx.x < THREADS / 4)
		gpu_cp_async16(room + 4 * threadIdx.x, mine + 4 * threadIdx.x);
	gpu_cp_async_commit();
	gpu_cp_async_wait<0>();
	__syncthreads();
	out[(size_t)blockIdx.x * THREADS + threadIdx.x] = room[THREADS - 1 - threadIdx.x];
}

enum { BOX_X = 8, BOX_Y = 4, BOX = BOX_X * BOX_Y, STAGES = 2, READERS = 2 };

/** Sums of the planes of a box by a ring: one warp brings, two add up; steps - 1 planes lie beyond an end. */
static __global__ void sum_boxes(
        const __grid_constant__ CUtensorMap map, int planes, int x, int y, float *out)
{
	GPU_SHARED(float, room);
	uint64_t *full = (uint64_t *)(room + STAGES * BOX), *empty = full + STAGES;
	const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;

	if (0 == threadIdx.x) {
		for (int i = 0; i < STAGES; i++) {
			gpu_bar_init(full + i, 1);
			gpu_bar_init(empty + i, READERS);
		}
		gpu_bar_fence();
	}
	__syncthreads();

	if (READERS == warp) {
		if (0 == lane)
			for (int k = 0; k < planes; k++) {
				const int s = k % STAGES;

				if (k >= STAGES)
					gpu_bar_wait(empty + s, (uint32_t)(k / STAGES - 1) & 1u);
				gpu_bar_expect(full + s, BOX * sizeof(float));
				gpu_tma_load3(room + s * BOX, &map, full + s, x, y, k - 1);
			}

		return;
	}

	float sum = 0.f;

	for (int k = 0; k < planes; k++) {
		const int s = k % STAGES;

		gpu_bar_wait(full + s, (uint32_t)(k / STAGES) & 1u);
		sum += (float)(warp + 1) * room[s * BOX + lane];
		__syncwarp();
		if (0 == lane)
			gpu_bar_arrive(empty + s);
	}

	out[warp * BOX + lane] = sum;
}

/** Device memory that is freed at the end of the test. */
template <class T> struct on_device {
	T *p;
	explicit on_device(size_t n) : p((T *)device_alloc(n * sizeof(T)))
	{
	}
	~on_device()
	{
		device_free(p);
	}
	void put(const std::vector<T> &v)
	{
		device_copy(p, v.data(), v.size() * sizeof(T));
	}
	std::vector<T> get(size_t n) const
	{
		std::vector<T> v(n);

		device_copy(v.data(), p, n * sizeof(T));

		return v;
	}
};

static bool sums_are_right(char *why, size_t room)
{
	const long n = 100003, blocks = gpu_divide_up(n, THREADS);
	std::vector<int> in((size_t)n);
	std::vector<long> expected((size_t)blocks, 0);
	on_device<int> gpu_in(in.size());
	on_device<long> gpu_out(expected.size());

	for (long i = 0; i < n; i++) {
		in[(size_t)i] = (int)(i * 2654435761u >> 8);
		expected[(size_t)(i / THREADS)] += in[(size_t)i];
	}

	gpu_in.put(in);
	GPU_LAUNCH(sum_blocks, blocks, THREADS, 0, gpu_stream(), n, gpu_out.p, gpu_in.p);

	if (gpu_out.get(expected.size()) == expected)
		return true;

	snprintf(why, room, "sums of %d integers by shuffles and shared memory are wrong", THREADS);

	return false;
}

static bool ballots_are_right(char *why, size_t room)
{
	const int n = 1000;
	std::vector<int> in((size_t)n), expected;
	on_device<int> gpu_in(in.size()), gpu_out(in.size());

	for (int i = 0; i < n; i++) {
		in[(size_t)i] = i * i / 3;
		if (in[(size_t)i] & 1)
			expected.push_back(i);
	}

	gpu_in.put(in);
	GPU_LAUNCH(odd_places, 1, 32, 0, gpu_stream(), n, gpu_out.p, gpu_in.p);

	if (gpu_out.get(expected.size()) == expected)
		return true;

	snprintf(why, room, "places counted by ballots are wrong");

	return false;
}

static bool shared_copies_are_right(char *why, size_t room)
{
	const size_t blocks = 5, n = blocks * THREADS;
	std::vector<float> in(n), expected(n);
	on_device<float> gpu_in(n), gpu_out(n);

	for (size_t i = 0; i < n; i++) {
		in[i] = (float)i;
		expected[i] = (float)(i / THREADS * THREADS + THREADS - 1 - i % THREADS);
	}

	gpu_in.put(in);
	GPU_LAUNCH(
	        reverse_blocks, blocks, THREADS, THREADS * sizeof(float), gpu_stream(), gpu_out.p, gpu_in.p);

	if (gpu_out.get(n) == expected)
		return true;

	snprintf(why, room, "asynchronous copies to shared memory gave wrong numbers");

	return false;
}

static bool tensor_copies_are_right(char *why, size_t room)
{
	const long dims[3] = {20, 7, 5}, steps[2] = {20 * sizeof(float), 20 * 7 * sizeof(float)};
	const int box[3] = {BOX_X, BOX_Y, 1}, planes = 7, x = 16, y = -2; // over every edge
	std::vector<float> in(20 * 7 * 5), expected(READERS * BOX, 0.f);
	on_device<float> gpu_in(in.size()), gpu_out(expected.size());
	CUtensorMap map;

	for (size_t i = 0; i < in.size(); i++)
		in[i] = (float)(i % 101);

	for (int w = 0; w < READERS; w++)
		for (int k = 0; k < planes; k++)
			for (int i = 0; i < BOX; i++) {
				const long p[3] = {x + i % BOX_X, y + i / BOX_X, k - 1};
				bool inside = true;

				for (int d = 0; d < 3; d++)
					inside &= 0 <= p[d] && p[d] < dims[d];
				if (inside)
					expected[(size_t)(w * BOX + i)] +=
					        (float)(w + 1) * in[(size_t)(p[0] + 20 * (p[1] + 7 * p[2]))];
			}

	gpu_in.put(in);
	gpu_tensor3(&map, gpu_in.p, dims, steps, box);
	GPU_LAUNCH(sum_boxes, 1, 32 * (READERS + 1),
	        STAGES * BOX * sizeof(float) + 2 * STAGES * sizeof(uint64_t), gpu_stream(), map, planes, x, y,
	        gpu_out.p);

	if (gpu_out.get(expected.size()) == expected)
		return true;

	snprintf(why, room, "tensor copies to shared memory gave wrong numbers");

	return false;
}

static bool device_works(char *why, size_t room)
{
	return sums_are_right(why, room) && ballots_are_right(why, room) &&
	       shared_copies_are_right(why, room) && (!gpu_has_tma() || tensor_copies_are_right(why, room));
}

GPU_SELFTEST(device, device_works);
