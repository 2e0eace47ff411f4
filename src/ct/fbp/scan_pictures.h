#ifndef CT_FBP_SCAN_PICTURES_H
#define CT_FBP_SCAN_PICTURES_H

#include "misc/formats/names.h"

/**
 * Settings files that scanners store next to the images of a scan: STEM.xtekct of Nikon with STEM_0001.tif,
 * STEM.log of SkyScan with STEM0000.tif or STEM_0000.tif.
 */

/** Returns EXCHANGE_NIKON for a file *.xtekct, EXCHANGE_SKYSCAN for a file *.log that begins with '[', and -1
 * for other files. */
extern int scan_settings_form(const char *path);

/** The name of the format as in --from: nikon or skyscan. */
extern const char *scan_settings_name(int form);

/** Appends the images to list (malloc'd) and returns the new count. If there are no images, error() suggests
 * the command that reads only the geometry. */
extern int scan_pictures(const char *path, struct named_file **list, int n);

#endif
