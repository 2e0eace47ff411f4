#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/file/hdr.h"
#include "misc/formats/tiff.h"

/** Adds to h (dims and type set) what the comment of a TIFF or PNG file contains: our own sections, or the
 * scale of ImageJ or OME if its unit is a length. Else the resolution, except default values of screens and
 * printers. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
