#ifndef CORRECT_HARDEN_H
#define CORRECT_HARDEN_H

#include "ct/phantom/beam.h"

/**
 * Corrects beam hardening. Line integrals p measured with a spectrum are converted to line integrals at one
 * energy E0.
 *
 * The weights w(E) of the spectrum include the detector's response and sum to 1. For one material of
 * thickness t [mm] and attenuation mu(E) [1/mm], the measured line integral is p(t):
 *
 *     p(t) = -log sum_E w(E) exp(-mu(E) t)
 *
 * The corrected line integral is mu(E0) t [1]. For two materials, the thickness t2 of the second material
 * along each ray must be known. The thickness t2 comes from a first reconstruction. The thickness t1 of the
 * first material solves this equation:
 *
 *     p = -log sum_E w(E) exp(-mu1(E) t1 - mu2(E) t2)
 *
 * The corrected line integral is mu1(E0) t1 + mu2(E0) t2 [2].
 *
 * [1] G. T. Herman, Correction for beam hardening in computed tomography, Phys. Med. Biol. 24, 81 (1979).
 * [2] P. M. Joseph, R. D. Spital, A method for correcting bone induced artifacts in computed tomography
 * scanners, J. Comput. Assist. Tomogr. 2, 100 (1978).
 */

/** The table contains corrected line integrals for values of p, or for pairs (p, t2). Values between table
 * points are interpolated by cubic polynomials. Below p = -1 and above p = 20, the table is extrapolated
 * linearly. Interpolation errors are below 1e-6 times p. */
struct harden_table;

/** Creates a table for a spectrum and one or two materials. `longest` is the largest thickness t2 [mm],
 * or 0 for one material. Release the table with harden_table_free(). */
extern struct harden_table *harden_table_create(const struct beam *s, double longest);
extern void harden_table_free(struct harden_table *t);

/** Returns the corrected line integral for p and t2 [mm]. The thickness t2 is clamped to the range of the
 * table. */
extern double harden_table_value(const struct harden_table *t, double p, double t2);

/**
 * Fits a correction polynomial to the steps of a wedge. Step i of n has the thickness t[i] [mm] and the
 * line integral p[i]. The fitted thickness is the following polynomial:
 *
 *     sum over k = 1..degree of c[k-1] p^k
 *
 * After the fit, the coefficients are multiplied by `reference` [1/mm]. If `reference` is NAN, the factor
 * is 1 / c[0], and small line integrals do not change. Returns the largest difference between fitted and
 * given thickness [mm].
 *
 * Fewer steps than the degree are an error(). Too few different line integrals are also an error(). A
 * factor that is not positive is an error(), too.
 */
extern double harden_fit(
        long n, const double t[], const double p[], int degree, double reference, double c[]);

/** Returns the value at p of a polynomial from harden_fit(). */
extern double harden_polynomial(int degree, const double c[], double p);

#endif
