#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "misc/error.h"
#include "misc/file/mapping.h"
#include "misc/human_bytes.h"
#include "misc/mem.h"

/* Entries are only added, and used again for the same path once free (len 0), so that a handler can walk the
 * list at any time. */
struct mapping {
	struct mapping *next;
	_Atomic(size_t) len;
	_Atomic(uintptr_t) start;
	char *path;
	_Atomic(bool) writable;
};

static _Atomic(struct mapping *) mappings;

static struct mapping *free_entry(const char *path)
{
	for (struct mapping *m = mappings; m; m = m->next)
		if (0 == m->len && 0 == strcmp(m->path, path))
			return m;

	struct mapping *m = NEW(struct mapping);

	m->path = mem_strdup(path);
	m->next = mappings;
	mappings = m;
	return m;
}

static void *create(int fd, size_t len, bool writable, int how, const char *path)
{
	assert(len > 0);
	void *p = mmap(NULL, len, writable ? PROT_READ | PROT_WRITE : PROT_READ, how, fd, 0);

	if (MAP_FAILED == p)
		error("%s: cannot be mapped into memory (%s): %s", path, human_bytes((double)len),
		        strerror(errno));

	struct mapping *m = free_entry(path);

	m->writable = writable;
	m->start = (uintptr_t)p;
	m->len = len;
	return p;
}

void *mapping_create(int fd, size_t len, bool writable, const char *path)
{
	return create(fd, len, writable, MAP_SHARED, path);
}

void *mapping_create_own(int fd, size_t len, const char *path)
{
	return create(fd, len, true, MAP_PRIVATE | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0), path);
}

void mapping_write_through(void *p, size_t len, int fd, long at, const char *path)
{
	if (MAP_FAILED == mmap(p, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, at))
		error("%s: cannot be mapped into memory (%s): %s", path, human_bytes((double)len),
		        strerror(errno));
}

void mapping_free(const void *p)
{
	for (struct mapping *m = mappings; m; m = m->next) {
		if (0 == m->len || m->start != (uintptr_t)p)
			continue;

		size_t len = m->len;

		m->len = 0;
		munmap((void *)(uintptr_t)p, len);
		return;
	}

	assert(!"mapping_free() of something that is not mapped");
}

const char *mapping_find(const void *address, bool *writable)
{
	for (struct mapping *m = mappings; m; m = m->next) {
		size_t len = m->len;
		uintptr_t start = m->start;

		if (len > 0 && (uintptr_t)address >= start &&
		        (uintptr_t)address - start < (len + 4095) / 4096 * 4096) {
			*writable = m->writable;
			return m->path;
		}
	}

	return NULL;
}
