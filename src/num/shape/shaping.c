/* Three ways to fill an output: - in step: input and output advance together over
 * the outer dims that keep their order; used for all suitable streams; - emit:
 * the output advances slab by slab, the input is mapped; - blocks: both are
 * mapped; blocks are long where either file is contiguous, so that pages are used
 * whole.
 */

#include "misc/file/hdr_sections.h"
#include "num/shape/shaping_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/minmax.h"
#include "misc/options/parse.h"
#include "misc/progress.h"
#include "misc/ranks/sharing.h"
#include "num/array/place.h"
#include "num/device/device.h"
#include "num/md/multind.h"
#include "num/shape/periodic.h"

enum { PAGE = 4096 };

static const long slab_bytes = 8L << 20;     // what is moved at a time; a stream buffers as much
static const long buffer_limit = 64L << 20;  // largest slab that a stream may have to buffer
static const long straight_bytes = 1L << 20; // of a block that stays in the cache
static const long block_bytes = 128L << 20;  // of mapped files

/* One run: the shaping, and per output dim the steps of both arrays [bytes] */
struct run {
	const struct shaping *s;
	struct cfl *out, *in;
	size_t size;                    // of an element
	struct periodic_dim from[DIMS]; // steps and wrapping of the input
	long ostr[DIMS];
	long isub[DIMS + 1]; // elements of the input below dim d
	long osub[DIMS + 1]; // of the output
	long n[DIMS];        // extents that are copied
	long ifirst[DIMS];   // offsets of the first copied element [bytes]; 0 along dims that wrap
	long ofirst[DIMS];
};

struct cfl *shaping_open(struct shaping *s, struct hdr *h, const char *in)
{
	struct cfl *f = cfl_open(in);

	hdr_copy(h, &f->hdr);

	for (int d = 0; d < DIMS; d++)
		s->dim[d] = (struct shaping_dim){.src = d, .step = 1, .n = h->dims[d], .size = h->dims[d]};

	return f;
}

void shaping_dims(const struct shaping *s, struct hdr *h)
{
	for (int d = 0; d < DIMS; d++)
		h->dims[d] = s->dim[d].size;
}

/* With a section "# Direction" the origin is a place in the world, and stays while the axes are exchanged. */
static bool permute_direction(struct hdr *h, const int order[DIMS])
{
	double from[3][3], to[3][3];
	bool among = true;

	if (!hdr_has_direction(h) || !hdr_direction(h, from))
		return false;

	for (int d = 0; d < 3; d++)
		among = among && order[d] < 3;

	if (!among) {
		warn("x, y or z is exchanged with a higher dimension: section '# Direction' is dropped");
		hdr_set_section(h, "Direction", NULL);
		return false;
	}

	for (int d = 0; d < 3; d++)
		memcpy(to[d], from[order[d]], sizeof to[d]);

	hdr_set_direction(h, (const double(*)[3])to);

	return true;
}

void shaping_permute_grid(struct hdr *h, const int order[DIMS])
{
	const bool turned = permute_direction(h, order);
	const struct hdr from = *h;

	for (int d = 0; d < DIMS; d++) {
		h->spacing[d] = from.spacing[order[d]];
		h->origin[d] = from.origin[(turned && d < 3) ? d : order[d]];
	}
}

void shaping_exchange_grid(struct hdr *h, int a, int b)
{
	int order[DIMS];

	for (int d = 0; d < DIMS; d++)
		order[d] = a == d ? b : b == d ? a : d;

	shaping_permute_grid(h, order);
}

void shaping_permute(struct shaping *s, struct hdr *h, const int order[DIMS])
{
	const struct shaping old = *s;

	for (int d = 0; d < DIMS; d++)
		s->dim[d] = old.dim[order[d]];

	shaping_permute_grid(h, order);
	shaping_dims(s, h);
}

void shaping_wrap(struct shaping *s, int d, long start, long size)
{
	struct shaping_dim *e = &s->dim[d];
	long n = e->n;

	e->start = (start % n + n) % n;
	e->n = e->size = size;
	e->wrap = 0 != e->start || size != n;
}

