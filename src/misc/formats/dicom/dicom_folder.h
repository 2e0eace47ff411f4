#ifndef MISC_FORMATS_DICOM_DICOM_FOLDER_H
#define MISC_FORMATS_DICOM_DICOM_FOLDER_H

#include "misc/formats/names.h"

/**
 * Folders of DICOM files: the file DICOMDIR of exported media, and the selection of a series if a folder
 * contains several. Lists of files come from names_expand().
 */

/** Whether a file is called DICOMDIR. */
extern bool dicom_folder_is_directory(const char *path);

/** Replaces the files [first, n) of the list by the images that the first DICOMDIR among them refers to, if
 * there is one; returns the new count. Warns about missing images; error() if all images are missing. */
extern int dicom_folder_expand(struct named_file **list, int first, int n);

/** Keeps the files of one series and returns their count. `which` is a number in the printed list or the
 * beginning of a unique identifier; NULL: the only series. error() with a list of the series if `which` is
 * ambiguous or unknown. Files without pixels are ignored with a warning if there are others. */
extern int dicom_folder_pick(struct named_file list[], int n, const char *which);

/** Prints the series, one a line: number, modality, files, size, description, unique identifier. */
extern void dicom_folder_print(const struct named_file list[], int n);

#endif
