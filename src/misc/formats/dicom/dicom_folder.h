#ifndef MISC_FORMATS_DICOM_DICOM_FOLDER_H
#define MISC_FORMATS_DICOM_DICOM_FOLDER_H

#include "misc/formats/names.h"

/** Folders of DICOM files, which may contain a DICOMDIR file or several series. */

/** Returns whether a file is called DICOMDIR. */
extern bool dicom_folder_is_directory(const char *path);

/** Replaces files `first` to `n - 1` by the images listed in the first DICOMDIR file. Returns the new number
 * of files. Without a DICOMDIR file, nothing changes. A missing image causes a warning. It is an error() if
 * all images are missing. */
extern int dicom_folder_expand(struct named_file **list, int first, int n);

/** Keeps the files of one series and returns the number of kept files. `which` is either a number in the
 * printed list or the beginning of a series UID. NULL selects the only series. If `which` is ambiguous or
 * unknown, an error() lists the series. Files without pixels are removed with a warning. */
extern int dicom_folder_pick(struct named_file list[], int n, const char *which);

/** Prints one line per series: number, modality, files, size, description and series UID. */
extern void dicom_folder_print(const struct named_file list[], int n);

#endif
