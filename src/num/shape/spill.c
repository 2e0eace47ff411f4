#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "misc/file.h"
#include "misc/file/mapping.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "num/shape/spill.h"

/* Vectors that are counted or mapped; a list, since there are few. */
struct vector {
	struct vector *next;
	void *p;
	size_t bytes;
	bool mapped;
};

static struct vector *vectors;
static long limit = -1, used;

void spill_limit(long bytes)
{
	limit = bytes;
	used = 0;
}

static void *map_file(size_t bytes)
{
	const int fd = file_spool((long)bytes);
	char *name = mem_printf("temporary file in %s", file_tmpdir());
	void *p = mapping_create(fd, bytes, true, name);

	free(name);
	close(fd);

	return p;
}

static void *alloc_counted(size_t bytes)
{
	struct vector *v = NEW(struct vector);

	v->bytes = bytes;
	v->mapped = (long)bytes > limit - used;
	v->p = v->mapped ? map_file(bytes) : mem_alloc(bytes);
	used += v->mapped ? 0 : (long)bytes;
	v->next = vectors;
	vectors = v;

	return v->p;
}

void *spill_alloc(size_t bytes)
{
	void *p;

	if (bytes < SPILL_SMALL)
		return mem_alloc(bytes);

#pragma omp critical(spill)
	p = limit < 0 ? mem_alloc(bytes) : alloc_counted(bytes);

	return p;
}

static bool is_mapped(const void *p)
{
	bool mapped = false;

#pragma omp critical(spill)
	for (const struct vector *v = vectors; v != NULL && !mapped; v = v->next)
		mapped = v->p == p && v->mapped;

	return mapped;
}

/* Whole pages are returned to the system: pages that are used again contain zeros. */
static void clear_memory(char *p, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const size_t before = (page - (uintptr_t)p % page) % page;
	const size_t pages = (bytes > before) ? (bytes - before) / page * page : 0;

	if (0 == pages || 0 != madvise(p + before, pages, MADV_DONTNEED)) {
		memset(p, 0, bytes);
		return;
	}

	memset(p, 0, before);
	memset(p + before + pages, 0, bytes - before - pages);
}

void spill_clear_new(void *p, size_t bytes)
{
	if (!is_mapped(p)) // a new file contains zeros
		clear_memory(p, bytes);
}

/* The vector at p, taken out of the list; NULL: not one of them. */
static struct vector *take(const void *p)
{
	for (struct vector **at = &vectors; *at != NULL; at = &(*at)->next)
		if ((*at)->p == p) {
			struct vector *v = *at;

			*at = v->next;

			return v;
		}

	return NULL;
}

void spill_free(void *p)
{
#pragma omp critical(spill)
	{
		struct vector *v = take(p);

		if (v != NULL && v->mapped)
			mapping_free(p);
		else
			free(p);

		if (v != NULL && !v->mapped)
			used -= (long)v->bytes;

		free(v);
	}
}
