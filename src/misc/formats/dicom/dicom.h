#ifndef MISC_FORMATS_DICOM_DICOM_H
#define MISC_FORMATS_DICOM_DICOM_H

#include <stdbool.h>
#include <stddef.h>

struct codec;

/** Contents of a DICOM file. Missing floating-point numbers are NAN, and missing texts are empty. */
struct dicom {
	long rows, cols, frames;
	int samples, bits, stored; // samples per pixel, bits allocated, bits stored
	int high;                  // highest bit used; -1 means stored - 1
	bool is_signed, big_endian;
	bool without_pixels;       // such as a report
	int floating;              // bytes of a floating-point pixel, 0 for integers
	size_t offset, size;       // of the pixels in the file or in `unpacked` [bytes]
	const struct codec *codec; // codec of compressed pixels, or NULL
	bool pairs;                // bytes of 8-bit pixels are swapped in pairs
	unsigned char *unpacked;   // decompressed data set (malloc'd), or NULL
	size_t unpacked_size;
	struct {
		size_t at, length;
	} offsets;                          // position and size of the extended offset table [bytes]
	double spacing[2];                  // along x and y [mm]
	double thickness, between;          // slice thickness and slice distance [mm]
	double position[3], orientation[6]; // of the first frame [mm]; direction cosines of x and y
	long places;                        // number of frames with a position
	double last[3], step[3];            // last position, step from the first to the second [mm]
	bool uneven;                        // frames or dose planes are unevenly spaced
	long planes;                        // number of planes of a dose grid
	double plane_step;                  // from the first dose plane to the second [mm]
	double slope, intercept;
	bool mixed;           // slope or intercept differs between frames
	long number;          // instance number
	char photometric[20]; // photometric interpretation
	char modality[16], series[72], description[72], rescale_type[16];

	/* DICOM-CT-PD: projections of a helical scanner */
	bool projections, logarithm;          // logarithm: the pixels are line integrals
	double angle;                         // of the focal centre [rad]
	double focal_z;                       // of the focal centre [mm]
	double focal_r;                       // distance from focal centre to axis [mm]
	double distance;                      // distance from focal spot to detector [mm]
	double pitch[2];                      // of detector columns and rows [mm]
	double center[2];                     // column and row of the central ray, counted from 1
	double shift_angle, shift_z, shift_r; // of the flying focal spot, 0 if missing
	long detector[2];                     // number of columns and rows
	char shape[24];                       // CYLINDRICAL, SPHERICAL, FLAT
};

/** Returns whether "DICM" follows the preamble of a file. `head` contains the first n bytes. */
extern bool dicom_marked(const unsigned char *head, long n);

/** Parses the n bytes of a DICOM file. Returns NULL, or an error text without the file name (malloc'd). The
 * caller calls dicom_free(), also after an error. */
extern char *dicom_parse(struct dicom *d, const unsigned char *p, size_t n);
extern void dicom_free(struct dicom *d);

/** Reads all data except the pixels from the file `path`. A file that cannot be read or parsed is an error().
 * The caller must not call dicom_free(). */
extern void dicom_read(struct dicom *d, const char *path);

/** Calls fn() for every image listed in a DICOMDIR file. `components` is the path of the image, with
 * backslashes between folders. Returns NULL or an error text (malloc'd). */
extern char *dicom_references(
        const unsigned char *p, size_t n, void (*fn)(void *ctx, const char *components), void *ctx);

#endif
