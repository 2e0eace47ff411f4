#ifndef CT_FBP_SCAN_PICTURES_H
#define CT_FBP_SCAN_PICTURES_H

#include "misc/formats/names.h"

/**
 * Settings files of scanners next to the pictures of the scan: STEM.xtekct of Nikon with STEM_0001.tif,
 * STEM.log of SkyScan with STEM0000.tif or STEM_0000.tif.
 */

/** EXCHANGE_NIKON or EXCHANGE_SKYSCAN by the name, for a .log also by its first line; -1 for other files.
 */
extern int scan_settings_form(const char *path);

/** The name of that form for --from. */
extern const char *scan_settings_name(int form);

/** Appends the pictures to list (malloc'd) and returns the new count. error() if there are none, with the
 * command that reads only the geometry. */
extern int scan_pictures(const char *path, struct named_file **list, int n);

#endif
