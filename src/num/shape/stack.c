#include "num/shape/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/tiff.h"
#include "misc/mem.h"
#include "misc/plot/png.h"
#include "misc/progress.h"
#include "num/kern/convert.h"
#include "num/md/multind.h"
#include "num/shape/shaping.h"

static const long piece_bytes = 64L << 20;

void stack_transpose(const long dims[3], void *out, const void *in, size_t size)
{
	const long ostr[3] = {dims[1] * (long)size, (long)size, dims[0] * dims[1] * (long)size};
	const long istr[3] = {(long)size, dims[0] * (long)size, dims[0] * dims[1] * (long)size};

	md_copy2(3, dims, ostr, out, istr, in, size);
}

static struct source *open_file(const struct stack *s, int k)
{
	return s->format->open(s->files[k].path, s->files[k].inside, s->part);
}

/* Position of a slice along the normal of its plane [mm]. */
static double position(const struct hdr *h)
{
	double c[3][3], z = 0.;

	hdr_direction(h, c);

	for (int i = 0; i < 3; i++)
		z += c[2][i] * hdr_origin(h, i);

	return z;
}

struct place {
	double z, origin[3], angle;
	long number;
	int k;
	long frames;
	double rescale[2];
};

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->z < q->z ? -1 : p->z > q->z ? 1 : p->k - q->k;
}

static int by_number(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	return p->number < q->number ? -1 : p->number > q->number ? 1 : p->k - q->k;
}

static void order_files(struct stack *s, struct named_file files[], struct place p[],
        int (*compare)(const void *, const void *))
{
	struct named_file *copy = mem_alloc((size_t)s->n * sizeof *copy);

	memcpy(copy, files, (size_t)s->n * sizeof *copy);
	qsort(p, (size_t)s->n, sizeof *p, compare);

	for (int k = 0; k < s->n; k++)
		files[k] = copy[p[k].k];

	free(copy);
}

/* How far the last slice lies beside the normal through the first one [mm]. */
static double sideways(const struct stack *s, const struct place p[])
{
	double c[3][3], length = 0.;
	const double z = p[s->n - 1].z - p[0].z;

	hdr_direction(&s->h, c);

	for (int i = 0; i < 3; i++) {
		const double off = p[s->n - 1].origin[i] - p[0].origin[i] - z * c[2][i];

		length += off * off;
	}

	return sqrt(length);
}

/* The spacing of slices that say where they lie. */
static void space_slices(struct stack *s, const struct named_file files[], const struct place p[])
{
	const double step = (p[s->n - 1].z - p[0].z) / (double)(s->n - 1);
	double worst = 0.;

	for (int k = 0; k < s->n; k++)
		worst = fmax(worst, fabs(p[k].z - p[0].z - k * step));

	if (0. == step || worst > 0.01 * fabs(step)) {
		warn("%s: slices of this series deviate by up to %g mm from even steps of %g mm. Is a slice "
		     "missing or duplicated?",
		        files[0].path, worst, fabs(step));

		if (0. == step)
			return;
	}

	if (sideways(s, p) > 0.01 * fabs(step) * (double)(s->n - 1))
		warn("%s: the sideways shift of %g mm between slices of this series is ignored (is the "
		     "gantry tilted?)",
		        files[0].path, sideways(s, p) / (double)(s->n - 1));

	// decimal places of the file's own spacing survive the differences of positions
	if (!(fabs(s->h.spacing[2] - fabs(step)) <= 1e-6 * fabs(step)))
		s->h.spacing[2] = fabs(step);

	memcpy(s->h.origin, p[step < 0. ? s->n - 1 : 0].origin, sizeof p[0].origin);
}

static void check_same(
        const struct hdr *a, const struct hdr *b, int along, const char *name, const char *other)
{
	for (int d = 0; d < DIMS; d++)
		if (d != along && a->dims[d] != b->dims[d])
			error("%s is %s, expected %s, the size of %s", name, hdr_shape(b), hdr_shape(a),
			        other);

	if (a->type != b->type)
		error("%s has elements of type %s, expected %s, the type of %s", name, dtype_name(b->type),
		        dtype_name(a->type), other);
}

/* Slices of one volume are parallel. */
static void check_direction(const struct hdr *a, const struct hdr *b, const char *name, const char *other)
{
	double c[3][3], e[3][3];
	bool same = true;

	hdr_direction(a, c);
	hdr_direction(b, e);

	for (int i = 0; i < 9; i++)
		same &= fabs(c[i / 3][i % 3] - e[i / 3][i % 3]) < 1e-3;

	if (!same)
		error("%s is a slice of another orientation than %s (a localiser?): remove it", name, other);
}

static bool same_pixels(const struct hdr *a, const struct hdr *b)
{
	bool same = true;

	for (int d = 0; d < 2; d++)
		same &= fabs(a->spacing[d] - b->spacing[d]) <= 1e-3 * a->spacing[d];

	return same;
}

