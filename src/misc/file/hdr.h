#ifndef MISC_FILE_HDR_H
#define MISC_FILE_HDR_H

#include <stdbool.h>
#include <stddef.h>

#include "misc/dtype.h"

/** The physical quantity of the elements of an array (section "# Quantity"). */
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

/** The header of an array; doc/format.md describes the sections. Fields may be changed directly. Call
 * hdr_free() to free the strings. */
struct hdr {
	long dims[DIMS]; // all >= 1
	enum dtype type;
	bool big_endian;
	double spacing[DIMS]; // [mm]; 1 if the header has no spacing; NAN means unknown (only during
	                      // import)
	double origin[DIMS];  // [mm] centre of the first element; NAN means a grid centred on 0
	bool has_spacing;     // whether the section "# Spacing" is written
	bool has_origin;      // whether the section "# Origin" is written
	enum quantity quantity;
	char unit[32];     // "" means no unit
	bool has_detector; // only for geometry arrays
	long detector[2];  // number of columns, number of rows
	double radius;     // [mm] radius of a curved detector; 0 means flat
	char checksum[96]; // value of the section "# Checksum", or ""
	char *command;     // NULL means unknown, also for the strings below
	char *files;
	char *creator;
	char *extra;   // text of unknown sections in their order ("# Name\nvalue\n...")
	char *history; // lines "ID: words\n", oldest line first
};

/** Initialises a header. All dims are 1, the type is float32 and the grid is centred on 0. All other fields
 * are unknown. */
extern void hdr_init(struct hdr *h);

/** Frees the strings, and initialises the header again. */
extern void hdr_free(struct hdr *h);

/** Copies the fields that a command passes from its input to its output. The copied fields are dims, type,
 * spacing, origin, quantity, unit, detector and unknown sections. The fields command, files, creator,
 * checksum and history of dst are empty. The byte order of dst is little endian. */
extern void hdr_copy(struct hdr *dst, const struct hdr *src);

/** Sets dims 0 to n - 1, and sets the other dims to 1. */
extern void hdr_set_dims(struct hdr *h, int n, const long dims[]);

/**
 * These functions return the size of an array. Both functions call error() if the result does not fit into 63
 * bits. `name` names the array in the message.
 *
 * - hdr_count(): returns the number of elements.
 * - hdr_bytes(): returns the number of bytes.
 */
extern long hdr_count(const struct hdr *h, const char *name);
extern long hdr_bytes(const struct hdr *h, const char *name);

/** Returns the number of dims without trailing dims of length 1. The result is at least 1. */
extern int hdr_rank(const struct hdr *h);

/** Returns the origin along dim d in mm. If the grid is centred on 0, the origin is -(n - 1)/2 * spacing for
 * n elements. */
extern double hdr_origin(const struct hdr *h, int d);

/** Sets the spacing and the origin of dim d in mm. The header will contain the sections "# Spacing" and "#
 * Origin". */
extern void hdr_set_grid(struct hdr *h, int d, double spacing, double origin);

/** Sets the grid of an output with n elements along dim d. Along dim d, output element i is input element
 * `start + i * step`. Every kept element stays at its position in mm, if `step` is positive. For the same
 * elements, negative and positive steps give the same grid. Before the call, h->dims[d] is the length of the
 * input. After the call, h->dims[d] is n. If the grid is centred on 0 before and after the call, no origin is
 * set. */
extern void hdr_subrange(struct hdr *h, int d, long start, long step, long n);

/** Parses the text of a header (doc/format.md). The text may contain blank lines, unknown sections, trailing
 * blanks and Windows line ends. Calls error() if the header is malformed. `name` is the name of the file in
 * messages. */
extern void hdr_parse(struct hdr *h, const char *text, size_t len, const char *name);

/** Returns the text of a header. The caller frees the text. The section "# Dimensions" is first, and "#
 * History" is last. If `history_apart` is not NULL, a history over 64 KiB is left out. Sets *history_apart to
 * true if the history was left out, and otherwise to false. */
extern char *hdr_format(const struct hdr *h, bool *history_apart);

extern const char *quantity_name(enum quantity q); // such as "counts" or "unknown"
extern int quantity_parse(const char *name);       // -1 if the name is unknown

/** Returns the dims as text for messages, such as "256 x 256 x 64". Only the last four results of hdr_shape()
 * are valid. */
extern const char *hdr_shape(const struct hdr *h);

#endif
