#ifndef CORRECT_HARDEN_H
#define CORRECT_HARDEN_H

#include "ct/phantom/beam.h"

/**
 * Beam hardening: line integrals p measured with a spectrum become those of one energy.
 *
 * Of one material with attenuation mu(E) [1/mm], behind t [mm] of it, with weights w(E) of the spectrum
 * (photons times the detector's response) that sum to 1,
 *     p(t) = -log sum_E w(E) exp(-mu(E) t),    wanted: mu(E0) t                                       [1]
 * Of two materials, when the length t2 of the second along each ray is known from a first reconstruction,
 * the equation p = -log sum_E w exp(-mu1 t1 - mu2 t2) is solved for t1, and mu1(E0) t1 + mu2(E0) t2 is
 * wanted [2].
 *
 * [1] G. T. Herman, Correction for beam hardening in computed tomography, Phys. Med. Biol. 24, 81 (1979).
 * [2] P. M. Joseph, R. D. Spital, A method for correcting bone induced artifacts in computed tomography
 * scanners, J. Comput. Assist. Tomogr. 2, 100 (1978).
 */

/** Wanted line integrals as a table over p, and over t2 where there are two materials; between the knots
 * cubic. Beyond the last p (20) and below p = -1 it goes on as a straight line. Errors below 1e-6 of p. */
struct harden_table;

/** longest: the largest t2 there is [mm]; 0 for one material. error() where t2 alone absorbs everything. */
extern struct harden_table *harden_table_create(const struct beam *s, double longest);
extern void harden_table_free(struct harden_table *t);
extern double harden_table_value(const struct harden_table *t, double p, double t2);

/** The polynomial sum over k = 1..degree of c[k-1] p^k that is nearest (least squares) to the thickness t
 * [mm] of n steps of a wedge with line integrals p; then times `reference` [1/mm], or where that is NAN by 1
 * / c[0], so that thin parts stay as they are. Returns the largest deviation from the steps [mm]. error()
 * when there are fewer steps than degrees. */
extern double harden_fit(
        long n, const double t[], const double p[], int degree, double reference, double c[]);

/** The polynomial's value. */
extern double harden_polynomial(int degree, const double c[], double p);

#endif
