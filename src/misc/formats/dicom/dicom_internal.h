#ifndef MISC_FORMATS_DICOM_DICOM_INTERNAL_H
#define MISC_FORMATS_DICOM_DICOM_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

/** Constants of the DICOM format, for reading and writing. */

enum { DICOM_PREAMBLE = 132 };

#define TAG(group, element) ((uint32_t)(group) << 16 | (element))

enum {
	ITEM = TAG(0xfffe, 0xe000),
	ITEM_END = TAG(0xfffe, 0xe00d),
	SEQUENCE_END = TAG(0xfffe, 0xe0dd),
	PIXELS = TAG(0x7fe0, 0x0010),
	PIXELS_FLOAT = TAG(0x7fe0, 0x0008),
	PIXELS_DOUBLE = TAG(0x7fe0, 0x0009),
	OFFSETS = TAG(0x7fe0, 0x0001),
	SHARED_GROUPS = TAG(0x5200, 0x9229),
	FRAME_GROUPS = TAG(0x5200, 0x9230),
	SYNTAX = TAG(0x0002, 0x0010),
	RECORDS = TAG(0x0004, 0x1220),
	RECORD_TYPE = TAG(0x0004, 0x1430),
	RECORD_FILE = TAG(0x0004, 0x1500),
	OURS = TAG(0x0009, 0x1001)
};

/** Returns whether a file without "DICM" begins like a DICOM data set. */
extern bool dicom_unmarked(const unsigned char *head, long n);

/** Returns whether a value representation (VR) has a length field of four bytes instead of two. */
extern bool dicom_has_long_length(const char *vr);

#endif
