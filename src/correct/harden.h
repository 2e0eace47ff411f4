#ifndef CORRECT_HARDEN_H
#define CORRECT_HARDEN_H

#include "ct/phantom/beam.h"

/**
 * Beam hardening correction: converts line integrals p, measured with a spectrum, to monochromatic line
 * integrals.
 *
 * The weights w(E) of the spectrum are photons times the detector's response, and sum to 1. One material with
 * thickness t [mm] and attenuation mu(E) [1/mm] has the measured line integral p(t) = -log sum_E w(E)
 * exp(-mu(E) t). The result is mu(E0) t [1]. For two materials, the length t2 of the second material along
 * each ray is known from a first reconstruction. The equation p = -log sum_E w exp(-mu1 t1 - mu2 t2) is
 * solved for t1; the result is mu1(E0) t1 + mu2(E0) t2 [2].
 *
 * [1] G. T. Herman, Correction for beam hardening in computed tomography, Phys. Med. Biol. 24, 81 (1979).
 * [2] P. M. Joseph, R. D. Spital, A method for correcting bone induced artifacts in computed tomography
 * scanners, J. Comput. Assist. Tomogr. 2, 100 (1978).
 */

/** Monochromatic line integrals as a table over p, and over t2 for two materials; cubic between the knots.
 * Beyond the last p (20) and below p = -1 the table is extrapolated linearly. Errors are below 1e-6 of p. */
struct harden_table;

/** longest: the largest t2 [mm]; 0 for one material. error() if the second material alone absorbs all
 * photons. */
extern struct harden_table *harden_table_create(const struct beam *s, double longest);
extern void harden_table_free(struct harden_table *t);
extern double harden_table_value(const struct harden_table *t, double p, double t2);

/** Fits the polynomial sum over k = 1..degree of c[k-1] p^k by least squares to the thickness t [mm] of n
 * steps of a wedge with line integrals p. The polynomial is then multiplied by `reference` [1/mm], or by 1 /
 * c[0] if reference is NAN. With 1 / c[0], line integrals of thin parts do not change. Returns the
 * largest deviation from the steps [mm]. error() if there are fewer steps than the degree. */
extern double harden_fit(
        long n, const double t[], const double p[], int degree, double reference, double c[]);

/** The polynomial's value. */
extern double harden_polynomial(int degree, const double c[], double p);

#endif
