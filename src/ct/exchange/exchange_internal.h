#ifndef CT_EXCHANGE_EXCHANGE_INTERNAL_H
#define CT_EXCHANGE_EXCHANGE_INTERNAL_H

#include "ct/exchange/exchange.h"
#include "ct/exchange/settings.h"
#include "misc/mem.h"

/** Declares readers and writers for the formats of other packages. A reader converts the text of a file
 * to a geometry. A writer appends the text of a geometry to `out`. Nikon and SkyScan have readers only. */

/** Describes the file that a reader converts. The reader sets `volume` and `has_volume`. */
struct exchange_source {
	const char *path;
	const char *text; // the whole file
	const struct exchange_hints *hints;
	struct grid volume;
	bool has_volume;
};

/** These functions read and write ASTRA's dictionaries. If `plain` is true, the dictionary has no
 * vectors. The functions astra_read_table() and astra_write_table() handle tables of vectors. */
extern struct geom *astra_read(struct exchange_source *f);
extern struct geom *astra_read_table(struct exchange_source *f, enum exchange_form form);
extern void astra_write(struct str *out, const struct geom *g, const char *name, bool plain);
extern void astra_write_table(
        struct str *out, const struct geom *g, const char *name, enum exchange_form form);

/** These functions read and write TIGRE's geometries and angles. */
extern struct geom *tigre_read(struct exchange_source *f);
extern void tigre_write(struct str *out, const struct geom *g, const char *name, const struct grid *volume);

/** These functions read and write RTK's XML files. */
extern struct geom *rtk_read(struct exchange_source *f);
extern void rtk_write(struct str *out, const struct geom *g, const char *name);

/** These functions read and write CIL's AcquisitionGeometry. */
extern struct geom *cil_read(struct exchange_source *f);
extern void cil_write(struct str *out, const struct geom *g, const char *name);

/** These functions read and write LEAP's parameter files. If `modular` is true, the file describes a
 * modular beam. */
extern struct geom *leap_read(struct exchange_source *f);
extern void leap_write(
        struct str *out, const struct geom *g, const char *name, const struct grid *volume, bool modular);

/** These functions read and write projection matrices, with 3 x 4 numbers per view. */
extern struct geom *matrix_read(struct exchange_source *f);
extern void matrix_write(struct str *out, const struct geom *g, const char *name);

/** These functions read Nikon's .xtekct files and Bruker's .log files. */
extern struct geom *nikon_read(struct exchange_source *f);
extern struct geom *skyscan_read(struct exchange_source *f);

/**
 * Finds the detector size and pitch for a file format that does not contain them. The hints are used first.
 * Values that the hints lack are taken from a comment line of the file:
 *
 *     gantry: detector COLS ROWS pitch PU PV
 *
 * A missing size is an error() that names the option to give. If `need_pitch` is true, a missing pitch is
 * an error(), too.
 */
extern void exchange_detector(
        const struct exchange_source *f, bool need_pitch, long size[2], double pitch[2]);

/** Appends the line for exchange_detector(); the caller adds the comment marks. */
extern void exchange_note(struct str *out, const struct geom *g);

/** Converts x to a number of pixels or voxels. If x is not an integer from 1 to 2^31 - 1, error() names
 * the key. */
extern long exchange_count(const struct exchange_source *f, const char *key, double x);

/** Converts x to a number of views. If x is not an integer from 1 to EXCHANGE_MAX_VIEWS, error() names
 * the key. The limit bounds the memory for views. For fuzzing, the script scripts/fuzz sets a smaller
 * limit. */
#ifndef EXCHANGE_MAX_VIEWS
#define EXCHANGE_MAX_VIEWS 10000000
#endif
extern long exchange_views(const struct exchange_source *f, const char *key, double x);

/** Returns the index of a word in a list like "A|B|C". Returns -1 if the list does not contain the word. */
extern int exchange_word(const char *list, const char *word);

/** Converts a list like "A|B|C" to "A, B, C". The caller frees the result. */
extern char *exchange_spell(const char *list);

/** Returns the index of `word` in a list like "A|B|C", ignoring case. `word` is the value of `key`, or
 * NULL if the value is a number. A number, or a word that is not in the list, is an error() naming the
 * valid words. */
extern int exchange_choice(const char *path, const char *key, const char *word, const char *list);

/** Warns if n angles [radians] are probably in degrees. A warning appears if at least 16 equally spaced
 * angles span a multiple of 180 radians. */
extern void exchange_warn_degrees(const char *path, const char *key, long n, const double angle[]);

/** Contains the directions of a detector as unit vectors. The vector u points along increasing columns,
 * and v along increasing rows. The normal n points towards the source. */
struct exchange_frame {
	double u[3], v[3], n[3], pitch[2]; // pitch [mm]
	bool right_handed;                 // u x v = n
};

/** Returns the directions and the pitch of the detector in one view. */
extern struct exchange_frame exchange_frame(const struct geom *g, long view);

/**
 * These functions call error() if the geometry lacks a property that a format needs. `name` is the name of
 * the geometry, and `form` is the name of the format.
 * - expect_flat(): The detector must be flat.
 * - expect_orthogonal(): Columns and rows must be at right angles.
 * - expect_one_pitch(): All views must have the same pixel pitch.
 * - expect_right_handed(): The detector must not be mirrored.
 */
extern void expect_flat(const struct geom *g, const char *name, const char *form);
extern void expect_orthogonal(const struct geom *g, const char *name, const char *form);
extern void expect_one_pitch(const struct geom *g, const char *name, const char *form);
extern void expect_right_handed(const struct geom *g, const char *name, const char *form);

/** Returns whether a 2-D format can describe the geometry. A 2-D format needs a single detector row and
 * rays in the plane z = 0. */
extern bool exchange_is_flatland(const struct geom *g);

/** Returns whether x equals y, up to rounding errors of numbers as large as `scale`. */
extern bool exchange_same(double x, double y, double scale);

/** Appends n numbers to `out` in the form [x, y, ..]. */
extern void exchange_list(struct str *out, long n, const double v[]);

#endif
