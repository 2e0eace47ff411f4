/* Marching cubes on bits [1]: each row becomes a word of bits per 64 elements, inside or not. Xors of a row
 * with its neighbours are the edges that the surface cuts, and their counts number all vertices and triangles
 * before they are made; so threads fill slabs of the mesh in any order. The number of the vertex on an edge
 * is that of the first in its word plus the bits below it.
 *
 * [1] W. Lorensen, H. Cline: Marching cubes, SIGGRAPH 1987. Numbering by counts: W. Schroeder, R. Maynard,
 *     B. Geveci: Flying edges, LDAV 2015. */

#include "volume/mesh/isosurface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/opt.h"
#include "misc/progress.h"
#include "misc/threads.h"
#include "num/kern/convert.h"
#include "num/kern/kern.h"
#include "volume/mesh/cubes.h"
#include "volume/mesh/inside.h"

enum { WORD = 64, SLAB = 16, SOME = 4, LEAD = 8 };

/** Bits of the whole box are kept from the first pass for the second where they are not more. [bytes] */
static const long kept_most = 256L << 20;

/** The cut edges that begin at 64 elements, an axis each, and the number of the first vertex on them. */
struct cuts {
	uint64_t edges[3];
	uint32_t first[3];
};

/** What a pass over the box knows. All positions are of the padded box: element + 1. */
struct isosurface_job {
	struct isosurface *s;
	struct inside inside;
	struct cubes cubes;
	bool mirrored;     // the axes have the other handedness
	long step[3];      // from an element to the next along dim d [bytes]
	double origin[4];  // as in s, and zeros, so that vectors of four can be used
	double axes[3][4]; // as in s
	long n[3];         // elements of the box
	long words;        // of a row: n[0] + 2 bits
	long layers;       // of cells
	long slabs;        // of SLAB layers
	long *vertex;      // [slabs + 1] first of each slab
	long *triangle;
	uint64_t *kept;           // bits of the slices of the box; NULL
	bool counting;            // the first pass
	struct mesh m;            // the second pass: all of it, or sizes alone
	isosurface_part_fn *take; // the parts; NULL: all of it is kept
	void *ctx;
	long most[2];      // of a part: vertices that its triangles use, triangles
	double (*sums)[2]; // of the slabs: as mesh_measure_part() adds them
};

/** What a thread works in: slices z, z + 1, z + 2 as bits, in `room` or kept, the cuts of z, z + 1. */
struct work {
	uint64_t *room[3];
	const uint64_t *bits[3];
	struct cuts *cuts[2];
	float *buffer;
	struct mesh m; // its arrays are valid for the slab
	float *v;      // the vertices of the slab and of the next slice, and its triangles; NULL
	uint32_t *t;
	long vertices, triangles; // so far
	long nan;
	unsigned border;
};

void isosurface_init(struct isosurface *s, const struct hdr *h, const void *data, const char *name)
{
	double cosines[3][3];

	if (hdr_rank(h) > 3)
		error("%s: a mesh needs a volume of at most 3 dimensions, not %s (see gantry slice)", name,
		        hdr_shape(h));

	if (!hdr_direction(h, cosines))
		error("%s: section '# Direction' does not have nine numbers", name);

	*s = (struct isosurface){.data = data, .type = h->type};

	for (int d = 0; d < 3; d++) {
		s->dims[d] = s->hi[d] = h->dims[d];
		s->origin[d] = hdr_origin(h, d);

		for (int i = 0; i < 3; i++)
			s->axes[d][i] = cosines[d][i] * h->spacing[d];
	}

	// the centred grid of a header without origin is centred in the turned axes, too
	hdr_turned(h, cosines, s->origin);
}

#define INLINE static inline __attribute__((always_inline))

/* The address of an element of the padded box, within the volume only if the element is. */
INLINE const char *padded_element(const struct isosurface_job *j, long x, long y, long z)
{
	const long *lo = j->s->lo, *step = j->step;

	return (const char *)j->s->data + (lo[0] + x - 1) * step[0] + (lo[1] + y - 1) * step[1] +
	       (lo[2] + z - 1) * step[2];
}