void shaping_subrange(struct hdr *h, int d, long start, long step, long n)
{
	if (Q_GEOMETRY == h->quantity) {
		h->dims[d] = n;
		return;
	}

	hdr_subrange(h, d, start, step, n);
}

void shaping_touched(struct hdr *h, unsigned long dims)
{
	if (!(dims & 3))
		return;

	h->has_detector = false;

	if (Q_GEOMETRY == h->quantity)
		h->quantity = Q_UNKNOWN;
}

/* The dim of `from` along which neighbours are as many elements apart as along dim d of `to`, and are as
 * many; -1 when there is none. */
static int same_dim(const long to[DIMS], int d, const long from[DIMS])
{
	long step = 1, old = 1;

	if (1 == to[d])
		return 1 == from[d] ? d : -1;

	for (int i = 0; i < d; i++)
		step *= to[i];

	for (int i = 0; i < DIMS; i++) {
		if (old == step && from[i] == to[d])
			return i;

		old *= from[i];
	}

	return -1;
}

void shaping_reshape(struct hdr *h, const long dims[DIMS])
{
	const struct hdr from = *h;
	unsigned long changed = 0;

	for (int d = 0; d < DIMS; d++) {
		int old = same_dim(dims, d, from.dims);

		h->dims[d] = dims[d];
		h->spacing[d] = old < 0 ? 1 : from.spacing[old];
		h->origin[d] = old < 0 ? NAN : from.origin[old];
		changed |= old == d ? 0 : 1UL << d;
	}

	shaping_touched(h, changed);
}

int shaping_pair(const struct opt_list *pairs, int k, unsigned long *seen)
{
	int d = parse_dim(pairs->v[k], "DIM");

	if (*seen & 1UL << d)
		usage_error("dimension %s is given twice", pairs->v[k]);

	*seen |= 1UL << d;

	return d;
}

static void run_init(struct run *r, const struct shaping *s, struct cfl *out, struct cfl *in)
{
	long strs[DIMS] = {0};

	*r = (struct run){.s = s, .out = out, .in = in, .size = dtype_size(in->hdr.type)};
	r->isub[0] = r->osub[0] = 1;

	for (int d = 0; d < DIMS; d++) {
		strs[d] = r->isub[d] * (long)r->size;
		r->ostr[d] = r->osub[d] * (long)r->size;
		r->isub[d + 1] = r->isub[d] * in->hdr.dims[d];
		r->osub[d + 1] = r->osub[d] * s->dim[d].size;
	}

	for (int d = 0; d < DIMS; d++) {
		const struct shaping_dim *e = &s->dim[d];

		r->n[d] = e->n;
		r->ofirst[d] = e->at * r->ostr[d];

		if (e->wrap) {
			r->from[d] = (struct periodic_dim){strs[e->src], e->start, in->hdr.dims[e->src]};
			r->ifirst[d] = 0;
		} else {
			r->from[d].str = 1 == e->n ? strs[e->src] : e->step * strs[e->src];
			r->ifirst[d] = e->start * strs[e->src];
		}
	}
}

/* Are the elements of dim d in the same place of the order in both arrays? */
static bool keeps_order(const struct shaping *s, int d)
{
	const struct shaping_dim *e = &s->dim[d];

	return d == e->src && !e->wrap && (0 < e->step || e->n <= 1);
}

static bool is_stream(const struct cfl *f)
{
	return 0 == strcmp(f->name, "-");
}

/* ---- in step ---- */

static void skip(struct run *r, long n)
{
	for (long chunk = slab_bytes / (long)r->size; n > 0; n -= chunk)
		cfl_next(r->in, n < chunk ? n : chunk);
}

static void zeros(struct run *r, long n)
{
	for (long chunk = slab_bytes / (long)r->size; n > 0; n -= chunk) {
		long m = n < chunk ? n : chunk;

		memset(cfl_slab(r->out, m), 0, (size_t)m * r->size);
		progress_add(m);
	}
}

/* Where element k of those copied along dim d is: moves *src there, or along a dim that wraps its start. */
static void advance(struct periodic_dim *from, long k, const char **src)
{
	if (from->period > 0)
		from->first = (from->first + k) % from->period;
	else
		*src += k * from->str;
}

