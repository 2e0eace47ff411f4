#include "volume/mesh/label_boxes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/convert.h"

/** Boxes by label: a hash table with open addressing; label 0 marks empty entries. */
struct boxes {
	long n, room; // a power of two
	struct label_box *box;
};

static struct label_box *boxes_place(const struct boxes *b, int64_t label)
{
	uint64_t i = (uint64_t)label * 0x9e3779b97f4a7c15u >> 20;

	for (i &= (uint64_t)b->room - 1; b->box[i].label != 0 && b->box[i].label != label;)
		i = (i + 1) & ((uint64_t)b->room - 1);

	return b->box + i;
}

static void boxes_grow(struct boxes *b)
{
	struct boxes more = {.n = b->n, .room = b->room > 0 ? 2 * b->room : 64};

	more.box = mem_calloc((size_t)more.room, sizeof *more.box);

	for (long i = 0; i < b->room; i++)
		if (b->box[i].label != 0)
			*boxes_place(&more, b->box[i].label) = b->box[i];

	free(b->box);
	*b = more;
}

static void boxes_add(struct boxes *b, const struct label_box *piece)
{
	if (2 * b->n >= b->room)
		boxes_grow(b);

	struct label_box *at = boxes_place(b, piece->label);

	if (0 == at->label) {
		*at = *piece;
		b->n++;
		return;
	}

	at->count += piece->count;

	for (int d = 0; d < 3; d++) {
		at->lo[d] = piece->lo[d] < at->lo[d] ? piece->lo[d] : at->lo[d];
		at->hi[d] = piece->hi[d] > at->hi[d] ? piece->hi[d] : at->hi[d];
	}
}

/* The runs of equal labels of a row. */
static void add_row(struct boxes *b, const int64_t *row, long n, long y, long z)
{
	for (long x = 0, end; x < n; x = end) {
		for (end = x + 1; end < n && row[end] == row[x];)
			end++;

		if (row[x] != 0)
			boxes_add(b, &(struct label_box){row[x], end - x, {x, y, z}, {end, y + 1, z + 1}});
	}
}

static int compare_labels(const void *a, const void *b)
{
	const int64_t x = ((const struct label_box *)a)->label, y = ((const struct label_box *)b)->label;

	return (x > y) - (x < y);
}

static void add_slices(struct boxes *all, const char *data, enum dtype type, const long dims[3])
{
	const double elements = (double)dims[0] * (double)dims[1] * (double)dims[2];

#pragma omp parallel num_threads(threads_for(elements))
	{
		struct boxes mine = {0};
		int64_t *row = mem_alloc((size_t)dims[0] * sizeof *row);

#pragma omp for schedule(static)
		for (long z = 0; z < dims[2]; z++) {
			for (long y = 0; y < dims[1]; y++) {
				convert(DT_INT64, row, type,
				        data + (z * dims[1] + y) * dims[0] * (long)dtype_size(type), dims[0],
				        NARROW_SATURATE);
				add_row(&mine, row, dims[0], y, z);
			}

			progress_add(1);
		}

#pragma omp critical
		for (long i = 0; i < mine.room; i++)
			if (mine.box[i].label != 0)
				boxes_add(all, mine.box + i);

		free(mine.box);
		free(row);
	}
}

struct label_box *label_boxes(
        const void *data, enum dtype type, const long dims[3], long *n, const char *name)
{
	struct boxes all = {0};

	progress_start("looking for labels", dims[2]);
	add_slices(&all, data, type, dims);
	progress_end();

	struct label_box *list = mem_alloc((size_t)(all.n + 1) * sizeof *list);

	*n = 0;

	for (long i = 0; i < all.room; i++)
		if (all.box[i].label != 0)
			list[(*n)++] = all.box[i];

	free(all.box);
	qsort(list, (size_t)*n, sizeof *list, compare_labels);

	if (*n > 0 && list[0].label < 0)
		error("%s: label %ld is negative", name, (long)list[0].label);

	return list;
}
