#ifndef MISC_FORMATS_PICTURES_H
#define MISC_FORMATS_PICTURES_H

#include "misc/file/hdr.h"
#include "misc/formats/tiff.h"

/** Adds the metadata of a TIFF or PNG file to h. The dims and type of h must be set. The comment can contain
 * a Gantry header (misc/formats/embed.h), or the pixel size of ImageJ or OME. If the comment contains
 * neither, the resolution of the file gives the spacing. A resolution that is usual for screens or printers
 * is ignored. */
extern void pictures_describe(struct hdr *h, const struct tiff_about *a, const char *name);

#endif
