#ifndef MISC_FILE_HDR_SECTIONS_H
#define MISC_FILE_HDR_SECTIONS_H

#include "misc/file/hdr.h"

/** Adds or replaces a header section that Gantry does not interpret. A NULL value removes the section. */
extern void hdr_set_section(struct hdr *h, const char *name, const char *value);

/** Returns the value (malloc'd) of a section that Gantry does not interpret. Returns NULL if the section is
 * missing. */
extern char *hdr_section(const struct hdr *h, const char *name);

/** Stores the directions of the first three axes in section "# Direction". For the identity matrix, the
 * section is omitted. Each cosines[axis] is a unit vector in patient coordinates (left, back, head). */
extern void hdr_set_direction(struct hdr *h, const double cosines[3][3]);

/** Copies slope and intercept from section "# Rescale" to v. If the section is missing or malformed, returns
 * false and does not change v. */
extern bool hdr_rescale(const struct hdr *h, double v[2]);

/** Returns whether the header has a section "# Direction". */
extern bool hdr_has_direction(const struct hdr *h);

/** Reads the directions from section "# Direction". Without the section, `cosines` is the identity. Returns
 * false if the section is malformed. */
extern bool hdr_direction(const struct hdr *h, double cosines[3][3]);

/** Reads the directions, and computes the position of the first voxel [mm]. The grid of a header without
 * origin is centred on 0 in the turned axes. Returns false without a valid section "# Direction". */
extern bool hdr_turned(const struct hdr *h, double cosines[3][3], double origin[3]);

#endif
