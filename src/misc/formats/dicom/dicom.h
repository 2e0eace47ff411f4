#ifndef MISC_FORMATS_DICOM_DICOM_H
#define MISC_FORMATS_DICOM_DICOM_H

#include <stdbool.h>
#include <stddef.h>

struct codec;

/** Data of a DICOM file: pixels with one sample each, and their position. Missing numbers are NAN, missing
 * texts are empty. */
struct dicom {
	long rows, cols, frames;
	int samples, bits, stored; // bits allocated and stored
	int high;                  // the highest bit stored, -1 = stored - 1
	bool is_signed, big_endian;
	bool without_pixels;       // a report, a plan, a directory
	int floating;              // bytes of floating-point pixels, 0 = integers
	size_t offset, size;       // of the pixels in the file, or in `unpacked` [bytes]
	const struct codec *codec; // of compressed pixels, which lie there as items; NULL = plain
	bool pairs;                // 8-bit pixels in words of the other byte order
	unsigned char *unpacked;   // a deflated data set (malloc'd), else NULL
	size_t unpacked_size;
	struct {
		size_t at, length;
	} offsets;                          // extended table of the offsets of compressed frames
	double spacing[2];                  // along x and y [mm]
	double thickness, between;          // thickness and distance of slices [mm]
	double position[3], orientation[6]; // of the first frame [mm], cosines of x and y
	long places;                        // how many frames say where they lie
	double last[3], step[3];            // the last place, from the first to the second one [mm]
	bool uneven;                        // the other steps are not like that one
	long planes;                        // how many offsets along the normal a dose grid says
	double plane_step;                  // from the first to the second one [mm]
	double slope, intercept;
	bool mixed;           // they are not the same for all frames
	long number;          // of the instance
	char photometric[20]; // interpretation
	char modality[16], series[72], description[72], rescale_type[16];

	/* DICOM-CT-PD: projections of a helical scanner */
	bool projections, logarithm;          // minus the logarithm has been taken
	double angle;                         // of the focal centre [rad]
	double focal_z;                       // [mm]
	double focal_r;                       // focal centre to axis [mm]
	double distance;                      // focal spot to detector [mm]
	double pitch[2];                      // of detector columns and rows [mm]
	double center[2];                     // detector column and row, counted from 1, of the central ray
	double shift_angle, shift_z, shift_r; // of the flying focal spot
	long detector[2];                     // columns, rows
	char shape[24];                       // CYLINDRICAL, SPHERICAL, FLAT
};

/** Whether a file is a DICOM file: "DICM" after a preamble of any content. */
extern bool dicom_marked(const unsigned char *head, long n);

/** Parses the bytes of a file: NULL, or the error (malloc'd, without the file name). */
extern char *dicom_parse(struct dicom *d, const unsigned char *p, size_t n);
extern void dicom_free(struct dicom *d);

/** Like dicom_parse() for the file at `path`, but without pixels. error() naming the file if it cannot be
 * read or parsed. */
extern void dicom_read(struct dicom *d, const char *path);

/** Calls fn for every image listed in a DICOMDIR, with the path of the image, whose components are separated
 * by backslashes. Returns NULL, or the error text (malloc'd). */
extern char *dicom_references(
        const unsigned char *p, size_t n, void (*fn)(void *ctx, const char *components), void *ctx);

#endif