static bool any_bit(const uint64_t *row, long words)
{
	uint64_t any = 0;

	for (long i = 0; i < words; i++)
		any |= row[i];

	return any != 0;
}

/* Which ends of the box the inside elements of slice z touch. */
static unsigned touched(const struct isosurface_job *j, const uint64_t *bits, long z)
{
	const long last = j->n[0];
	unsigned border = 0;
	bool any = false;

	for (long y = 1; y <= j->n[1]; y++) {
		const uint64_t *row = bits + y * j->words;

		border |= (row[0] >> 1 & 1) ? 1u : 0u;
		border |= (row[last / WORD] >> last % WORD & 1) ? 2u : 0u;

		if ((1 == z || j->n[2] == z) && !any)
			any = any_bit(row, j->words);
	}

	border |= any_bit(bits + j->words, j->words) ? 4u : 0u;
	border |= any_bit(bits + j->n[1] * j->words, j->words) ? 8u : 0u;
	border |= any && 1 == z ? 16u : 0u;
	border |= any && j->n[2] == z ? 32u : 0u;
	return border;
}

/* Words of bits of a slice. */
static long slice_words(const struct isosurface_job *j)
{
	return (j->n[1] + 2) * j->words;
}

/* Makes the bits of slice z of the box. `owned`: what is found in it is counted, once. */
static void make_bits(const struct isosurface_job *j, struct work *w, uint64_t *bits, long z, bool owned)
{
	const long words = j->words;
	long nan = 0;

	memset(bits, 0, (size_t)words * sizeof *bits);
	memset(bits + (j->n[1] + 1) * words, 0, (size_t)words * sizeof *bits);

	for (long y = 1; y <= j->n[1]; y++)
		nan += inside_row(
		        &j->inside, bits + y * words, words, padded_element(j, 1, y, z), j->n[0], w->buffer);

	if (owned && j->counting) {
		w->nan += nan;
		w->border |= touched(j, bits, z);
	}
}

/* The bits of padded slice z. Those of other slabs are kept by their owners. */
static const uint64_t *slice_bits(const struct isosurface_job *j, struct work *w, long z, bool owned)
{
	uint64_t *room = w->room[z % 3];

	if (z < 1 || z > j->n[2])
		return memset(room, 0, (size_t)slice_words(j) * sizeof *room);

	uint64_t *kept = NULL == j->kept ? NULL : j->kept + (z - 1) * slice_words(j);

	if (!j->counting && NULL != kept)
		return kept;

	uint64_t *bits = owned && NULL != kept ? kept : room;

	make_bits(j, w, bits, z, owned);

	return bits;
}

/* The row of bits one element further: bit x is that of x + 1. */
INLINE uint64_t shifted(const uint64_t *row, long i, long words)
{
	return row[i] >> 1 | (i + 1 < words ? row[i + 1] << 63 : 0);
}

/* The cuts of a slice with bits `a`, the next one `b`; counts their vertices. */
INLINE void slice_cuts(const struct isosurface_job *j, struct work *w, struct cuts *out, const uint64_t *a,
        const uint64_t *b)
{
	const long words = j->words, rows = j->n[1] + 2;
	long k = w->vertices;

	for (long y = 0; y < rows; y++)
		for (long i = 0; i < words; i++) {
			const long at = y * words + i;
			struct cuts *c = out + at;

			c->edges[0] = a[at] ^ shifted(a + y * words, i, words);
			c->edges[1] = y + 1 < rows ? a[at] ^ a[at + words] : 0;
			c->edges[2] = a[at] ^ b[at];

			for (int d = 0; d < 3; d++) {
				c->first[d] = (uint32_t)k;
				k += __builtin_popcountll(c->edges[d]);
			}
		}

	w->vertices = k;
}

INLINE double value_at(enum dtype type, const char *p)
{
	switch (type) {
	case DT_UINT8:
		return *(const uint8_t *)p;
	case DT_UINT16:
		return *(const uint16_t *)p;
	case DT_INT16:
		return *(const int16_t *)p;
	case DT_FLOAT32:
		return *(const float *)p;
	default: {
		double v;

		convert(DT_FLOAT64, &v, type, p, 1, NARROW_SATURATE);
		return v;
	}
	}
}

