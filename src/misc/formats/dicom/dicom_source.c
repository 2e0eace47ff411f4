/** DICOM files as sources: images of one sample, uncompressed or compressed, and their positions. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/hdr_sections.h"
#include "misc/formats/dicom/codec.h"
#include "misc/formats/dicom/dicom.h"
#include "misc/formats/dicom/dicom_frames.h"
#include "misc/formats/dicom/dicom_internal.h"
#include "misc/formats/embed.h"
#include "misc/formats/source.h"
#include "misc/mem.h"

static bool dicom_probe(const unsigned char *head, long n, const char *path)
{
	(void)path;

	return dicom_marked(head, n) || dicom_unmarked(head, n);
}

/* ---- elements ---- */

/* Pixels that do not lie in the file as they are: compressed, or 8-bit ones in swapped words. */
struct images {
	struct dicom d;
	const unsigned char *map, *p; // the file; where the data set lies
	struct dicom_frames frames;
};

static void swap_pairs(const struct images *m, long first, long n, unsigned char *out)
{
	for (long i = 0; i < n; i++)
		out[i] = m->p[m->d.offset + (size_t)((first + i) ^ 1)];
}

static void images_read(struct source *s, long first, long n, void *out)
{
	struct images *m = s->ctx;
	const long plane = m->d.rows * m->d.cols, size = (long)dtype_size(s->h.type);

	if (m->d.pairs)
		swap_pairs(m, first, n, out);

	for (long i = 0; i < n && m->d.codec; i += plane) {
		const long k = (first + i) / plane;
		char *why = dicom_frames_unpack(&m->frames, &m->d, m->p, k, (char *)out + i * size);

		if (why) {
			file_unmap(m->map);
			error("%s: %s (frame %ld, transfer syntax %s)", s->name, why, k, m->d.codec->syntax);
		}
	}
}

static void images_close(struct source *s)
{
	struct images *m = s->ctx;

	file_unmap(m->map);
	dicom_frames_free(&m->frames);
	dicom_free(&m->d);
	free(m);
}

/* Takes over what d has unpacked. */
static void from_images(struct source *s, struct dicom *d, const char *path)
{
	struct images *m = NEW(struct images);
	size_t n;
	char *why = NULL;

	m->map = file_map(path, &n);
	m->d = *d;
	m->p = d->unpacked ? d->unpacked : m->map;
	n = d->unpacked ? d->unpacked_size : n;

	if (d->codec)
		why = dicom_frames_find(&m->frames, d, m->p, n);
	else if (d->offset + d->size > n || d->size % 2)
		why = mem_strdup("pixels in words of two bytes, but an odd number of bytes");

	if (why) {
		file_unmap(m->map);
		error("%s: %s", s->name, why);
	}

	s->ctx = m;
	s->read = images_read;
	s->close = images_close;
}

/* The elements of a deflated data set, of which nothing else is kept. */
static void from_unpacked(struct source *s, struct dicom *d)
{
	memmove(d->unpacked, d->unpacked + d->offset, d->size);
	source_from_memory(s, d->unpacked);
}

/* Integers that use only some of their bits: the others may hold anything. */
struct masked {
	void *ctx;
	void (*read)(struct source *s, long first, long n, void *out);
	void (*close)(struct source *s);
	int bits, stored, high;
	bool is_signed;
};

#define CLEAN(type, unsigned_type)                                                                           \
	for (long i = 0; i < n; i++) {                                                                       \
		unsigned_type x;                                                                             \
		memcpy(&x, p + i * (long)sizeof x, sizeof x);                                                \
		x = (unsigned_type)(x << above);                                                             \
		type y = (type)x;                                                                            \
		y = (type)(y >> shift);                                                                      \
		x = m->is_signed ? (unsigned_type)y : (unsigned_type)(x >> shift);                           \
		memcpy(p + i * (long)sizeof x, &x, sizeof x);                                                \
	}

static void clean(const struct masked *m, unsigned char *p, long n)
{
	const int shift = m->bits - m->stored, above = m->bits - 1 - m->high;

	if (8 == m->bits)
		CLEAN(int8_t, uint8_t)
	else if (16 == m->bits)
		CLEAN(int16_t, uint16_t)
	else
		CLEAN(int32_t, uint32_t)
}

