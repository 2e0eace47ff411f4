#ifndef MISC_FILE_HDR_H
#define MISC_FILE_HDR_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/dtype.h"

/** The quantity of an array (section "# Quantity"). */
enum quantity {
	Q_UNKNOWN,
	Q_COUNTS,
	Q_TRANSMISSION,
	Q_LINE_INTEGRAL,
	Q_ATTENUATION,
	Q_HOUNSFIELD,
	Q_WEIGHTS,
	Q_MASK,
	Q_GEOMETRY
};

/** The header of an array: sections of doc/format.md. Fields may be set directly; hdr_free() releases the
 * strings. */
struct hdr {
	long dims[DIMS]; // all >= 1
	enum dtype type;
	bool big_endian;
	double spacing[DIMS]; // [mm]; 1 when the file says nothing; while importing NAN = unknown: the list
	                      // ends
	double origin[DIMS];  // [mm] centre of the first element; NAN = centred on 0
	bool has_spacing;     // the section is written
	bool has_origin;
	enum quantity quantity;
	char unit[32];     // "" = none
	bool has_detector; // geometry arrays
	long detector[2];  // COLS ROWS
	double radius;     // [mm] of a curved detector, 0 = flat
	char checksum[96]; // of these elements, or ""
	char *command;     // NULL = unknown; likewise below
	char *files;
	char *creator;
	char *extra;   // unknown sections, verbatim ("# Name\nvalue\n..."), in order
	char *history; // lines "ID: words\n", oldest first
};

/** An initial header: all dims 1, float32, centred grid, all other fields unknown. */
extern void hdr_init(struct hdr *h);

/** Releases the strings and re-initialises. */
extern void hdr_free(struct hdr *h);

/** Copies the sections of src that a tool keeps in its output: dims, type, spacing, origin, quantity, unit,
 * detector, and all sections kept as text in `extra`. Command, files, creator and history are not copied,
 * since they describe the new file. The byte order is set to little endian. */
extern void hdr_copy(struct hdr *dst, const struct hdr *src);

/** Sets dims 0..n-1, the others to 1. */
extern void hdr_set_dims(struct hdr *h, int n, const long dims[]);

/** The numbers of elements and bytes; error() naming `name` if they do not fit into 63 bits. */
extern long hdr_count(const struct hdr *h, const char *name);
extern long hdr_bytes(const struct hdr *h, const char *name);

/** The number of dims up to the last one longer than 1; at least 1. */
extern int hdr_rank(const struct hdr *h);

/** Origin of dim d [mm]; if the grid is centred: -(n-1)/2 * spacing. */
extern double hdr_origin(const struct hdr *h, int d);

/** Sets spacing [mm] and origin [mm] of dim d and marks both sections to be written. */
extern void hdr_set_grid(struct hdr *h, int d, double spacing, double origin);

/** Records that, along dim d, the output contains elements start, start + step, ... of the input. Sets origin
 * and spacing so that, for a positive step, every kept element stays at its position [mm]. On entry
 * h->dims[d] is the length of the input; on return h->dims[d] is n. A negative step gives the same grid as
 * the positive step over the same elements. Sets nothing if the grid stays centred with the same spacing. */
extern void hdr_subrange(struct hdr *h, int d, long start, long step, long n);

/** Parses header text. `name` is for messages. error() on a malformed header. Accepts CR-LF, trailing blanks,
 *  unknown sections, blank lines; see doc/format.md. */
extern void hdr_parse(struct hdr *h, const char *text, size_t len, const char *name);

/** Header text (malloc'd): "# Dimensions" first, "# History" last. Histories over 64 KiB are left out when
 *  `history_apart` is not NULL, and *history_apart is set to true. */
extern char *hdr_format(const struct hdr *h, bool *history_apart);

extern const char *quantity_name(enum quantity q); // "counts" ...; "unknown"
extern int quantity_parse(const char *name);       // or -1

/** "256 x 256 x 64": dims up to the rank, for messages. Static buffers in rotation (4). */
extern const char *hdr_shape(const struct hdr *h);

#endif