/* Where the surface cuts the edge from padded element x along axis d, as a share of the edge. */
INLINE double cut_share(const struct isosurface_job *j, const long x[3], int d)
{
	const struct isosurface *s = j->s;
	const double margin = 1. / 1024.;

	if (s->label || x[d] < 1 || x[d] >= j->n[d])
		return 0.5;

	const char *p = padded_element(j, x[0], x[1], x[2]);
	const double a = value_at(s->type, p), b = value_at(s->type, p + j->step[d]);
	const double t = (s->level - a) / (b - a);

	return t >= margin ? (t <= 1. - margin ? t : 1. - margin) : (t < margin ? margin : 0.5);
}

INLINE void put_vertex(const struct isosurface_job *j, float *out, const long x[3], int d)
{
	double at[3];
	float v[4];

	for (int i = 0; i < 3; i++)
		at[i] = (double)(j->s->lo[i] + x[i] - 1);

	at[d] += cut_share(j, x, d);

	for (int i = 0; i < 4; i++)
		v[i] = (float)(j->origin[i] + at[0] * j->axes[0][i] + at[1] * j->axes[1][i] +
		               at[2] * j->axes[2][i]);

	memcpy(out, v, 3 * sizeof *v);
}

/* Fetches the elements at the cut edges of a row, and those of the next slice, from memory. */
INLINE void prefetch_row(const struct isosurface_job *j, const struct cuts *row, long y, long z)
{
	for (long i = 0; i < j->words; i++) {
		const uint64_t cut = row[i].edges[0] | row[i].edges[1] | row[i].edges[2];

		if (0 == cut)
			continue;

		const char *first = padded_element(j, WORD * i + __builtin_ctzll(cut), y, z);
		const char *last = padded_element(j, WORD * i + WORD - 1 - __builtin_clzll(cut), y, z);

		__builtin_prefetch(first);
		__builtin_prefetch(last);
		__builtin_prefetch(first + j->step[2]);
		__builtin_prefetch(last + j->step[2]);
	}
}

INLINE void put_vertices(const struct isosurface_job *j, float *v, const struct cuts *cuts, long z)
{
	const long rows = j->n[1] + 2;

	for (long y = 0; y < rows; y++) {
		const struct cuts *row = cuts + y * j->words;

		if (y + LEAD < rows)
			prefetch_row(j, row + LEAD * j->words, y + LEAD, z);

		for (long i = 0; i < j->words; i++)
#pragma GCC unroll 3
			for (int d = 0; d < 3; d++) {
				long k = row[i].first[d];

				for (uint64_t e = row[i].edges[d]; e != 0; e &= e - 1)
					put_vertex(j, v + 3 * k++,
					        (long[]){WORD * i + __builtin_ctzll(e), y, z}, d);
			}
	}
}

/* The number of the vertex on the edge along axis d that begins at bit b, and of that at bit b + 1. */
INLINE uint32_t number_at(const struct cuts *c, int d, int b)
{
	return c->first[d] + (uint32_t)__builtin_popcountll(c->edges[d] & (((uint64_t)1 << b) - 1));
}

INLINE uint32_t number_next(const struct cuts *c, int d, int b)
{
	return b + 1 < WORD ? number_at(c, d, b + 1) : c[1].first[d];
}

/* The triangles of a cell at bit b of the words c[y + 2 z]. Where there is room, SOME are made without a look
 * at their number, which no processor can predict; the next cell replaces those too many. */
INLINE void put_triangles(
        const struct isosurface_job *j, uint32_t *out, bool room, const struct cuts *const c[4], int b, int s)
{
	const unsigned char *t = j->cubes.t[s];
	const uint32_t number[CUBE_EDGES] = {
	        number_at(c[0], 0, b),
	        number_at(c[1], 0, b),
	        number_at(c[2], 0, b),
	        number_at(c[3], 0, b),
	        number_at(c[0], 1, b),
	        number_next(c[0], 1, b),
	        number_at(c[2], 1, b),
	        number_next(c[2], 1, b),
	        number_at(c[0], 2, b),
	        number_next(c[0], 2, b),
	        number_at(c[1], 2, b),
	        number_next(c[1], 2, b),
	};
	int i = 0;

	if (room)
		for (; i < 3 * SOME; i++)
			out[i] = number[t[i]];

	for (; i < 3 * j->cubes.n[s]; i++)
		out[i] = number[t[i]];
}