static void masked_read(struct source *s, long first, long n, void *out)
{
	struct masked *m = s->ctx;

	s->ctx = m->ctx;
	m->read(s, first, n, out);
	s->ctx = m;
	clean(m, out, n);
}

static void masked_close(struct source *s)
{
	struct masked *m = s->ctx;

	s->ctx = m->ctx;
	m->close(s);
	free(m);
}

static void mask(struct source *s, const struct dicom *d)
{
	struct masked *m = NEW(struct masked);

	*m = (struct masked){s->ctx, s->read, s->close, d->bits, d->stored,
	        d->high < 0 ? d->stored - 1 : d->high, d->is_signed};
	s->ctx = m;
	s->read = masked_read;
	s->close = masked_close;
}

static enum dtype pixel_type(const struct dicom *d)
{
	if (d->floating)
		return 4 == d->floating ? DT_FLOAT32 : DT_FLOAT64;

	if (8 == d->bits)
		return d->is_signed ? DT_INT8 : DT_UINT8;

	if (16 == d->bits)
		return d->is_signed ? DT_INT16 : DT_UINT16;

	return d->is_signed ? DT_INT32 : DT_UINT32;
}

static bool is_frame(const double x[3], const double y[3])
{
	double xx = 0., yy = 0., xy = 0.;

	for (int i = 0; i < 3; i++) {
		xx += x[i] * x[i];
		yy += y[i] * y[i];
		xy += x[i] * y[i];
	}

	return fabs(xx - 1.) < 0.01 && fabs(yy - 1.) < 0.01 && fabs(xy) < 0.01;
}

/* The step from frame to frame of a file that says all places: it may go against the normal of the planes.
 * False when there is no such step. */
static bool set_step(struct source *s, const struct dicom *d, double normal[3])
{
	double along = 0., length = 0.;

	for (int i = 0; i < 3; i++) {
		along += normal[i] * d->step[i];
		length += d->step[i] * d->step[i];
	}

	length = sqrt(length);

	if (d->uneven || d->places != d->frames || !(fabs(along) > 0.)) {
		warn("%s: the frames are not evenly spaced or form several stacks: their positions are "
		     "ignored",
		        s->name);
		source_no_spacing(&s->h, 2);
		return false;
	}

	if (fabs(along) < 0.9999 * length)
		warn("%s: the sideways shift of %g mm between frames is ignored (is the gantry tilted?)",
		        s->name, sqrt(length * length - along * along));

	source_grid(s, 2, fabs(along), NAN);

	for (int i = 0; i < 3 && along < 0.; i++)
		normal[i] *= -1.;

	return true;
}

/* The distance of the planes of a dose grid, whose offsets may go against the normal. False when there is no
 * such distance. */
static bool set_planes(struct source *s, const struct dicom *d, double normal[3])
{
	if (d->planes != d->frames || d->uneven || !(fabs(d->plane_step) > 0.)) {
		warn("%s: GridFrameOffsetVector (3004,000C) does not place %ld frames evenly: their "
		     "positions are ignored",
		        s->name, d->frames);
		source_no_spacing(&s->h, 2);
		return false;
	}

	source_grid(s, 2, fabs(d->plane_step), NAN);

	for (int i = 0; i < 3 && d->plane_step < 0.; i++)
		normal[i] *= -1.;

	return true;
}

static void set_place(struct source *s, const struct dicom *d)
{
	const double thick = d->between > 0. ? d->between : d->thickness;
	double c[3][3] = {{0}};

	for (int i = 0; i < 2; i++)
		if (!isnan(d->spacing[i]))
			source_grid(s, i, d->spacing[i], NAN);

	if (thick > 0. && s->h.has_spacing)
		source_grid(s, 2, thick, NAN);
	else
		source_no_spacing(&s->h, 2);

	memcpy(c[0], d->orientation, 2 * sizeof c[0]);

	for (int i = 0; i < 3; i++)
		c[2][i] = c[0][(i + 1) % 3] * c[1][(i + 2) % 3] - c[0][(i + 2) % 3] * c[1][(i + 1) % 3];

	const bool placed =
	        is_frame(c[0], c[1]) && isfinite(d->position[0] + d->position[1] + d->position[2]);

	if (d->planes > 0 && d->frames > 1 ? !set_planes(s, d, c[2])
	                                   : d->places > 1 && !(placed && set_step(s, d, c[2])))
		return;

	if (!placed)
		return;

	hdr_set_direction(&s->h, (const double(*)[3])c);
	memcpy(s->h.origin, d->position, sizeof d->position);
	s->h.has_origin = true;
}

