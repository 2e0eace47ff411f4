#ifndef CT_PHANTOM_BEAM_H
#define CT_PHANTOM_BEAM_H

/** An X-ray spectrum, and the attenuation of one or two materials at the energies of the spectrum. */
struct beam {
	long n;                  // number of energies
	double *energy, *weight; // energies [keV], and weights that sum to 1
	double *mu[2];           // attenuation of the materials [1/mm]; mu[1] is NULL for one material
	double reference;        // reference energy E0 [keV]
	double mu0[2];           // attenuation at E0 [1/mm]
};

/** Reads a spectrum and the attenuation of one or two materials from text files with two columns. `spectrum`
 * contains energy [keV] and weight. `first` and `second` contain energy [keV] and attenuation [1/mm] of a
 * material. `second` may be NULL. The logarithm of the attenuation is interpolated linearly in the logarithm
 * of the energy. `reference` is an energy [keV]; NAN means the mean energy of the spectrum. Energies must
 * ascend, and values must not be negative. The attenuation must be positive at every energy of the spectrum.
 * An invalid file is an error() naming the file. */
extern void beam_read(
        struct beam *s, const char *spectrum, const char *first, const char *second, double reference);
extern void beam_free(struct beam *s);

/** Returns the polychromatic line integral p for lengths t1 and t2 of the materials [mm]. `*slope` becomes
 * dp/dt1; `slope` may be NULL. */
extern double beam_line(const struct beam *s, double t1, double t2, double *slope);

#endif