/* Copies steps [k, k + m) of dim d and everything below into a slab of the output that holds just these; src
 * is the first element needed of step 0. */
static void copy_rows(const struct run *r, int d, long k, long m, const char *src)
{
	struct periodic_dim from[DIMS];
	long dims[DIMS];
	long copied = 1, offset = 0;
	char *slab = cfl_slab(r->out, m * r->osub[d]);

	for (int i = 0; i <= d; i++) {
		from[i] = r->from[i];
		dims[i] = i < d ? r->n[i] : m;
		copied *= i < d ? r->n[i] : 1;
		offset += i < d ? r->ofirst[i] : 0;
	}

	if (copied < r->osub[d])
		memset(slab, 0, (size_t)(m * r->osub[d]) * r->size);

	advance(&from[d], k, &src);
	periodic_copy(d + 1, dims, r->ostr, slab + offset, from, src, r->size);
	progress_add(m * r->osub[d]);
}

/* Offset of the first element needed below dim d. */
static long first_below(const struct run *r, int d)
{
	long offset = 0;

	for (int i = 0; i < d; i++)
		offset += r->ifirst[i];

	return offset;
}

/* How many steps of dim d go into a slab: at least one. */
static long group_size(const struct run *r, int d, long step)
{
	long room = slab_bytes / (long)r->size;
	long ni = room < r->isub[d] ? 1 : (room / r->isub[d] - 1) / step + 1;
	long no = room < r->osub[d] ? 1 : room / r->osub[d];

	return ni < no ? ni : no;
}

static void rows_in_step(struct run *r, int d)
{
	long n = r->n[d], step = n > 1 ? r->s->dim[d].step : 1;
	long group = group_size(r, d, step);

	for (long k = 0; k < n; k += group) {
		long m = n - k < group ? n - k : group;

		if (k > 0)
			skip(r, (step - 1) * r->isub[d]);

		const char *src = cfl_next(r->in, ((m - 1) * step + 1) * r->isub[d]);

		copy_rows(r, d, 0, m, src + first_below(r, d));
	}
}

/* Dims d and below, from their first to their last element in both files; `split` is the dim whose steps make
 * up slabs. */
static void in_step(struct run *r, int d, int split)
{
	const struct shaping_dim *e = &r->s->dim[d];
	long step = e->n > 1 ? e->step : 1;

	zeros(r, e->at * r->osub[d]);
	skip(r, e->start * r->isub[d]);

	if (d == split)
		rows_in_step(r, d);

	for (long k = 0; k < e->n && d > split; k++) {
		if (k > 0)
			skip(r, (step - 1) * r->isub[d]);

		in_step(r, d - 1, split);
	}

	skip(r, (r->in->hdr.dims[d] - e->start - (e->n - 1) * step - 1) * r->isub[d]);
	zeros(r, (e->size - e->at - e->n) * r->osub[d]);
}

/* The dim whose steps make up slabs of a good size, with all dims from there on in order; -1 when such slabs
 * would be too large. */
static int find_split(const struct run *r)
{
	int d = DIMS;
	long bytes = 0;

	while (d > 0 && keeps_order(r->s, d - 1)) {
		d--;
		bytes = (r->isub[d] > r->osub[d] ? r->isub[d] : r->osub[d]) * (long)r->size;

		if (bytes <= slab_bytes)
			return d;
	}

	return d < DIMS && bytes <= buffer_limit ? d : -1;
}

/* ---- the output in order, the input mapped ---- */

/* Dims d and below; src is the first element needed. */
static void emit(struct run *r, int d, const char *src)
{
	const struct shaping_dim *e = &r->s->dim[d];
	long group = slab_bytes / (long)r->size / r->osub[d];

	zeros(r, e->at * r->osub[d]);

	for (long k = 0; k < e->n && group > 0; k += group)
		copy_rows(r, d, k, e->n - k < group ? e->n - k : group, src);

	for (long k = 0; k < e->n && 0 == group; k++) {
		struct periodic_dim from = r->from[d];
		const char *row = src;

		advance(&from, k, &row);
		emit(r, d - 1, row + from.first * from.str);
	}

	zeros(r, (e->size - e->at - e->n) * r->osub[d]);
}

