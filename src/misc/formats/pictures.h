#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/hdr.h"
#include "misc/tiff.h"

/** Adds to h (dims and type set) what the comment of a TIFF or PNG file says: our own sections, or ImageJ's
 * scale, where its unit is a length. Resolutions in dots per inch alone are left out: most are made up. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
