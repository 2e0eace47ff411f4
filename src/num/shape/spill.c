#include <stdbool.h>
#include <stdlib.h>
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