/* The case of the cell at bit b of four rows, of which the next bit is known, too. */
INLINE int cell_case(const uint64_t row[4], int b)
{
	return (int)((row[0] >> b & 3) | (row[1] >> b & 3) << 2 | (row[2] >> b & 3) << 4 |
	             (row[3] >> b & 3) << 6);
}

/* The triangles of the cells at bits b0.. of the words c that are in `cut`; returns their number. */
INLINE long word_triangles(const struct isosurface_job *j, uint32_t *out, long room,
        const struct cuts *const c[4], const uint64_t row[4], int b0, uint32_t cut)
{
	long k = 0;

	for (; cut != 0; cut &= cut - 1) {
		const int b = __builtin_ctz(cut), s = cell_case(row, b);

		if (out != NULL)
			put_triangles(j, out + 3 * k, k + SOME <= room, c, b0 + b, s);

		k += j->cubes.n[s];
	}

	return k;
}

/* The triangles of the cells in word i of the rows at `row`, at bits `cut`. */
INLINE void cut_word(const struct isosurface_job *j, struct work *w, const uint64_t *const row[4], long at,
        long i, uint64_t cut, long end)
{
	const long next = at + j->words;
	const struct cuts *c[4] = {
	        w->cuts[0] + at + i, w->cuts[0] + next + i, w->cuts[1] + at + i, w->cuts[1] + next + i};

	for (int half = 0; half < 2; half++) {
		const long k = w->triangles;
		uint64_t bits[4];

		for (int r = 0; r < 4; r++)
			bits[r] = 0 == half ? row[r][i] : shifted(row[r], i, j->words) >> 31;

		w->triangles += word_triangles(j, j->counting ? NULL : w->m.t + 3 * k, end - k, c, bits,
		        32 * half, (uint32_t)(cut >> 32 * half));
	}
}

/* The triangles of the cells between slices z and z + 1; only counted in the first pass. */
INLINE void layer_triangles(const struct isosurface_job *j, struct work *w, long end)
{
	const long words = j->words;

	for (long y = 0; y < j->n[1] + 1; y++) {
		const long at = y * words;
		const uint64_t *row[4] = {
		        w->bits[0] + at, w->bits[0] + at + words, w->bits[1] + at, w->bits[1] + at + words};
		uint64_t some = row[0][0] | row[1][0] | row[2][0] | row[3][0];
		uint64_t all = row[0][0] & row[1][0] & row[2][0] & row[3][0];

		for (long i = 0; i < words; i++) {
			uint64_t some_next = 0, all_next = 0;

			if (i + 1 < words) {
				some_next = row[0][i + 1] | row[1][i + 1] | row[2][i + 1] | row[3][i + 1];
				all_next = row[0][i + 1] & row[1][i + 1] & row[2][i + 1] & row[3][i + 1];
			}

			const uint64_t cut =
			        (some | some >> 1 | some_next << 63) & ~(all & (all >> 1 | all_next << 63));

			if (cut != 0)
				cut_word(j, w, row, at, i, cut, end);

			some = some_next;
			all = all_next;
		}
	}
}

INLINE void slab_pass(const struct isosurface_job *j, struct work *w, long slab)
{
	const long z0 = slab * SLAB, z1 = z0 + SLAB < j->layers ? z0 + SLAB : j->layers;
	const long end = j->counting ? 0 : j->triangle[slab + 1];

	w->bits[0] = slice_bits(j, w, z0, true);
	w->bits[1] = slice_bits(j, w, z0 + 1, z0 + 1 < z1);
	slice_cuts(j, w, w->cuts[0], w->bits[0], w->bits[1]);

	for (long z = z0; z < z1; z++) {
		const long vertices = w->vertices;

		// the last slice has no cuts of its own, and that behind the slab belongs to the next
		w->bits[2] = slice_bits(j, w, z + 2, z + 2 < z1);

		if (!j->counting || z + 1 < z1)
			slice_cuts(j, w, w->cuts[1], w->bits[1], w->bits[2]);

		if (z + 1 == z1)
			w->vertices = vertices;

		if (!j->counting)
			put_vertices(j, w->m.v, w->cuts[0], z);

		layer_triangles(j, w, end);

		struct cuts *cuts = w->cuts[0];

		w->bits[0] = w->bits[1];
		w->bits[1] = w->bits[2];
		w->cuts[0] = w->cuts[1];
		w->cuts[1] = cuts;
		progress_add(1);
	}

	if (j->take != NULL && z1 < j->layers)
		put_vertices(j, w->m.v, w->cuts[0], z1);
}

