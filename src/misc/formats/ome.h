#ifndef MISC_FORMATS_OME_H
#define MISC_FORMATS_OME_H

#include "misc/file/hdr.h"

/** OME-XML [1] of an array of at most five dims (x, y, z, channel, time), a page for each plane, our header
 * in an annotation (malloc'd). [1] Open Microscopy Environment, schema 2016-06 */
extern char *ome_format(const struct hdr *h);

/** Our header in such a text (malloc'd), or NULL. */
extern char *ome_header(const char *xml);

#endif
