#ifndef MISC_FORMATS_OME_H
#define MISC_FORMATS_OME_H

#include "misc/file/hdr.h"

/** OME-XML (Open Microscopy Environment, schema 2016-06) of an array of at most five dims (x, y, z, channel,
 * time), with one page per plane. An annotation contains the header of the array. malloc'd. */
extern char *ome_format(const struct hdr *h);

/** The header of the array in an OME-XML text (malloc'd), or NULL. */
extern char *ome_header(const char *xml);

#endif