static void slab_plain(const struct isosurface_job *j, struct work *w, long slab)
{
	slab_pass(j, w, slab);
}

#ifdef __x86_64__
__attribute__((target("avx2,popcnt,bmi"))) static void slab_avx2(
        const struct isosurface_job *j, struct work *w, long slab)
{
	slab_pass(j, w, slab);
}
#endif

static void run_slab(const struct isosurface_job *j, struct work *w, long slab)
{
#ifdef __x86_64__
	if (0 != strcmp("plain", kern_isa())) {
		slab_avx2(j, w, slab);
		return;
	}
#endif
	slab_plain(j, w, slab);
}

static int threads_of(const struct isosurface_job *j)
{
	return (int)min_long(threads_for((double)j->n[0] * (double)j->n[1] * (double)j->n[2]), j->slabs);
}

static void work_create(struct work *w, const struct isosurface_job *j)
{
	const size_t slice = (size_t)slice_words(j);

	*w = (struct work){.buffer = mem_alloc((size_t)j->n[0] * sizeof(float))};

	for (int i = 0; i < 3; i++)
		w->room[i] = mem_alloc(slice * sizeof *w->room[i]);

	for (int i = 0; i < 2; i++)
		w->cuts[i] = mem_alloc(slice * sizeof *w->cuts[i]);

	w->m = j->m;

	if (NULL == j->take)
		return;

	w->v = mem_alloc((size_t)j->most[0] * 3 * sizeof *w->v);
	w->t = mem_alloc((size_t)j->most[1] * 3 * sizeof *w->t);
}

static void work_free(struct work *w)
{
	for (int i = 0; i < 3; i++)
		free(w->room[i]);

	for (int i = 0; i < 2; i++)
		free(w->cuts[i]);

	free(w->buffer);
	free(w->v);
	free(w->t);
}

/* Triangles whose sides are turned by axes of the other handedness. */
static void turn(struct mesh *m, const long t[2])
{
	for (uint32_t *c = m->t + 3 * t[0]; c < m->t + 3 * t[1]; c += 3) {
		const uint32_t v = c[0];

		c[0] = c[1];
		c[1] = v;
	}
}

/* The slab of the mesh: where it belongs, or handed out. */
static void make_slab(const struct isosurface_job *j, struct work *w, long slab)
{
	const long *v = j->vertex + slab, *t = j->triangle + slab;

	w->vertices = v[0];
	w->triangles = t[0];

	if (j->take != NULL) {
		w->m.v = w->v - 3 * v[0];
		w->m.t = w->t - 3 * t[0];
	}

	run_slab(j, w, slab);

	if (j->mirrored)
		turn(&w->m, t);

	if (NULL == j->take)
		return;

	mesh_measure_part(&w->m, t, j->origin, j->sums[slab]);
	j->take(j->ctx, &w->m, v, t);
}

static void count_slab(const struct isosurface_job *j, struct work *w, long slab)
{
	w->vertices = w->triangles = 0;
	run_slab(j, w, slab);
	j->vertex[slab + 1] = w->vertices;
	j->triangle[slab + 1] = w->triangles;
}

static void isosurface_run(struct isosurface_job *j, const char *what)
{
	progress_start(what, j->layers);

#pragma omp parallel num_threads(threads_of(j))
	{
		struct work w;

		work_create(&w, j);

#pragma omp for schedule(dynamic)
		for (long slab = 0; slab < j->slabs; slab++)
			(j->counting ? count_slab : make_slab)(j, &w, slab);

#pragma omp critical
		{
			j->s->nan += w.nan;
			j->s->border |= w.border;
		}

		work_free(&w);
	}

	progress_end();
}

