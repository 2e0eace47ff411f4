/** Buffers and their addresses: ranges of the process's address space that are reserved, without memory
 * behind them. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "misc/error.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"
#include "num/device/opencl.h"
#include "num/device/opencl/api.h"
#include "num/device/opencl/kernels.h"
#include "num/device/opencl/selftest.h"

struct buffer {
	char *at;
	size_t bytes, counted; // counted: under GANTRY_GPU_MEM
	cl_memory memory;
	bool written; // shared with the host, which reads it in the end
	struct buffer *next;
};

static struct buffer *buffers = NULL; // the newest first
static size_t taken = 0;
static bool asked = false;
static int beside = 0; // memory allocated now is not counted

bool opencl_asked(void)
{
	return asked;
}

void opencl_beside(bool begin)
{
	beside += begin ? 1 : -1;
}

size_t opencl_left(void)
{
	if (beside > 0)
		return opencl.all_memory;

	return (taken < opencl.memory) ? opencl.memory - taken : 0;
}

size_t opencl_largest(void)
{
	return opencl.largest;
}

static struct buffer *find(const void *p)
{
	struct buffer *b = buffers;

	while (b && !((const char *)p >= b->at && (const char *)p < b->at + b->bytes))
		b = b->next;

	return b;
}

bool opencl_holds(const void *p)
{
	return NULL != buffers && NULL != find(p);
}

cl_memory opencl_memory_of(const void *p, long *at)
{
	const struct buffer *b = find(p);

	*at = b ? (const char *)p - b->at : 0;
	return b ? b->memory : NULL;
}

/** Gives the buffer a range of addresses. */
static void *add_buffer(cl_memory memory, size_t bytes, size_t counted, bool written)
{
	struct buffer *b = NEW(struct buffer);

	*b = (struct buffer){
	        .bytes = bytes, .counted = counted, .memory = memory, .written = written, .next = buffers};
	b->at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (b->at == MAP_FAILED)
		error("OpenCL: no address space for a buffer of %zu bytes", bytes);

	taken += counted;
	buffers = b;
	return b->at;
}

void *opencl_alloc(size_t bytes)
{
	int status;

	opencl_selftest(&opencl_selftest_copies);
	asked = true;
	bytes = (bytes + 255) / 256 * 256 + (bytes == 0 ? 256 : 0);

	if (bytes > opencl_left() || bytes > opencl.largest) {
		char want[32], left[32];

		snprintf(want, sizeof want, "%s", human_bytes((double)bytes));
		snprintf(left, sizeof left, "%s",
		        human_bytes((double)(bytes > opencl_left() ? opencl_left() : opencl.largest)));
		error("OpenCL: out of memory. %s (%zu bytes) are needed, but %s are left on %s%s (use "
		      "smaller arrays or --device cpu)",
		        want, bytes, left, opencl.name,
		        getenv("GANTRY_GPU_MEM") ? " under GANTRY_GPU_MEM" : "");
	}

	const cl_memory m =
	        opencl.api.clCreateBuffer(opencl.context, CL_MEM_READ_WRITE, bytes, NULL, &status);

	opencl_check(status, "a buffer");
	return add_buffer(m, bytes, beside > 0 ? 0 : bytes, false);
}

void *opencl_share(void *host, size_t bytes, bool write)
{
	int status;

	if (!opencl.shares || 0 == bytes || bytes > opencl.largest)
		return NULL;

	opencl_selftest(&opencl_selftest_copies);
	asked = true;

	const cl_memory m = opencl.api.clCreateBuffer(opencl.context,
	        CL_MEM_USE_HOST_PTR | (write ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY), bytes, host, &status);

	return (CL_SUCCESS == status) ? add_buffer(m, bytes, 0, write) : NULL;
}

/** Waits for the kernels that write to memory of the host, which is the host's afterwards. */
static void give_back(const struct buffer *b)
{
	int status;
	void *host = opencl.api.clEnqueueMapBuffer(
	        opencl.queue, b->memory, CL_TRUE, CL_MAP_READ, 0, b->bytes, 0, NULL, NULL, &status);

	opencl_check(status, "a result");
	opencl_check(
	        opencl.api.clEnqueueUnmapMemObject(opencl.queue, b->memory, host, 0, NULL, NULL), "a result");
	opencl_sync();
}

void opencl_free(void *p)
{
	struct buffer **link = &buffers, *b = p ? find(p) : NULL;

	if (!b)
		return;

	while (*link != b)
		link = &(*link)->next;

	if (b->written)
		give_back(b);

	*link = b->next;
	opencl.api.clReleaseMemObject(b->memory);
	munmap(b->at, b->bytes);
	taken -= b->counted;
	free(b);
}

/** The buffer that contains an address; error() if there is none. */
static cl_memory expect_memory(const void *p, long *at)
{
	const cl_memory m = opencl_memory_of(p, at);

	if (!m)
		error("OpenCL: address %p is not in a buffer of the device", p);

	return m;
}

void opencl_upload2(size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step)
{
	long at;
	const cl_memory m = expect_memory(dst, &at);
	const size_t there[3] = {(size_t)at, 0, 0}, here[3] = {0, 0, 0}, region[3] = {width, (size_t)rows, 1};

	asked = true;

	if (0 == width || rows <= 0)
		return;

	if (1 == rows || (width == dst_step && width == src_step))
		opencl_check(opencl.api.clEnqueueWriteBuffer(opencl.queue, m, CL_TRUE, (size_t)at,
		                     width * (size_t)rows, src, 0, NULL, NULL),
		        "an upload");
	else
		opencl_check(opencl.api.clEnqueueWriteBufferRect(opencl.queue, m, CL_TRUE, there, here,
		                     region, dst_step, 0, src_step, 0, src, 0, NULL, NULL),
		        "an upload");
}

void opencl_download2(size_t width, long rows, void *dst, size_t dst_step, const void *src, size_t src_step)
{
	long at;
	const cl_memory m = expect_memory(src, &at);
	const size_t there[3] = {(size_t)at, 0, 0}, here[3] = {0, 0, 0}, region[3] = {width, (size_t)rows, 1};

	if (0 == width || rows <= 0)
		return;

	if (1 == rows || (width == dst_step && width == src_step))
		opencl_check(opencl.api.clEnqueueReadBuffer(opencl.queue, m, CL_TRUE, (size_t)at,
		                     width * (size_t)rows, dst, 0, NULL, NULL),
		        "a download");
	else
		opencl_check(opencl.api.clEnqueueReadBufferRect(opencl.queue, m, CL_TRUE, there, here, region,
		                     src_step, 0, dst_step, 0, dst, 0, NULL, NULL),
		        "a download");
}

void opencl_upload(void *dst, const void *src, size_t bytes)
{
	opencl_upload2(bytes, 1, dst, bytes, src, bytes);
}

void opencl_download(void *dst, const void *src, size_t bytes)
{
	opencl_download2(bytes, 1, dst, bytes, src, bytes);
}

void opencl_clear(void *dst, size_t bytes)
{
	const unsigned char zero = 0;
	long at;
	const cl_memory m = expect_memory(dst, &at);

	asked = true;

	if (0 < bytes)
		opencl_check(opencl.api.clEnqueueFillBuffer(
		                     opencl.queue, m, &zero, 1, (size_t)at, bytes, 0, NULL, NULL),
		        "filling memory");
}

void opencl_sync(void)
{
	opencl_check(opencl.api.clFinish(opencl.queue), "a computation");
}
