#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/file/hdr.h"
#include "misc/formats/tiff.h"

/** Adds to h (dims and type set) what the comment of a TIFF or PNG file says: our own sections, the scale of
 * ImageJ or OME where its unit is a length; or else the resolution, unless it is one of screens and printers,
 * which are made up. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
