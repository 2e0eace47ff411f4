#ifndef CT_PHANTOM_BEAM_H
#define CT_PHANTOM_BEAM_H

/** A spectrum and the attenuation of one or two materials at its energies. */
struct beam {
	long n;
	double *energy, *weight; // [keV]; weights sum to 1
	double *mu[2];           // [1/mm]; the second is NULL for one material
	double reference;        // E0 [keV]
	double mu0[2];           // at E0
};

/** Reads text files of two columns. `spectrum`: energy [keV] and weight. `first`, `second`: energy and
 * attenuation [1/mm]; the logarithm of the attenuation is interpolated linearly in the logarithm of the
 * energy. second NULL: one material. reference: energy [keV]; NAN: the mean energy of the spectrum. error()
 * naming the file if energies do not ascend, if values are negative, or if a table has no positive
 * attenuation at an energy of the spectrum. */
extern void beam_read(
        struct beam *s, const char *spectrum, const char *first, const char *second, double reference);
extern void beam_free(struct beam *s);

/** Polychromatic line integral p for lengths t1, t2 of the materials [mm], and dp/dt1 (NULL: not needed). */
extern double beam_line(const struct beam *s, double t1, double t2, double *slope);

#endif
