/**
 * JPEG [1] of one component, one scan: baseline and extended sequential DCT of 8 and 12 bits, and lossless of
 * 2 to 16 bits, Huffman-coded. (The JPEG library of most systems supports neither 12 bits nor the lossless
 * process, which most compressed CT images use.)
 *
 * [1] ITU-T T.81 | ISO/IEC 10918-1; names of fields and figures below are those of the standard
 */

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <stdlib.h>

#include "misc/formats/dicom/codec.h"
#include "misc/mem.h"

enum {
	SOF0 = 0xc0,
	SOF1 = 0xc1,
	SOF3 = 0xc3,
	DHT = 0xc4,
	SOI = 0xd8,
	EOI = 0xd9,
	SOS = 0xda,
	DQT = 0xdb,
	DRI = 0xdd
};
enum { RST0 = 0xd0, RST7 = 0xd7, JPG = 0xc8, DAC = 0xcc, SOF15 = 0xcf, TEM = 0x01 };
enum { TABLES = 4, LONGEST = 16, BLOCK = 8, TABLES_MAX = 64 };

/* Length and symbol of the code that the next 16 bits begin with: length << 8 | symbol, 0 = none. */
struct huffman {
	bool there;
	uint16_t look[1 << LONGEST];
};

struct decoder {
	const unsigned char *p, *end;
	uint64_t bits;      // the last `count` ones are not used yet
	int count, padding; // padding: zeros behind the end of the entropy-coded segment
	bool stopped;       // at a marker

	int process; // SOF0, SOF1 or SOF3; 0 = no frame header yet
	int precision, table;
	int tables;                         // Huffman tables read so far
	long interval;                      // of restarts [MCU], 0 = none
	int quantum[TABLES][BLOCK * BLOCK]; // in zigzag order; 0 = not defined
	struct huffman huffman[2][TABLES];  // class 0: DC and lossless, 1: AC
	const struct huffman *dc, *ac;
	int predictor, shift;
	const struct picture *s;
	void *out;
};

static char *damaged(const char *what)
{
	return mem_printf("JPEG: damaged: %s", what);
}

/* ---- bits ---- */

static void start_bits(struct decoder *d)
{
	d->bits = 0;
	d->count = d->padding = 0;
	d->stopped = false;
}

/* At least 48 bits, zeros behind the end. */
static void fill(struct decoder *d)
{
	while (d->count <= 48) {
		unsigned byte = 0;

		if (!d->stopped && d->p < d->end) {
			byte = *d->p;

			if (0xff == byte && (d->end - d->p < 2 || 0 != d->p[1])) {
				d->stopped = true;
				byte = 0;
			} else {
				d->p += 0xff == byte ? 2 : 1;
			}
		} else {
			d->stopped = true;
		}

		d->padding += d->stopped ? 8 : 0;
		d->bits = d->bits << 8 | byte;
		d->count += 8;
	}
}

/* Whether bits were used that the file has not. */
static bool ran_out(const struct decoder *d)
{
	return d->count < d->padding;
}

/* The next symbol, or -1. Up to 16 more bits can be taken without another fill(). */
static int symbol(struct decoder *d, const struct huffman *h)
{
	fill(d);

	const unsigned entry = h->look[d->bits >> (d->count - LONGEST) & 0xffff];

	d->count -= (int)(entry >> 8);
	return entry ? (int)(entry & 0xff) : -1;
}

/* The number of n bits, n <= 16, as figure F.12 extends it. */
static int extended(struct decoder *d, int n)
{
	if (0 == n)
		return 0;

	d->count -= n;

	const int v = (int)(d->bits >> d->count & ((1U << n) - 1));

	return v < 1 << (n - 1) ? v - (1 << n) + 1 : v;
}

/* Behind a restart marker. */
static bool restart(struct decoder *d)
{
	while (d->end - d->p >= 2 && !(0xff == d->p[0] && d->p[1] >= RST0 && d->p[1] <= RST7)) {
		if (0xff == d->p[0] && 0 != d->p[1] && 0xff != d->p[1])
			return false; // another marker

		d->p++;
	}

	if (d->end - d->p < 2)
		return false;

	d->p += 2;
	start_bits(d);
	return true;
}