/* Does going through the output in order use the pages of the input well, or is the input small enough to
 * stay in memory? */
static bool emits_well(const struct run *r)
{
	if (r->in->count * (long)r->size <= buffer_limit)
		return true;

	for (int d = 0; d < DIMS; d++)
		if (r->osub[d + 1] * (long)r->size > slab_bytes && r->n[d] > 1 && labs(r->from[d].str) < PAGE)
			return false;

	return true;
}

/* ---- both mapped ---- */

/* Halves the dim that is farthest from contiguous in both files until the block is small. */
static void blocks(const struct run *r, const long dims[DIMS], const struct periodic_dim from[DIMS],
        char *dst, const char *src)
{
	long bytes = md_calc_size(DIMS, dims) * (long)r->size;
	long best = -1;
	int split = -1;

	if (bytes > block_bytes) {
		for (int d = 0; d < DIMS; d++) {
			long step = labs(from[d].str) < r->ostr[d] ? labs(from[d].str) : r->ostr[d];

			if (dims[d] > 1 && (step > best || (step == best && dims[d] > dims[split]))) {
				best = step;
				split = d;
			}
		}
	}

	if (split < 0) {
		periodic_copy(DIMS, dims, r->ostr, dst, from, src, r->size);
		progress_add(bytes / (long)r->size);
		return;
	}

	struct periodic_dim later[DIMS];
	long half[DIMS], rest[DIMS];

	memcpy(later, from, sizeof later);
	md_copy_dims(DIMS, half, dims);
	md_copy_dims(DIMS, rest, dims);
	half[split] = dims[split] / 2;
	rest[split] = dims[split] - half[split];

	blocks(r, half, from, dst, src);
	advance(&later[split], half[split], &src);
	blocks(r, rest, later, dst + half[split] * r->ostr[split], src);
}

/* ---- a rank's part: pieces along the last dim that go through memory ---- */

/* Steps [first, first + m) of dim d of the output, with all below. */
static void piece(const struct run *r, int d, long first, long m, char *buffer)
{
	const struct shaping_dim *e = &r->s->dim[d];
	const long k = max_long(0, first - e->at), end = min_long(e->n, first + m - e->at);
	const char *src = (const char *)cfl_map(r->in) + first_below(r, DIMS);
	struct periodic_dim from[DIMS];
	long dims[DIMS], offset = (e->at + k - first) * r->ostr[d];

	memset(buffer, 0, (size_t)(m * r->ostr[d]));

	if (end <= k)
		return;

	memcpy(from, r->from, sizeof from);
	md_copy_dims(DIMS, dims, r->n);
	dims[d] = end - k;

	for (int i = 0; i < d; i++)
		offset += r->ofirst[i];

	advance(&from[d], k, &src);
	blocks(r, dims, from, buffer + offset, src);
}

static void fill_own(const struct run *r)
{
	const int last = sharing_dim(DIMS, r->out->hdr.dims, 0), d = last < 0 ? 0 : last;
	const long room = max_long(1, block_bytes / r->ostr[d]);
	long first, end;

	ranks_part(r->out->hdr.dims[d], 1, &first, &end);

	char *buffer = mem_alloc((size_t)(min_long(room, max_long(1, end - first)) * r->ostr[d]));

	for (long k = first; k < end; k += room) {
		const long m = min_long(room, end - k);

		piece(r, d, k, m, buffer);
		cfl_put(r->out, k * r->osub[d], m * r->osub[d], buffer);
	}

	free(buffer);
}

static void fill(const struct shaping *s, struct cfl *out, struct cfl *in, const char *what)
{
	struct run r;

	if (shaping_on_device(s, out, in, what))
		return;

	run_init(&r, s, out, in);
	progress_start(what, out->count);

	int split = find_split(&r);

	if (ranks_shared()) {
		fill_own(&r);
	} else if (split >= 0) {
		in_step(&r, DIMS - 1, split);
	} else {
		const char *src = (const char *)cfl_map(in) + first_below(&r, DIMS);

		if (is_stream(out) && emits_well(&r)) {
			emit(&r, DIMS - 1, src);
		} else {
			char *dst = cfl_map_out(out);

			for (int d = 0; d < DIMS; d++)
				dst += r.ofirst[d];

			blocks(&r, r.n, r.from, dst, src);
		}
	}

	progress_end();
}