/* A folder may hold several DICOM series. */
static void check_series(char **series, const struct source *s, const char *name, const char *other)
{
	if (!s->series)
		return;

	if (!*series)
		*series = mem_strdup(s->series);

	if (0 != strcmp(*series, s->series))
		error("%s belongs to series %s, but %s to %s (give the files of one series)", name, s->series,
		        other, *series);
}

static void set_along(struct stack *s, int along)
{
	const int rank = hdr_rank(&s->h) > 2 ? hdr_rank(&s->h) : 2;

	if (along < 0)
		along = s->format->slices ? (rank > 3 ? rank - 1 : 2)
		        : s->n > 1        ? rank
		        : rank > 2        ? rank - 1
		                          : 2;

	if (along < hdr_rank(&s->h) - 1 || along >= DIMS)
		usage_error("--along %d: the files are %s, so the dimension must be %d to %d", along,
		        hdr_shape(&s->h), hdr_rank(&s->h) - 1, DIMS - 1);

	if (along < 2)
		usage_error("--along %d, expected 2 or more", along);

	s->along = along;
}

/* What a file is, for messages. */
static const char *kind_of(const char *path, const struct format *f)
{
	return f                  ? mem_printf("a %s file", f->name)
	       : tiff_probe(path) ? "a TIFF file"
	       : png_probe(path)  ? "a PNG file"
	                          : "of an unrecognised format";
}

struct stack *stack_open(int n, struct named_file files[], enum part part, int along, bool keep_order)
{
	struct stack *s = NEW(struct stack);
	struct place *places = mem_alloc((size_t)n * sizeof *places);
	char *series = NULL;
	long white = 0;
	bool placed = n > 1, numbered = n > 1, angles = true, told = false;

	*s = (struct stack){.n = n, .files = files, .part = part};
	s->first = mem_calloc((size_t)n + 1, sizeof *s->first);
	s->rescale = mem_calloc((size_t)n, sizeof *s->rescale);

	for (int k = 0; k < n; k++) {
		const struct format *f = format_find(files[k].path);

		if (k > 0 && (!f || f != s->format))
			error("%s is %s, expected %s like %s (give files of one format)", files[k].path,
			        kind_of(files[k].path, f), s->format->name, files[0].path);

		if (!f)
			error("%s: unrecognised file format (raw binary needs --raw "
			      "with --size and --type)",
			        files[k].path);

		s->format = f;

		struct source *source = open_file(s, k);

		if (!source) {
			free(places);
			stack_free(s);
			return NULL;
		}

		if (0 == k) {
			hdr_copy(&s->h, &source->h);
			set_along(s, along);
		}

		// of formats that keep it in our header only
		source->has_rescale = source->has_rescale || hdr_rescale(&source->h, source->rescale);
		check_series(&series, source, files[k].path, files[0].path);
		check_same(&s->h, &source->h, s->along, files[k].path, files[0].path);

		if (f->placed)
			check_direction(&s->h, &source->h, files[k].path, files[0].path);

		if (f->placed && !told && !same_pixels(&s->h, &source->h)) {
			warn("%s has other pixel sizes than %s: the grid of the first file is used for all",
			        files[k].path, files[0].path);
			told = true;
		}

		places[k] = (struct place){.z = position(&source->h),
		        .k = k,
		        .frames = source->h.dims[s->along],
		        .rescale = {source->has_rescale ? source->rescale[0] : 1.,
		                source->has_rescale ? source->rescale[1] : 0.}};

		for (int i = 0; i < 3; i++)
			places[k].origin[i] = hdr_origin(&source->h, i);

		places[k].number = source->number;
		places[k].angle = source->angle;
		numbered &= source->number > 0;
		white += source->white_is_zero;

		if (Q_UNKNOWN == s->meaning)
			s->meaning = source->meaning;

		placed &= f->placed && source->h.has_origin && 1 == places[k].frames;
		source_close(source);
	}

	if (white)
		warn("%ld of %d files are stored with white as zero: values are kept as stored", white, n);

	if (placed && !keep_order)
		order_files(s, files, places, by_place);
	else if (numbered && !placed && !keep_order)
		order_files(s, files, places, by_number);

	if (placed)
		space_slices(s, files, places);

	for (int k = 0; k < n; k++) {
		s->first[k + 1] = add_checked(s->first[k], places[k].frames, files[k].path);
		memcpy(s->rescale[k], places[k].rescale, sizeof s->rescale[k]);
		angles &= isfinite(places[k].angle);
		s->has_rescale |= 1. != s->rescale[k][0] || 0. != s->rescale[k][1];
	}

	if (angles) {
		s->angle = mem_alloc((size_t)n * sizeof *s->angle);

		for (int k = 0; k < n; k++)
			s->angle[k] = places[k].angle;
	}

	free(series);
	free(places);
	s->h.dims[s->along] = s->first[n];
	s->start = 0;
	s->step = 1;
	s->count = s->first[n];
	hdr_bytes(&s->h, files[0].path);
	return s;
}

void stack_free(struct stack *s)
{
	hdr_free(&s->h);
	free(s->first);
	free(s->angle);
	free(s->rescale);
	free(s);
}

