#ifndef CT_EXCHANGE_EXCHANGE_H
#define CT_EXCHANGE_EXCHANGE_H

#include "ct/geometry/geom.h"
#include "misc/formats/names.h"

/**
 * Geometries in the formats of other packages (doc/geometry-forms.md has the table of their conventions).
 * Reading converts a text into a geometry. Writing converts a geometry into a text; error() with the reason
 * if the format cannot describe the geometry.
 */
#define EXCHANGE_FORMS                                                                                       \
	"astra|astra-plain|parallel_vec|fanflat_vec|parallel3d_vec|cone_vec|tigre|rtk|cil|leap|leap-"        \
	"modular|matrix"
#define EXCHANGE_READ_ONLY "nikon|skyscan|dicom"
enum exchange_form {
	EXCHANGE_ASTRA,        // the dictionary of astra.create_proj_geom, any type; written as vectors
	EXCHANGE_ASTRA_PLAIN,  // the same, written as parallel, fanflat, parallel3d or cone
	EXCHANGE_PARALLEL_VEC, // ASTRA's vectors as a table, one view per line
	EXCHANGE_FANFLAT_VEC,
	EXCHANGE_PARALLEL3D_VEC,
	EXCHANGE_CONE_VEC,
	EXCHANGE_TIGRE, // attributes of tigre.geometry() and the angles
	EXCHANGE_RTK,   // ThreeDCircularProjectionGeometry XML
	EXCHANGE_CIL,   // the Python expression that makes an AcquisitionGeometry
	EXCHANGE_LEAP,  // LEAP's parameter file; written in the simplest of its geometries that says it
	EXCHANGE_LEAP_MODULAR, // the same, as modular beam
	EXCHANGE_MATRIX,       // projection matrices, 3 x 4 numbers per view
	EXCHANGE_NIKON,        // .xtekct, read only
	EXCHANGE_SKYSCAN,      // Bruker's .log, read only
	EXCHANGE_DICOM         // DICOM-CT-PD projections, read only: exchange_read_dicom()
};

/** Detector size and pitch, for formats that do not contain them. */
struct exchange_hints {
	long cols, rows; // 0 = unknown
	double pitch[2]; // [mm], 0 = unknown
};

/** Reads a file. *has_volume: whether the file describes a volume; *volume: the grid of this volume. error()
 * naming file and key if a value is missing or implausible. */
extern struct geom *exchange_read(enum exchange_form form, const char *path,
        const struct exchange_hints *hints, struct grid *volume, bool *has_volume);

/** Reads the geometry of DICOM-CT-PD projections, one view per file; the source may be shifted, and the
 * detector curved. Sorts `files` into the order in which `gantry import` stacks them. error() naming file and
 * element if an element is missing, or if the detector differs from that of the first file. */
extern struct geom *exchange_read_dicom(int n, struct named_file files[]);

/** Writes g, read from the array `name`, to the file `path` ("-": standard output). The formats of TIGRE and
 * LEAP also contain the grid `volume`. */
extern void exchange_write(enum exchange_form form, const char *path, const struct geom *g, const char *name,
        const struct grid *volume);

#endif
