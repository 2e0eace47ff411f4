#ifndef MISC_FORMATS_DICOM_DICOM_FRAMES_H
#define MISC_FORMATS_DICOM_DICOM_FRAMES_H

#include <stddef.h>

#include "misc/formats/dicom/dicom.h"

/** Locates the compressed frames of a file: each has one fragment or several consecutive ones. */
struct dicom_frames {
	long fragments;
	size_t *offset, *length; // [fragments], of their bytes in the file
	long *first;             // [frames + 1] fragments before a frame
};

/** Finds the frames in the n bytes of the file. Returns NULL, or the error text (malloc'd). */
extern char *dicom_frames_find(
        struct dicom_frames *f, const struct dicom *d, const unsigned char *p, size_t n);
extern void dicom_frames_free(struct dicom_frames *f);

/** Unpacks frame k into out, in elements of d->bits bits. Returns NULL, or the error text (malloc'd). */
extern char *dicom_frames_unpack(
        const struct dicom_frames *f, const struct dicom *d, const unsigned char *p, long k, void *out);

#endif
