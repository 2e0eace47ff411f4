/* Device memory: the driver's stream-ordered pool allocates and caches it; a table of allocations tells which
 * addresses are on the device. */

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "num/device/cuda/gpu.h"
#include "num/device/cuda/worker.h"

extern "C" {
#include "num/device/cuda/settings.h"
}

enum { ALIGN = 256, DEVICES_MOST = 64 };

struct piece {
	const char *from, *to;
	int device, worker;
	size_t counted; // of it, as taken
};

static std::vector<struct piece> pieces; // by address
static std::shared_mutex pieces_lock;
static std::atomic<const char *> lowest,
        highest; // all pieces so far lie between: most addresses are told apart by it
static std::atomic<size_t> taken[DEVICES_MOST];
static thread_local int beside; // what is asked for now is not counted

void gpu_beside(bool begin)
{
	beside += begin ? 1 : -1;
}

bool gpu_is_beside(void)
{
	return 0 < beside;
}

static bool before(const char *p, const struct piece &a)
{
	return p < a.from;
}

/** The piece behind the one that begins at or before p. */
static std::vector<struct piece>::iterator behind(const void *p)
{
	return std::upper_bound(pieces.begin(), pieces.end(), (const char *)p, before);
}

extern "C" bool device_holds(const void *p)
{
	if (NULL == p || (const char *)p < lowest || (const char *)p >= highest)
		return false;

	std::shared_lock<std::shared_mutex> hold(pieces_lock);
	auto next = behind(p);

	return next != pieces.begin() && (const char *)p < std::prev(next)->to;
}

static void remember(const struct piece &a)
{
	std::unique_lock<std::shared_mutex> hold(pieces_lock);

	pieces.insert(behind(a.from), a);
	if (NULL == lowest || a.from < lowest)
		lowest = a.from;
	if (a.to > highest)
		highest = a.to;
}

static struct piece forget(const void *p)
{
	std::unique_lock<std::shared_mutex> hold(pieces_lock);
	auto next = behind(p);

	if (next == pieces.begin() || std::prev(next)->from != p)
		error("GPU memory at %p is freed, but was not allocated", p);

	struct piece a = *std::prev(next);

	pieces.erase(std::prev(next));

	return a;
}

/* ---- limits ---- */

/** GANTRY_GPU_MEM, or all there is. */
static size_t limit(int id)
{
	const size_t all = (size_t)device_memory(id), may = gpu_setting_memory();

	return (0 == may) ? all : std::min(may, all);
}

/** The pool of a device, or NULL where there are none; it keeps what is freed, up to the limit. */
static cudaMemPool_t pool(int id)
{
	static std::once_flag once[DEVICES_MOST];
	static cudaMemPool_t pools[DEVICES_MOST];

	std::call_once(once[id], [id] {
		int has = 0;
		uint64_t keep = limit(id);

		GPU_CHECK(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, id));
		if (!has)
			return;
		GPU_CHECK(cudaDeviceGetDefaultMemPool(&pools[id], id));
		GPU_CHECK(cudaMemPoolSetAttribute(pools[id], cudaMemPoolAttrReleaseThreshold, &keep));
	});

	return pools[id];
}

/** What the driver can give: free, or kept by the pool and not in use. */
static size_t driver_left(int id)
{
	size_t left, all;
	uint64_t reserved = 0, used = 0;

	GPU_CHECK(cudaMemGetInfo(&left, &all));

	if (NULL != pool(id)) {
		GPU_CHECK(cudaMemPoolGetAttribute(pool(id), cudaMemPoolAttrReservedMemCurrent, &reserved));
		GPU_CHECK(cudaMemPoolGetAttribute(pool(id), cudaMemPoolAttrUsedMemCurrent, &used));
	}

	return left + (size_t)(reserved - used);
}

extern "C" size_t device_left(void)
{
	// kernels' own needs, libraries' workspaces and the granularity of the driver
	const size_t reserve = (size_t)256 << 20;
	const int id = gpu_enter();
	const size_t most = limit(id), mine = taken[id];
	const size_t driver = driver_left(id),
	             spare = (driver > 4 * reserve) ? driver - reserve : driver / 4 * 3;

	if (gpu_is_beside())
		return spare;

	return (most > mine) ? std::min(most - mine, spare) : 0;
}

extern "C" size_t device_taken(void)
{
	return taken[gpu_enter()];
}

static void out_of_memory(int id, size_t bytes)
{
	char asked[32], left[32], all[32];

	gpu_human_bytes(asked, bytes);
	gpu_human_bytes(left, device_left());
	gpu_human_bytes(all, limit(id));
	error("GPU: out of memory: %s (%zu bytes) requested, %s of %s free on %s%s; smaller pieces, another "
	      "GPU (--gpu=ID) or --device cpu need less",
	        asked, bytes, left, all, device_name(id),
	        (limit(id) < (size_t)device_memory(id)) ? " under GANTRY_GPU_MEM" : "");
}

/* ---- giving and taking back ---- */

static cudaError_t ask(int id, void **p, size_t bytes)
{
	return (NULL != pool(id)) ? cudaMallocAsync(p, bytes, gpu_stream()) : cudaMalloc(p, bytes);
}

extern "C" void *device_alloc(size_t bytes)
{
	const int id = gpu_enter();
	const size_t room =
	        (bytes + ALIGN) / ALIGN * ALIGN; // never 0, and the end of one is not the start of another
	const size_t counted = (0 == beside) ? room : 0;
	void *p = NULL;

	if (room < bytes || (0 < counted && taken[id] + counted > limit(id)))
		out_of_memory(id, bytes);

	cudaError_t e = ask(id, &p, room);

	if (cudaErrorMemoryAllocation == e) { // what is freed but not yet given back may help
		cudaGetLastError();
		GPU_CHECK(cudaDeviceSynchronize());
		if (NULL != pool(id))
			GPU_CHECK(cudaMemPoolTrimTo(pool(id), 0));
		e = ask(id, &p, room);
	}

	if (cudaErrorMemoryAllocation == e)
		out_of_memory(id, bytes);

	gpu_check(e, "cudaMallocAsync()");
	taken[id] += counted;
	remember({(const char *)p, (const char *)p + room, id, gpu_worker(), counted});

	return p;
}

extern "C" void device_free(void *p)
{
	if (NULL == p)
		return;

	const struct piece a = forget(p);
	const int mine = gpu_worker();

	gpu_worker_use(a.worker); // in order with the work of the worker that it belongs to
	gpu_enter();
	GPU_CHECK((NULL != pool(a.device)) ? cudaFreeAsync(p, gpu_stream()) : cudaFree(p));
	gpu_worker_use(mine);
	taken[a.device] -= a.counted;
}