/* ---- lossless: annex H ---- */

/* The prediction of a sample from those to the left, above, and above to the left (table H.1). */
static int predicted(int predictor, int a, int b, int c)
{
	switch (predictor) {
	case 1:
		return a;
	case 2:
		return b;
	case 3:
		return c;
	case 4:
		return a + b - c;
	case 5:
		return a + ((b - c) >> 1);
	case 6:
		return b + ((a - c) >> 1);
	default:
		return (a + b) >> 1;
	}
}

/* One line; above NULL: the first one, or the first behind a restart. */
static char *lossless_line(struct decoder *d, uint16_t *line, const uint16_t *above)
{
	for (long x = 0; x < d->s->cols; x++) {
		const int s = symbol(d, d->dc);
		int guess;

		if (s < 0 || s > 16)
			return damaged("a code that is not in the table");

		if (0 == x)
			guess = above ? above[0] : 1 << (d->precision - d->shift - 1);
		else
			guess = above ? predicted(d->predictor, line[x - 1], above[x], above[x - 1])
			              : line[x - 1];

		line[x] = (uint16_t)(guess + (16 == s ? 32768 : extended(d, s)));
	}

	return ran_out(d) ? damaged("the data end before the last pixel") : NULL;
}

static char *lossless_scan(struct decoder *d)
{
	const long cols = d->s->cols;
	uint16_t *lines = mem_calloc((size_t)(2 * cols), sizeof *lines);
	char *why = NULL;

	if (d->interval % cols)
		why = damaged("a restart interval that is not a whole number of lines");

	for (long y = 0; y < d->s->rows && !why; y++) {
		uint16_t *line = lines + y % 2 * cols;
		const bool fresh = d->interval > 0 && 0 == y % (d->interval / cols);

		if (fresh && y > 0 && !restart(d))
			why = damaged("a restart marker is missing");
		else
			why = lossless_line(d, line, fresh || 0 == y ? NULL : lines + (y + 1) % 2 * cols);

		for (long x = 0; x < cols && !why; x++)
			codec_store(d->s, d->out, y * cols + x, (int32_t)line[x] << d->shift);
	}

	free(lines);
	return why;
}

/* ---- DCT: annex F ---- */

/* 8 x 8 coefficients from their zigzag order, dequantised; the first is the difference to *dc. */
static char *read_block(struct decoder *d, int *dc, double block[BLOCK * BLOCK])
{
	static const unsigned char zigzag[BLOCK * BLOCK] = {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11,
	        4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50,
	        43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
	        55, 62, 63};
	const int *quantum = d->quantum[d->table];
	const int s = symbol(d, d->dc);

	if (s < 0 || s > 15)
		return damaged("a code that is not in the table");

	*dc = (int16_t)(*dc + extended(d, s));
	memset(block, 0, BLOCK * BLOCK * sizeof *block);
	block[0] = (double)*dc * quantum[0];

	for (int k = 1; k < BLOCK * BLOCK; k++) {
		const int rs = symbol(d, d->ac);

		if (rs < 0)
			return damaged("a code that is not in the table");

		if (0 == (rs & 15) && 0xf0 != rs)
			break;

		k += rs >> 4;

		if (k >= BLOCK * BLOCK)
			return damaged("more than 64 coefficients in a block");

		block[zigzag[k]] = (double)extended(d, rs & 15) * quantum[k];
	}

	return NULL;
}

