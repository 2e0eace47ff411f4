#ifndef ITER_RECON_RECON_SPECTRUM_H
#define ITER_RECON_RECON_SPECTRUM_H

#include "ct/geometry/geom.h"
#include "ct/phantom/beam.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "nlops/nlop.h"

/** Options for --data polychromatic. */
struct spectrum_opts {
	const char *spectrum, *first, *second, *share; // NULL means not given
	double energy;                                 // [keV]; NAN means the mean energy of the spectrum
};

#define OPT_SPECTRUM(o)                                                                                      \
	OPT_INFILE(0, "spectrum", &(o)->spectrum, "FILE", "polychromatic: file of energy [keV] and weight"), \
	        OPT_INFILE(0, "attenuation", &(o)->first, "FILE",                                            \
	                "polychromatic: file of energy [keV] and attenuation [1/mm]"),                       \
	        OPT_DOUBLE(0, "energy", &(o)->energy, "KEV", 1e-3, 1e6,                                      \
	                "polychromatic: energy of the volume (default: the mean)"),                          \
	        OPT_INFILE(0, "material2", &(o)->second, "FILE",                                             \
	                "polychromatic: attenuation file of a second material"),                             \
	        OPT_ARRAY(0, "fraction", &(o)->share, "S",                                                   \
	                "polychromatic: fraction of the second material per voxel, 0 to 1")

/** A spectrum, and the fraction of each material in each voxel. */
struct recon_spectrum;

/** Reads the files of the options. `data` is the text of option --data. Returns NULL if the data model is not
 * polychromatic. Options that do not fit together are a usage_error(). A file that cannot be used is an
 * error() that names the file. */
extern struct recon_spectrum *recon_spectrum_create(const struct spectrum_opts *o, const char *data);
extern void recon_spectrum_free(struct recon_spectrum *s);

/** Converts the fraction of the second material to the type of the volume. A size that differs from the
 * volume is an error(), and so are values outside 0 to 1. */
extern void recon_spectrum_place(struct recon_spectrum *s, enum dtype type, const struct grid *grid);

/**
 * Returns the operator from volumes [1/mm at the energy E0] to counts:
 *
 *     F(x) = I0 sum_E w(E) exp(-sum_m mu_m(E) / mu_m(E0) A (s_m x))
 *
 * The weights w of the spectrum sum to 1. Material m has the attenuation mu_m and the fraction s_m in each
 * voxel. For volumes of another size than the fractions, all voxels consist of the first material.
 */
extern struct nlop *recon_spectrum_operator(const struct recon_spectrum *s, const struct linop *A, double I0);

/** Returns how many vectors of volume size the operator stores. */
extern long recon_spectrum_volumes(const struct recon_spectrum *s);

/** Returns how many vectors of projection size the operator stores. */
extern long recon_spectrum_projections(const struct recon_spectrum *s);

/** Appends the spectrum and the fractions to the text that identifies the run (recon_identity()). */
extern void recon_spectrum_describe(const struct recon_spectrum *s, struct str *text);

#endif
