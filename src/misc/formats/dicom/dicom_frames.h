#ifndef MISC_FORMATS_DICOM_DICOM_FRAMES_H
#define MISC_FORMATS_DICOM_DICOM_FRAMES_H

#include <stddef.h>

#include "misc/formats/dicom/dicom.h"

/** Positions of the compressed frames in a file. A frame has one or several consecutive fragments. */
struct dicom_frames {
	long fragments;
	size_t *offset, *length; // [fragments] position and length in the file [bytes]
	long *first;             // [frames + 1] first fragment of a frame
};

/** Finds the compressed frames in the n bytes of the file. Returns NULL or an error text (malloc'd). */
extern char *dicom_frames_find(
        struct dicom_frames *f, const struct dicom *d, const unsigned char *p, size_t n);
extern void dicom_frames_free(struct dicom_frames *f);

/** Decompresses frame k into `out`, with d->bits bits per element. Returns NULL or an error text (malloc'd).
 */
extern char *dicom_frames_unpack(
        const struct dicom_frames *f, const struct dicom *d, const unsigned char *p, long k, void *out);

#endif
