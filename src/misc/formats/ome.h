#ifndef MISC_FORMATS_OME_H
#define MISC_FORMATS_OME_H

#include "misc/file/hdr.h"

/** Returns the OME-XML text (schema 2016-06) of an array (malloc'd). The array has at most five dims: x, y,
 * z, channel and time. The TIFF file has one page per xy plane. An annotation contains the array header. */
extern char *ome_format(const struct hdr *h);

/** Returns the array header in an OME-XML text (malloc'd), or NULL. */
extern char *ome_header(const char *xml);

#endif