/* out(x, y) = sum of basis[x][u] basis[y][v] in(u, v) */
static void inverse_dct(const double basis[BLOCK][BLOCK], double block[BLOCK * BLOCK])
{
	double half[BLOCK * BLOCK];

	for (int v = 0; v < BLOCK; v++)
		for (int x = 0; x < BLOCK; x++) {
			double sum = 0.;

			for (int u = 0; u < BLOCK; u++)
				sum += basis[x][u] * block[BLOCK * v + u];

			half[BLOCK * v + x] = sum;
		}

	for (int y = 0; y < BLOCK; y++)
		for (int x = 0; x < BLOCK; x++) {
			double sum = 0.;

			for (int v = 0; v < BLOCK; v++)
				sum += basis[y][v] * half[BLOCK * v + x];

			block[BLOCK * y + x] = sum;
		}
}

static void store_block(struct decoder *d, long x0, long y0, const double block[BLOCK * BLOCK])
{
	const double most = (double)((1 << d->precision) - 1), middle = (double)(1 << (d->precision - 1));

	for (long y = y0; y < y0 + BLOCK && y < d->s->rows; y++)
		for (long x = x0; x < x0 + BLOCK && x < d->s->cols; x++) {
			const double v = rint(block[BLOCK * (y - y0) + x - x0] + middle);

			codec_store(d->s, d->out, y * d->s->cols + x, (int32_t)fmin(fmax(v, 0.), most));
		}
}

static char *dct_scan(struct decoder *d)
{
	const long across = (d->s->cols + BLOCK - 1) / BLOCK, down = (d->s->rows + BLOCK - 1) / BLOCK;
	double basis[BLOCK][BLOCK], block[BLOCK * BLOCK];
	int dc = 0;

	for (int x = 0; x < BLOCK; x++)
		for (int u = 0; u < BLOCK; u++)
			basis[x][u] = (0 == u ? sqrt(0.125) : 0.5) * cos((2 * x + 1) * u * M_PI / 16.);

	for (long i = 0; i < across * down; i++) {
		if (d->interval > 0 && i > 0 && 0 == i % d->interval) {
			if (!restart(d))
				return damaged("a restart marker is missing");

			dc = 0;
		}

		char *why = read_block(d, &dc, block);

		if (why)
			return why;

		if (ran_out(d))
			return damaged("the data end before the last pixel");

		inverse_dct(basis, block);
		store_block(d, i % across * BLOCK, i / across * BLOCK, block);
	}

	return NULL;
}

/* ---- segments: annex B ---- */

static long word(const unsigned char *p)
{
	return (long)p[0] << 8 | p[1];
}

/* Codes of each length follow each other (annex C). */
static char *read_codes(struct huffman *h, const unsigned char *counts, const unsigned char *symbols)
{
	unsigned code = 0;

	memset(h->look, 0, sizeof h->look);
	h->there = true;

	for (int length = 1; length <= LONGEST; length++, code <<= 1)
		for (int i = 0; i < counts[length - 1]; i++, code++) {
			const unsigned first = code << (LONGEST - length);

			if (code >= 1U << length)
				return damaged("a table of more codes than there are");

			for (unsigned k = 0; k < 1U << (LONGEST - length); k++)
				h->look[first + k] = (uint16_t)(length << 8 | *symbols);

			symbols++;
		}

	return NULL;
}

static char *read_huffman(struct decoder *d, const unsigned char *p, const unsigned char *end)
{
	while (end - p >= 1 + LONGEST) {
		const int class = p[0] >> 4, id = p[0] & 15;
		long n = 0;

		for (int i = 1; i <= LONGEST; i++)
			n += p[i];

		if (++d->tables > TABLES_MAX || class > 1 || id >= TABLES || n > 256 ||
		        end - p < 1 + LONGEST + n)
			return damaged("a Huffman table");

		char *why = read_codes(&d->huffman[class][id], p + 1, p + 1 + LONGEST);

		if (why)
			return why;

		p += 1 + LONGEST + n;
	}

	return NULL;
}

static char *read_quanta(struct decoder *d, const unsigned char *p, const unsigned char *end)
{
	while (p < end) {
		const int bytes = 1 + (p[0] >> 4), id = p[0] & 15;

		if (bytes > 2 || id >= TABLES || end - p < 1 + BLOCK * BLOCK * bytes)
			return damaged("a quantisation table");

		for (int k = 0; k < BLOCK * BLOCK; k++)
			d->quantum[id][k] = (int)(1 == bytes ? p[1 + k] : word(p + 1 + 2 * k));

		p += 1 + BLOCK * BLOCK * bytes;
	}

	return NULL;
}

