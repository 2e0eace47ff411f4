#ifndef CT_FBP_SCAN_PICTURES_H
#define CT_FBP_SCAN_PICTURES_H

#include "misc/formats/names.h"

/** These functions find the images that belong to a scanner's settings file. Nikon scanners store STEM.xtekct
 * with images such as STEM_0001.tif. SkyScan scanners store STEM.log with images such as STEM0000.tif or
 * STEM_0000.tif. */

/** Returns the format of a settings file. A file *.xtekct gives EXCHANGE_NIKON. A file *.log that begins with
 * '[' gives EXCHANGE_SKYSCAN. Other files give -1. */
extern int scan_settings_form(const char *path);

/** Returns the name of the format for the option --from: nikon or skyscan. */
extern const char *scan_settings_name(int form);

/** Appends the images of the settings file `path` to *list and returns the new number of entries. Before the
 * call, *list has n entries. The list is malloc'd. If there are no images, error() suggests the command that
 * reads only the geometry. */
extern int scan_pictures(const char *path, struct named_file **list, int n);

#endif