static bool is_mirrored(const double a[3][3])
{
	double det = 0.;

	for (int i = 0; i < 3; i++)
		det += a[0][i] *
		       (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3]);

	return det < 0.;
}

static struct isosurface_job *job_create(struct isosurface *s)
{
	struct isosurface_job *j = NEW(struct isosurface_job);

	j->s = s;
	j->counting = true;
	j->mirrored = is_mirrored(s->axes);

	for (int d = 0; d < 3; d++) {
		j->n[d] = s->hi[d] - s->lo[d];
		j->step[d] = 0 == d ? (long)dtype_size(s->type) : j->step[d - 1] * s->dims[d - 1];
		j->origin[d] = s->origin[d];
		memcpy(j->axes[d], s->axes[d], sizeof s->axes[d]);
	}

	j->words = (j->n[0] + 2 + WORD - 1) / WORD;
	j->layers = j->n[2] + 1;
	j->slabs = (j->layers + SLAB - 1) / SLAB;
	j->vertex = mem_calloc((size_t)j->slabs + 1, sizeof *j->vertex);
	j->triangle = mem_calloc((size_t)j->slabs + 1, sizeof *j->triangle);

	const long bytes = slice_words(j) * j->n[2] * (long)sizeof *j->kept;

	j->kept = (0 < bytes && bytes <= kept_most) ? mem_alloc((size_t)bytes) : NULL;
	inside_init(&j->inside, s->type, s->level, s->label);
	cubes_table(&j->cubes);
	return j;
}

static void job_free(struct isosurface_job *j)
{
	free(j->vertex);
	free(j->triangle);
	free(j->kept);
	free(j->sums);
	free(j);
}

void isosurface_count(struct isosurface *s, const char *name)
{
	struct isosurface_job *j = job_create(s);

	s->nan = 0;
	s->border = 0;
	s->job = j;
	isosurface_run(j, "counting vertices and triangles");

	for (long i = 0; i < j->slabs; i++) {
		j->vertex[i + 1] += j->vertex[i];
		j->triangle[i + 1] += j->triangle[i];
	}

	j->counting = false;
	s->nv = j->m.nv = j->vertex[j->slabs];
	s->nt = j->m.nt = j->triangle[j->slabs];

	if (s->nv > UINT32_MAX)
		error("%s: the surface has %ld vertices, at most %u fit into a mesh (see gantry bin)", name,
		        s->nv, UINT32_MAX);
}

void isosurface_mesh(struct mesh *m, struct isosurface *s)
{
	struct isosurface_job *j = s->job;

	tool_needs(12 * (s->nv + s->nt), 0.);
	j->m.v = mem_alloc((size_t)s->nv * 3 * sizeof *j->m.v + 1);
	j->m.t = mem_alloc((size_t)s->nt * 3 * sizeof *j->m.t + 1);
	isosurface_run(j, "extracting the surface");
	*m = j->m;
	job_free(j);
}

void isosurface_parts(struct isosurface *s, isosurface_part_fn *take, void *ctx, double *volume, double *area)
{
	struct isosurface_job *j = s->job;
	double sum[2] = {0};

	for (long i = 0; i < j->slabs; i++) {
		j->most[0] = max_long(j->most[0], j->vertex[i + 1 < j->slabs ? i + 2 : i + 1] - j->vertex[i]);
		j->most[1] = max_long(j->most[1], j->triangle[i + 1] - j->triangle[i]);
	}

	tool_needs(12 * (j->most[0] + j->most[1]) * threads_of(j), 0.);
	j->take = take;
	j->ctx = ctx;
	j->sums = mem_calloc((size_t)j->slabs, sizeof *j->sums);
	isosurface_run(j, "extracting the surface");

	for (long i = 0; i < j->slabs; i++)
		for (int k = 0; k < 2; k++)
			sum[k] += j->sums[i][k];

	*volume = sum[0] / 6.;
	*area = sum[1] / 2.;
	job_free(j);
}

void isosurface(struct mesh *m, struct isosurface *s, const char *name)
{
	isosurface_count(s, name);
	isosurface_mesh(m, s);
}