static char *read_frame(struct decoder *d, int marker, const unsigned char *p, long n)
{
	if (SOF0 != marker && SOF1 != marker && SOF3 != marker)
		return mem_printf(
		        "JPEG: process SOF%d (progressive, hierarchical or arithmetic coding), expected "
		        "SOF0, SOF1 or SOF3",
		        marker - SOF0);

	if (d->process || n < 9)
		return damaged("the frame header");

	d->process = marker;
	d->precision = p[0];
	d->table = p[8] & 3;

	const long rows = word(p + 1);
	const bool lossless = SOF3 == marker;

	if (lossless ? d->precision < 2 || d->precision > 16 : 8 != d->precision && 12 != d->precision)
		return mem_printf("JPEG: pixels of %d bits, expected %s", d->precision,
		        lossless ? "2 to 16" : "8 or 12");

	// 0: said at the end of the scan
	return codec_check(d->s, "JPEG", word(p + 3), 0 == rows ? d->s->rows : rows, p[5], d->precision);
}

static char *read_scan(struct decoder *d, const unsigned char *p, long n)
{
	if (!d->process || n < 6 || 1 != p[0])
		return damaged("the scan header");

	d->dc = &d->huffman[0][p[2] >> 4 & 3];
	d->ac = &d->huffman[1][p[2] & 3];
	d->predictor = p[3];
	d->shift = p[5] & 15;
	start_bits(d);

	if (!d->dc->there || (SOF3 != d->process && !d->ac->there))
		return damaged("a Huffman table is missing");

	if (SOF3 != d->process)
		return 0 == d->quantum[d->table][0] ? damaged("a quantisation table is missing")
		                                    : dct_scan(d);

	if (d->predictor < 1 || d->predictor > 7 || d->shift >= d->precision)
		return damaged("the scan header");

	return lossless_scan(d);
}

/* One segment of n bytes at p; *done when it was the picture. */
static char *read_segment(struct decoder *d, int marker, const unsigned char *p, long n, bool *done)
{
	switch (marker) {
	case DHT:
		return read_huffman(d, p, p + n);
	case DQT:
		return read_quanta(d, p, p + n);
	case DRI:
		d->interval = n >= 2 ? word(p) : 0;
		return NULL;
	case SOS:
		*done = true;
		return read_scan(d, p, n);
	default:
		return marker >= SOF0 && marker <= SOF15 && JPG != marker && DAC != marker
		               ? read_frame(d, marker, p, n)
		               : NULL;
	}
}

static char *read_segments(struct decoder *d)
{
	for (bool done = false; !done;) {
		while (d->end - d->p >= 2 && 0xff == d->p[0] && 0xff == d->p[1]) // fill bytes
			d->p++;

		if (d->end - d->p < 4 || 0xff != d->p[0] || EOI == d->p[1])
			return damaged("no picture before the end");

		const int marker = d->p[1];
		const long n = word(d->p + 2);

		if (TEM == marker || (marker >= RST0 && marker <= SOI)) { // without a length
			d->p += 2;
			continue;
		}

		if (n < 2 || n > d->end - d->p - 2)
			return damaged("a segment is longer than the data");

		const unsigned char *p = d->p + 4;

		d->p += 2 + n;

		char *why = read_segment(d, marker, p, n - 2, &done);

		if (why)
			return why;
	}

	return NULL;
}

char *jpeg_decode(const struct picture *s, const unsigned char *p, size_t n, void *out)
{
	if (n < 2 || 0xff != p[0] || SOI != p[1])
		return damaged("does not begin with FFD8");

	struct decoder *d = mem_calloc(1, sizeof *d);

	d->p = p + 2;
	d->end = p + n;
	d->s = s;
	d->out = out;

	char *why = read_segments(d);

	free(d);
	return why;
}
