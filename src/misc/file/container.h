#ifndef MISC_FILE_CONTAINER_H
#define MISC_FILE_CONTAINER_H

#include "misc/file/hdr.h"

/** Files of other programs that hold one array with its own header in front: .npy (NumPy) and .ra (raw
 * array). */
struct container {
	const char *extension;

	/** Reads the header at the start of a file of `size` bytes: dims, type, byte order. The elements
	 * begin at *offset; *c_order is set if the last dimension is the fastest. error() naming `name` if
	 * the header is malformed, the element type is not supported, or the size is wrong. */
	void (*read)(struct hdr *h, int fd, long size, long *offset, bool *c_order, const char *name);

	/** The header for new files, in Fortran order (malloc'd); its length in *length. error() for types
	 * that the format does not have. */
	char *(*format)(const struct hdr *h, long *length, const char *name);
};

extern const struct container container_npy, container_ra;

#endif
