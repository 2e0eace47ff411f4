#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/file/hdr.h"
#include "misc/formats/tiff.h"

/** Adds the content of the comment of a TIFF or PNG file to h, whose dims and type are set: the sections of a
 * header (misc/formats/embed.h), or the scale of ImageJ or OME if its unit is a length. Without these, the
 * resolution gives the spacing, except default values of screens and printers. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