/* Our header in a private element; the second pass over the file is cheap, the pages are there. */
static void set_ours(struct source *s, const struct dicom *d, const char *path)
{
	long n, size;
	char *head = (char *)source_head(path, 1 << 16, &n, &size),
	     *at = memmem(head, (size_t)n, "# Dimensions\n", 13);

	if (at) {
		at[strcspn(at, "\x01")] = '\0'; // written behind it
		embed_apply(&s->h, at, path,
		        (struct said){.dims = 3,
		                .direction = isfinite(d->orientation[0]),
		                .rescale = !isnan(d->slope) || !isnan(d->intercept)});
	}

	free(head);
}

static bool is_ours(const char *path)
{
	long n, size;
	unsigned char *head = source_head(path, 1 << 12, &n, &size);
	const bool found = NULL != memmem(head, (size_t)n, "GANTRY", 6);

	free(head);
	return found;
}

static void set_rescale(struct source *s, const struct dicom *d)
{
	const bool said = !isnan(d->slope) || !isnan(d->intercept);

	if (d->mixed)
		error("%s: slope and intercept differ between frames, expected the same values in all "
		      "frames",
		        s->name);

	s->rescale[0] = isnan(d->slope) ? 1. : d->slope;
	s->rescale[1] = isnan(d->intercept) ? 0. : d->intercept;
	s->has_rescale = isfinite(s->rescale[0]) && isfinite(s->rescale[1]) && 0. != s->rescale[0];

	if (!s->has_rescale)
		warn("%s: slope %g and intercept %g are ignored, expected finite numbers and a slope other "
		     "than 0",
		        s->name, s->rescale[0], s->rescale[1]);

	if (said && s->has_rescale &&
	        (0 == strcmp("HU", d->rescale_type) ||
	                (0 == strcmp("CT", d->modality) && !d->rescale_type[0] && !d->projections)))
		s->meaning = Q_HOUNSFIELD;
}

/* What it has unpacked stays. */
static void parse_file(struct dicom *d, const char *path)
{
	size_t n;
	const unsigned char *p = file_map(path, &n);
	char *why = dicom_parse(d, p, n);

	file_unmap(p);

	if (why)
		error("%s: %s", path, why);
}

static struct source *dicom_open(const char *path, const char *inside, enum part part)
{
	struct dicom d;

	if (inside)
		error("%s: a DICOM file contains no named arrays, but the name %s is given", path, inside);

	if (PART_DATA != part)
		return NULL;

	parse_file(&d, path);

	struct source *s = source_create(path);

	hdr_set_dims(&s->h, 3, (long[3]){d.cols, d.rows, d.frames});
	s->h.type = pixel_type(&d);
	s->h.big_endian = d.big_endian && !d.pairs;
	s->series = mem_strdup(d.series);
	s->number = d.number;
	s->white_is_zero = 0 == strcmp("MONOCHROME1", d.photometric);
	set_rescale(s, &d);

	if (d.projections && d.logarithm)
		s->meaning = Q_LINE_INTEGRAL;

	s->angle = d.angle * (180. / M_PI);

	if (d.projections)
		verbose("%s: DICOM-CT-PD: detector rows come first, --transpose puts columns first", path);

	set_place(s, &d);

	if (is_ours(path))
		set_ours(s, &d, path);

	if (d.codec || d.pairs)
		from_images(s, &d, path);
	else if (d.unpacked)
		from_unpacked(s, &d);
	else
		source_from_file(s, path, (long)d.offset, CODING_PLAIN);

	if (!d.floating && d.stored < d.bits)
		mask(s, &d);

	return s;
}

const struct format format_dicom = {"DICOM", true, true, dicom_probe, dicom_open};
