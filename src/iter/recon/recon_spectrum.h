#ifndef ITER_RECON_RECON_SPECTRUM_H
#define ITER_RECON_RECON_SPECTRUM_H

#include "ct/geometry/geom.h"
#include "ct/phantom/beam.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "nlops/nlop.h"

/** Information on beam and object for --data polychromatic. */
struct spectrum_opts {
	const char *spectrum, *first, *second, *share; // NULL: not given
	double energy;                                 // [keV]; NAN: the mean of the spectrum
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

/** A spectrum, and the distribution of materials in the volume. */
struct recon_spectrum;

/** Checks the options against --data (NULL: l2) and reads the files of the options; NULL unless --data is
 * polychromatic. usage_error() if the options do not fit together, error() naming the file. */
extern struct recon_spectrum *recon_spectrum_create(const struct spectrum_opts *o, const char *data);
extern void recon_spectrum_free(struct recon_spectrum *s);

/** Converts the fraction of the second material to the type of the volume; error() if its dims differ from
 * those of the volume, or for values outside 0..1.
 */
extern void recon_spectrum_place(struct recon_spectrum *s, enum dtype type, const struct grid *grid);

/**
 * The operator from volumes [1/mm at the energy E0] to counts, F(x) = I0 sum_E w(E) exp(-sum_m mu_m(E) /
 * mu_m(E0) A (s_m x)). The weights w sum to 1. mu_m is the attenuation of material m, s_m its fraction in
 * each voxel. Volumes whose size differs from that in recon_spectrum_place() consist only of the first
 * material.
 */
extern struct nlop *recon_spectrum_operator(const struct recon_spectrum *s, const struct linop *A, double I0);

/** Numbers of vectors that the operator stores: those of the size of the volume, and those of the size of the
 * projections. */
extern long recon_spectrum_volumes(const struct recon_spectrum *s);
extern long recon_spectrum_projections(const struct recon_spectrum *s);

/** Appends the identification of the spectrum to the text that identifies the run. */
extern void recon_spectrum_describe(const struct recon_spectrum *s, struct str *text);

#endif