void stack_header(const struct stack *s, bool transpose, bool rescale, struct hdr *h)
{
	hdr_init(h);
	hdr_copy(h, &s->h);

	if (s->count != h->dims[s->along] || 1 != s->step)
		hdr_subrange(h, s->along, s->start, s->step, s->count);

	if (transpose) {
		const long n = h->dims[0];

		h->dims[0] = h->dims[1];
		h->dims[1] = n;
		shaping_exchange_grid(h, 0, 1);
	}

	if (rescale && s->has_rescale) {
		h->type = DT_FLOAT64 == h->type ? DT_FLOAT64 : DT_FLOAT32;
		hdr_set_section(h, "Rescale", NULL);
		h->quantity = Q_UNKNOWN == h->quantity ? s->meaning : h->quantity;
	} else if (!s->has_rescale) {
		h->quantity = Q_UNKNOWN == h->quantity ? s->meaning : h->quantity;
	} else if (s->has_rescale) {
		struct str text = {0};

		str_add_double(&text, s->rescale[0][0], 15);
		str_add(&text, " ");
		str_add_double(&text, s->rescale[0][1], 15);
		hdr_set_section(h, "Rescale", text.data);
		free(text.data);
	}
}

/* n elements at `first` of the source, as they go into the output. */
static void read_piece(const struct stack *s, struct source *f, int k, long first, long n, bool transpose,
        bool rescale, void *out)
{
	const size_t size = dtype_size(s->h.type);
	const long plane = s->h.dims[0] * s->h.dims[1];
	const bool scaled = rescale && s->has_rescale;

	if (!transpose && !scaled) {
		f->read(f, first, n, out);
		return;
	}

	void *tmp = mem_alloc((size_t)n * size), *turned = tmp;

	f->read(f, first, n, tmp);

	if (transpose) {
		turned = scaled ? mem_alloc((size_t)n * size) : out;
		stack_transpose((long[3]){s->h.dims[0], s->h.dims[1], n / plane}, turned, tmp, size);
	}

	if (scaled) {
		const enum dtype t = DT_FLOAT64 == s->h.type ? DT_FLOAT64 : DT_FLOAT32;
		double *v = mem_alloc((size_t)n * sizeof *v);

		convert(DT_FLOAT64, v, s->h.type, turned, n, NARROW_SATURATE);

		for (long i = 0; i < n; i++)
			v[i] = v[i] * s->rescale[k][0] + s->rescale[k][1];

		convert(t, out, DT_FLOAT64, v, n, NARROW_SATURATE);
		free(v);
	}

	if (turned != tmp && turned != out)
		free(turned);

	free(tmp);
}

static void check_bools(const char *name, const unsigned char *p, long n)
{
	for (long i = 0; i < n; i++)
		if (p[i] > 1)
			error("%s contains a byte of value %d, expected 0 or 1 for type bool", name, p[i]);
}

/* Frames [a, b) of file k, counted in it. */
static void read_frames(const struct stack *s, struct source *f, int k, long a, long b, bool transpose,
        bool rescale, struct cfl *out)
{
	const long plane = s->h.dims[0] * s->h.dims[1], size = (long)dtype_size(out->hdr.type);
	long frame = 1, piece = piece_bytes / size / plane * plane;

	for (int d = 0; d < s->along; d++)
		frame *= s->h.dims[d];

	if (0 == piece)
		piece = plane;

	for (long at = a * frame; at < b * frame;) {
		const long n = b * frame - at < piece ? b * frame - at : piece;
		void *to = cfl_slab(out, n);

		read_piece(s, f, k, at, n, transpose, rescale, to);

		if (DT_BOOL == out->hdr.type)
			check_bools(f->name, to, n);

		at += n;
		progress_add(n);
	}
}

static int file_of(const struct stack *s, long frame)
{
	int a = 0, b = s->n;

	while (b - a > 1) {
		const int m = (a + b) / 2;

		*(s->first[m] <= frame ? &a : &b) = m;
	}

	return a;
}

void stack_read(const struct stack *s, bool transpose, bool rescale, struct cfl *out)
{
	struct source *f = NULL;
	int open = -1;

	progress_start("importing", out->count);

	for (long i = 0; i < s->count;) {
		const long frame = s->start + i * s->step;
		const int k = file_of(s, frame);
		long run = 1;

		while (1 == s->step && i + run < s->count && frame + run < s->first[k + 1])
			run++;

		if (k != open) {
			if (f)
				source_close(f);

			f = open_file(s, k);
			open = k;

			if (!f)
				error("%s: changed while it was being read", s->files[k].path);

			check_same(&s->h, &f->h, s->along, s->files[k].path, s->files[0].path);

			if (f->h.dims[s->along] != s->first[k + 1] - s->first[k])
				error("%s: changed while it was being read", s->files[k].path);
		}

		read_frames(s, f, k, frame - s->first[k], frame - s->first[k] + run, transpose, rescale, out);
		i += run;
	}

	if (f)
		source_close(f);

	progress_end();
}
