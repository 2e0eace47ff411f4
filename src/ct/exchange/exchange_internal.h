#ifndef CT_EXCHANGE_EXCHANGE_INTERNAL_H
#define CT_EXCHANGE_EXCHANGE_INTERNAL_H

#include "ct/exchange/exchange.h"
#include "ct/exchange/settings.h"
#include "misc/mem.h"

/** A reader and a writer per package; for Nikon and SkyScan only readers. Readers get the text of the file;
 * writers append to `out`. */

struct exchange_source {
	const char *path;
	const char *text; // the whole file
	const struct exchange_hints *hints;
	struct grid volume;
	bool has_volume;
};

extern struct geom *astra_read(struct exchange_source *f);
extern struct geom *astra_read_table(struct exchange_source *f, enum exchange_form form);
extern void astra_write(struct str *out, const struct geom *g, const char *name, bool plain);
extern void astra_write_table(
        struct str *out, const struct geom *g, const char *name, enum exchange_form form);

extern struct geom *tigre_read(struct exchange_source *f);
extern void tigre_write(struct str *out, const struct geom *g, const char *name, const struct grid *volume);

extern struct geom *rtk_read(struct exchange_source *f);
extern void rtk_write(struct str *out, const struct geom *g, const char *name);

extern struct geom *cil_read(struct exchange_source *f);
extern void cil_write(struct str *out, const struct geom *g, const char *name);

extern struct geom *leap_read(struct exchange_source *f);
extern void leap_write(
        struct str *out, const struct geom *g, const char *name, const struct grid *volume, bool modular);

extern struct geom *matrix_read(struct exchange_source *f);
extern void matrix_write(struct str *out, const struct geom *g, const char *name);

extern struct geom *nikon_read(struct exchange_source *f);
extern struct geom *skyscan_read(struct exchange_source *f);

/** Detector size and pitch for a file that does not contain them. The size and the pitch are taken from the
 * hints, else from a comment line "gantry: detector COLS ROWS pitch PU PV" in the file. If the size or the
 * pitch is missing in both hints and file, error() names the option to give. */
extern void exchange_detector(
        const struct exchange_source *f, bool need_pitch, long size[2], double pitch[2]);
extern void exchange_note(struct str *out, const struct geom *g); // that line, without comment marks

/** Converts x to a number of pixels or voxels. error() naming the key unless x is a positive integer below
 * 2^31. */
extern long exchange_count(const struct exchange_source *f, const char *key, double x);

/** Converts x to a number of views. error() naming the key unless x is an integer from 1 to
 * EXCHANGE_MAX_VIEWS, because memory is allocated for the views. scripts/fuzz sets a smaller limit. */
#ifndef EXCHANGE_MAX_VIEWS
#define EXCHANGE_MAX_VIEWS 10000000
#endif
extern long exchange_views(const struct exchange_source *f, const char *key, double x);

/** The index of a word in the list "A|B|C"; -1 if the list does not contain the word. */
extern int exchange_word(const char *list, const char *word);

/** The list "A|B|C" as "A, B, C", malloc'd. */
extern char *exchange_spell(const char *list);

/** The index of a key's value `word` in the list "A|B|C", ignoring case. error() naming the valid words if
 * the list does not contain the word, or if the value is a number (word NULL). */
extern int exchange_choice(const char *path, const char *key, const char *word, const char *list);

/** Warns if n equally spaced angles [radians] span a multiple of 180 radians: they are probably in
 * degrees. */
extern void exchange_warn_degrees(const char *path, const char *key, long n, const double angle[]);

/** Unit vectors of a view: along increasing columns, along increasing rows, and along the normal towards the
 * source; pitch[2] [mm]. */
struct exchange_frame {
	double u[3], v[3], n[3], pitch[2];
	bool right_handed; // u x v = n
};
extern struct exchange_frame exchange_frame(const struct geom *g, long view);

/** Checks of properties that some formats require: error() if the geometry does not have the property. `form`
 * is the name of the format in the message. */
extern void expect_flat(const struct geom *g, const char *name, const char *form);
extern void expect_orthogonal(const struct geom *g, const char *name, const char *form);
extern void expect_one_pitch(const struct geom *g, const char *name, const char *form);
extern void expect_right_handed(const struct geom *g, const char *name, const char *form);

/** Whether all rays are in the plane z = 0, so that a 2-D format can describe the geometry. */
extern bool exchange_is_flatland(const struct geom *g);

/** Whether x equals y, up to rounding errors of numbers as large as `scale`. */
extern bool exchange_same(double x, double y, double scale);

/** Appends numbers as [x, y, ..]. */
extern void exchange_list(struct str *out, long n, const double v[]);

#endif