void shaping_write(const struct shaping *s, struct hdr *h, unsigned long dims, struct cfl *in,
        const char *out, const char *what)
{
	shaping_touched(h, dims);

	struct cfl *f = cfl_create(out, h);

	hdr_free(h);
	fill(s, f, in, what);
	cfl_close(in);
	cfl_close(f);
}

/* ---- the same order ---- */

/* The next n elements of both. */
static void copy_piece(struct cfl *out, struct cfl *in, long n)
{
	size_t size = dtype_size(out->hdr.type);

	for (long room = slab_bytes / (long)size; n > 0; n -= room) {
		long m = n < room ? n : room;
		const void *src = cfl_next(in, m);

		md_copy(1, &m, cfl_slab(out, m), src, size);
		progress_add(m);
	}
}

/* Blocks of files go through the cache, not through mappings whose pages are made and zeroed first. */
static void straight_files(struct cfl *out, struct cfl *in)
{
	long size = (long)dtype_size(in->hdr.type);
	long block = straight_bytes / size, from, to;

	ranks_part(in->count, block, &from, &to);

#pragma omp parallel
	{
		void *buffer = mem_alloc((size_t)straight_bytes);

#pragma omp for schedule(dynamic)
		for (long first = from; first < to; first += block) {
			long n = to - first < block ? to - first : block;

			cfl_put(out, first, n, cfl_block(in, first, n, buffer));
			progress_add(n);
		}

		free(buffer);
	}
}

/** Arrays in memory are copied where they lie. */
static bool straight_on_device(struct cfl *out, struct cfl *in)
{
	const void *from = place_on_device(in, false);
	void *to = place_on_device(out, true);

	if (NULL == from && NULL == to)
		return false;

	device_copy((NULL != to) ? to : cfl_map_out(out), (NULL != from) ? from : cfl_map(in),
	        (size_t)in->count * dtype_size(in->hdr.type));

	return true;
}

void shaping_straight(struct cfl *out, struct cfl *in, const char *what)
{
	if (straight_on_device(out, in))
		return;

	progress_start(what, in->count);

	if (ranks_shared())
		cfl_map(in);

	if (cfl_takes_put(out) && cfl_is_mapped(in))
		straight_files(out, in);
	else
		copy_piece(out, in, in->count);

	progress_end();
}

/* ---- several inputs ---- */

/* `group` outer positions of all inputs, interleaved; chunk[k] elements of each per position, `total` of the
 * output. */
static void join_group(
        struct cfl *out, int n, struct cfl *const in[], const long chunk[], long total, long group)
{
	size_t size = dtype_size(out->hdr.type);
	char *dst = cfl_slab(out, total * group);

	for (int k = 0; k < n; k++) {
		const long dims[2] = {chunk[k], group};
		const long ostr[2] = {(long)size, total * (long)size};
		const long istr[2] = {(long)size, chunk[k] * (long)size};

		md_copy2(2, dims, ostr, dst, istr, cfl_next(in[k], chunk[k] * group), size);
		dst += chunk[k] * (long)size;
	}

	progress_add(total * group);
}

void shaping_join(struct cfl *out, int d, int n, struct cfl *const in[], const char *what)
{
	long *chunk = mem_calloc((size_t)n, sizeof *chunk);
	long total = 0, outer = 1;

	for (int k = 0; k < n; k++) {
		chunk[k] = md_calc_size(d + 1, in[k]->hdr.dims);
		total += chunk[k];
	}

	for (int i = d + 1; i < DIMS; i++)
		outer *= out->hdr.dims[i];

	progress_start(what, out->count);

	long group = slab_bytes / (long)dtype_size(out->hdr.type) / total;

	for (long o = 0; o < outer && group > 0; o += group)
		join_group(out, n, in, chunk, total, outer - o < group ? outer - o : group);

	for (long o = 0; o < outer && 0 == group; o++)
		for (int k = 0; k < n; k++)
			copy_piece(out, in[k], chunk[k]);

	progress_end();
	free(chunk);
}
