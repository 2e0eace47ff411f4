#ifndef MISC_FILE_CONTAINER_H
#define MISC_FILE_CONTAINER_H

#include "misc/file/hdr.h"

/** Describes a file format of another program. A file contains a header, followed by one array. The formats
 * are .npy of NumPy and .ra (raw array). */
struct container {
	const char *extension;

	/** Reads dims, type and byte order from the header of a file of `size` bytes. The elements begin at
	 * byte *offset of the file. Sets *c_order to true if the last dim varies fastest. Calls error() if
	 * the header is malformed or does not match the file size. Calls error() if the element type is not
	 * supported. `name` is the name of the file in messages. */
	void (*read)(struct hdr *h, int fd, long size, long *offset, bool *c_order, const char *name);

	/** Returns the header for a new file. The elements of the new file are in column-major order. Sets
	 * *length to the length of the header in bytes. The caller frees the header. Calls error() if the
	 * format does not support the element type. */
	char *(*format)(const struct hdr *h, long *length, const char *name);
};

extern const struct container container_npy, container_ra;

#endif
