#ifndef CT_EXCHANGE_EXCHANGE_H
#define CT_EXCHANGE_EXCHANGE_H

#include "ct/geometry/geom.h"
#include "misc/formats/names.h"

/** Reads and writes geometries in the formats of other packages. The conventions of the packages are
 * listed in doc/geometry-forms.md. If a format cannot describe a geometry, writing is an error() that
 * states the reason. */
#define EXCHANGE_FORMS                                                                                       \
	"astra|astra-plain|parallel_vec|fanflat_vec|parallel3d_vec|cone_vec|tigre|rtk|cil|leap|leap-"        \
	"modular|matrix"
#define EXCHANGE_READ_ONLY "nikon|skyscan|dicom"
enum exchange_form {
	EXCHANGE_ASTRA,        // dictionary of astra.create_proj_geom(); written with vectors
	EXCHANGE_ASTRA_PLAIN,  // the same dictionary; written as parallel, fanflat, parallel3d or cone
	EXCHANGE_PARALLEL_VEC, // table of ASTRA's vectors, one view per line
	EXCHANGE_FANFLAT_VEC,
	EXCHANGE_PARALLEL3D_VEC,
	EXCHANGE_CONE_VEC,
	EXCHANGE_TIGRE,        // attributes of tigre.geometry(), and the angles
	EXCHANGE_RTK,          // ThreeDCircularProjectionGeometry XML
	EXCHANGE_CIL,          // Python expression that creates an AcquisitionGeometry
	EXCHANGE_LEAP,         // LEAP's parameter file; written as the simplest geometry that suffices
	EXCHANGE_LEAP_MODULAR, // LEAP's parameter file; written as modular beam
	EXCHANGE_MATRIX,       // projection matrices, 3 x 4 numbers per view
	EXCHANGE_NIKON,        // Nikon's .xtekct file, read only
	EXCHANGE_SKYSCAN,      // Bruker's .log file, read only
	EXCHANGE_DICOM         // DICOM-CT-PD projections, read only, by exchange_read_dicom()
};

/** Hints give the detector size and pitch if the format does not contain them. */
struct exchange_hints {
	long cols, rows; // 0 means unknown
	double pitch[2]; // [mm]; 0 means unknown
};

/** Reads a geometry from the file `path`. The flag *has_volume tells whether the file describes a volume.
 * In that case, *volume is the grid of the volume. A missing or implausible value is an error() naming
 * file and key. */
extern struct geom *exchange_read(enum exchange_form form, const char *path,
        const struct exchange_hints *hints, struct grid *volume, bool *has_volume);

/** Reads the geometry of DICOM-CT-PD projections, with one view per file. The source may be shifted, and
 * the detector may be curved. Sorts `files` into the order in which `gantry import` stacks them. A
 * missing element is an error() naming file and element. A detector that changes between files is an
 * error(), too. */
extern struct geom *exchange_read_dicom(int n, struct named_file files[]);

/** Writes the geometry g to the file `path`. The path "-" means standard output. `name` is the name of
 * the geometry in messages. The formats of TIGRE and LEAP also contain the grid `volume`. */
extern void exchange_write(enum exchange_form form, const char *path, const struct geom *g, const char *name,
        const struct grid *volume);

#endif
