/** Arrays in memory, found by name. */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "misc/error.h"
#include "misc/file/resident.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"

struct resident {
	char *name;
	char *header, *history; // text; NULL before the commit
	size_t bytes;
	void *host, *device; // device: NULL until somebody asks for it there
	bool on_host, on_device;
	const struct resident_device *how;
	int users; // who has it open, and the list of names
	struct resident *next;
};

static struct resident *named;
static bool enabled;
static long total; // [bytes]

void resident_enable(void)
{
	enabled = true;
}

bool resident_is_name(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (!enabled || '@' != *name)
		return false;

	if (!name[1] || name[1 + strspn(name + 1, good)])
		usage_error("%s: an array in memory needs a name of @ and letters, digits, _ or - (for a "
		            "file of this name, write ./%s)",
		        name, name);

	return true;
}

static struct resident **find(const char *name)
{
	struct resident **at = &named;

	while (*at && 0 != strcmp((*at)->name, name))
		at = &(*at)->next;

	return at;
}

struct resident *resident_open(const char *name, struct hdr *h)
{
	struct resident *r = *find(name);

	if (!r)
		error("%s: no earlier line has created this array", name);

	hdr_parse(h, r->header, strlen(r->header), name);
	h->history = r->history ? mem_strdup(r->history) : NULL;
	r->users++;
	return r;
}

struct resident *resident_create(const char *name, long bytes)
{
	// the system's own answer to too much is to end some process later
	if (bytes > tool_memory())
		error("%s: needs %s of memory, but only %s may be used (arrays in memory hold %s already)",
		        name, human_bytes((double)bytes), human_bytes((double)tool_memory()),
		        human_bytes((double)total));

	struct resident *r = NEW(struct resident);

	r->name = mem_strdup(name);
	r->bytes = (size_t)bytes;
	r->host = mmap(
	        NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (MAP_FAILED == r->host)
		error("%s: cannot allocate %s of memory: %s", name, human_bytes((double)bytes),
		        strerror(errno));

	madvise(r->host, r->bytes, MADV_HUGEPAGE);
	r->users = 1;
	total += bytes;
	tool_hold(bytes);
	return r;
}

void resident_release(struct resident *r)
{
	if (--r->users > 0)
		return;

	munmap(r->host, r->bytes);
	total -= (long)r->bytes;
	tool_hold(-(long)r->bytes);

	if (r->device)
		r->how->free(r->device);

	free(r->name);
	free(r->header);
	free(r->history);
	free(r);
}

void resident_drop(const char *name)
{
	struct resident **at = find(name), *r = *at;

	if (!r)
		return;

	*at = r->next;
	resident_release(r);
}

void resident_commit(struct resident *r, const struct hdr *h)
{
	struct hdr bare = *h;

	// as text, so that what comes back is what a file would give
	bare.history = NULL;
	r->header = hdr_format(&bare, NULL);
	r->history = h->history ? mem_strdup(h->history) : NULL;
	r->on_host = r->on_host || !r->on_device; // never touched: zeros
	resident_drop(r->name);
	r->next = named;
	named = r;
}

void *resident_address(const struct resident *r)
{
	return r->host;
}

void *resident_host(struct resident *r, bool write)
{
#pragma omp critical(resident)
	{
		if (!r->on_host && r->on_device)
			r->how->copy(r->host, r->device, r->bytes);

		r->on_host = true;
		r->on_device = r->on_device && !write;
	}

	return r->host;
}

void *resident_device(struct resident *r, const struct resident_device *d, bool write)
{
	assert(!r->device || d == r->how);

	if (!r->device)
		r->device = d->alloc(r->bytes);

	r->how = d;

	if (!r->on_device && r->on_host && !write)
		d->copy(r->device, r->host, r->bytes);

	r->on_device = true;
	r->on_host = r->on_host && !write;

	return r->device;
}
