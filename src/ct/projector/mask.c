#include "ct/projector/mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "misc/error.h"
#include "misc/file/warn_grid.h"
#include "misc/mem.h"
#include "misc/options/parse.h"
#include "misc/threads.h"
#include "num/kern/convert.h"

enum { LINE = 256 }; // voxels at a time

struct mask {
	struct grid grid;
	long *end;        // circle: line j holds voxels [end[2 j], end[2 j + 1])
	struct cfl *file; // else: where it is not 0
	const char *data;
	long step[3]; // of its elements [bytes], 0 where it is repeated
};

static void make_circle(struct mask *m, const char *text)
{
	const struct grid *g = &m->grid;
	const double half[2] = {g->size[0] * g->spacing[0] / 2., g->size[1] * g->spacing[1] / 2.};
	const double r = *text ? parse_double(text + 1, "--mask circle") : fmin(half[0], half[1]);

	if (!(r > 0.))
		usage_error("--mask circle: the radius is %g mm, expected more than 0", r);

	m->end = mem_alloc(mul_checked(2 * sizeof(long), g->size[1], "--mask"));

	for (long j = 0; j < g->size[1]; j++) {
		const double y = (j - (g->size[1] - 1) / 2.) * g->spacing[1],
		             w2 = r * r * (1. + 1e-12) - y * y,
		             w = (w2 >= 0.) ? sqrt(w2) / g->spacing[0] : -1., middle = (g->size[0] - 1) / 2.;

		m->end[2 * j] = (w < 0.) ? 0 : (long)fmax(0., ceil(middle - w));
		m->end[2 * j + 1] = (w < 0.) ? 0 : (long)fmin((double)g->size[0], floor(middle + w) + 1.);
	}

	struct str said = {0};

	str_add_double(&said, r, 6);
	tool_record("mask", "circle:%s", said.data);
	free(said.data);
}

static void open_file(struct mask *m, const char *name)
{
	struct cfl *f = m->file = cfl_open(name);
	long step = (long)dtype_size(f->hdr.type);

	cfl_expect(
	        f, 1u << Q_MASK | 1u << Q_WEIGHTS | 1u << Q_ATTENUATION, "--mask takes a mask of the volume");
	cfl_expect_real(f);

	for (int d = 0; d < DIMS; d++) {
		const long n = f->hdr.dims[d], want = (d < 3) ? m->grid.size[d] : 1;

		if (n != want && n != 1)
			error("--mask %s is %s, expected %ld x %ld x %ld like the volume (or 1 where the "
			      "mask is repeated)",
			        f->name, hdr_shape(&f->hdr), m->grid.size[0], m->grid.size[1],
			        m->grid.size[2]);

		if (d < 3)
			m->step[d] = (n > 1) ? step : 0;

		step *= n;
	}

	struct hdr volume;

	hdr_init(&volume);
	grid_to_header(&m->grid, &volume);
	cfl_warn_grid(f, &volume, "the volume");
	m->data = cfl_map(f);
}

struct mask *mask_create(const char *text, const struct grid *grid)
{
	static const char circle[] = "circle";

	if (!text)
		return NULL;

	struct mask *m = NEW(struct mask);
	const size_t n = strlen(circle);

	m->grid = *grid;

	if (0 == strncmp(text, circle, n) && (text[n] == 0 || text[n] == ':'))
		make_circle(m, text + n);
	else
		open_file(m, text);

	return m;
}

void mask_free(struct mask *m)
{
	if (!m)
		return;

	if (m->file)
		cfl_close(m->file);

	free(m->end);
	free(m);
}

static void file_line(const struct mask *m, long first, long n, long j, long k, bool inside[])
{
	const char *line = m->data + j * m->step[1] + k * m->step[2] + first * m->step[0];
	double v[LINE];

	for (long at = 0; at < n; at += LINE) {
		const long part = (n - at < LINE) ? n - at : LINE, distinct = m->step[0] ? part : 1;

		convert(DT_FLOAT64, v, m->file->hdr.type, line + at * m->step[0], distinct, NARROW_SATURATE);

		for (long i = 0; i < part; i++) {
			const double x = v[m->step[0] ? i : 0];

			if (isnan(x))
				error("--mask %s contains NaN in line (%ld, %ld), expected numbers",
				        m->file->name, j, k);

			inside[at + i] = (x != 0.);
		}
	}
}

void mask_line(const struct mask *m, long first, long n, long j, long k, bool inside[])
{
	if (m->file) {
		file_line(m, first, n, j, k, inside);
		return;
	}

	for (long i = 0; i < n; i++)
		inside[i] = first + i >= m->end[2 * j] && first + i < m->end[2 * j + 1];
}

void mask_part(const struct mask *m, enum dtype type, long first, long end, void *vols)
{
	if (!m)
		return;

	const long *n = m->grid.size;
	const size_t size = dtype_size(type);

#pragma omp parallel for schedule(static) num_threads(threads_for((double)(end - first)))
	for (long line = first / n[0]; line < (end + n[0] - 1) / n[0]; line++) {
		bool inside[LINE];
		char *v = (char *)vols + (size_t)(line * n[0]) * size;

		for (long at = 0; at < n[0]; at += LINE) {
			const long part = (n[0] - at < LINE) ? n[0] - at : LINE;

			mask_line(m, at, part, line % n[1], line / n[1] % n[2], inside);

			for (long i = 0; i < part; i++)
				if (!inside[i])
					memset(v + (size_t)(at + i) * size, 0, size);
		}
	}
}

void mask_volume(const struct mask *m, enum dtype type, void *vol)
{
	mask_part(m, type, 0, m->grid.size[0] * m->grid.size[1] * m->grid.size[2], vol);
}

void mask_volumes(const struct mask *m, enum dtype type, long n, void *vols)
{
	mask_part(m, type, 0, n, vols);
}

bool mask_hides(const struct mask *m, const struct brick *b)
{
	if (m->file)
		return false;

	for (long j = b->first[1]; j < b->first[1] + b->size[1]; j++)
		if (m->end[2 * j] < b->first[0] + b->size[0] && m->end[2 * j + 1] > b->first[0] &&
		        m->end[2 * j] < m->end[2 * j + 1])
			return false;

	return true;
}

void mask_brick(const struct mask *m, const struct xray *x, const struct brick *b, size_t size, void *buffer)
{
	bool inside[LINE];

	for (int k = 0; k < b->size[2]; k++)
		for (int j = 0; j < b->size[1]; j++)
			for (int at = 0; at < b->size[0]; at += LINE) {
				const int part = (b->size[0] - at < LINE) ? b->size[0] - at : LINE;
				char *v = (char *)buffer + (size_t)(x->lead + (long)(at + 1) * x->stride[0] +
				                                    (long)(j + 1) * x->stride[1] +
				                                    (long)(k + 1) * x->stride[2]) *
				                                   size;

				mask_line(
				        m, b->first[0] + at, part, b->first[1] + j, b->first[2] + k, inside);

				for (int i = 0; i < part; i++)
					if (!inside[i])
						memset(v + (size_t)i * x->stride[0] * size, 0, size);
			}
}
