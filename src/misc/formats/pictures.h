#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/file/hdr.h"
#include "misc/formats/tiff.h"

/** Adds the content of the comment of a TIFF or PNG file to h, whose dims and type are set. The comment
 * contains the sections of a header (misc/formats/embed.h), or the scale of ImageJ or OME, which is used if
 * its unit is a length. Without such a comment, the spacing is derived from the resolution, unless the
 * resolution is usual for screens or printers. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
