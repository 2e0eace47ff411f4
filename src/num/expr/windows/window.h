#ifndef NUM_EXPR_WINDOWS_WINDOW_H
#define NUM_EXPR_WINDOWS_WINDOW_H

#include "num/expr/expr_tree.h"

/** Functions of neighbourhoods as terms: differences, windows, Gaussians. */

/** The largest offset, radius and sigma of a window [elements]. */
enum { EXPR_OFFSET_MAX = 1024, EXPR_RADIUS_MAX = 512, EXPR_SIGMA_MAX = 64 };

/** A box of 2 r + 1 elements along each dim, or the ellipsoid of these radii inside it. */
struct window {
	bool ball;
	long r[3]; // [elements]
};

/** Half the extent of the window along dim 0 at (y, z); -1: empty. */
extern long window_reach(const struct window *w, long y, long z);

/** The expression to which terms are added. */
struct window_builder {
	struct expr *e;
	struct expr_error *err;
	long column;
};

enum window_function { WINDOW_MEAN, WINDOW_MIN, WINDOW_MAX, WINDOW_STD, WINDOW_MEDIAN, WINDOW_FUNCTIONS };

/** The window function of this name; -1 if there is none. */
extern int window_parse(const char *name);
extern const char *window_name(enum window_function f);

/** The term of f over the window around each element of term a; -1 and *err on an error. STD is the standard
 * deviation of the population. */
extern int window_term(const struct window_builder *b, enum window_function f, int a, const struct window *w);

/** Convolution with Gaussians of standard deviations sigma [elements], truncated at 4 sigma. */
extern int window_gauss(const struct window_builder *b, int a, const double sigma[3]);

/** Bilateral filter [1]: mean with weights exp(-|o|^2 / 2 sigma^2 - (v[o] - v)^2 / 2 s^2) over offsets o up
 * to 2 sigma [elements] per dim. Term s is the standard deviation of values.
 *
 * [1] Tomasi, Manduchi: Bilateral filtering for gray and color images. ICCV (1998) */
extern int window_bilateral(const struct window_builder *b, int a, int s, const double sigma[3]);

/** Step of anisotropic diffusion [2]: sum of d exp(-(d / k)^2) over the differences d to the 6 neighbours. k
 * is a term.
 *
 * [2] Perona, Malik: Scale-space and edge detection using anisotropic diffusion. IEEE PAMI 12 (1990) */
extern int window_perona_malik(const struct window_builder *b, int a, int k);

/** Finite differences. window_difference() is the central difference along dim d [1/mm]. window_laplacian()
 * is the Laplacian [1/mm^2] from each element and its 6 neighbours. window_gradient() is the magnitude of the
 * gradient. */
extern int window_difference(const struct window_builder *b, int a, int d);
extern int window_laplacian(const struct window_builder *b, int a);
extern int window_gradient(const struct window_builder *b, int a);

/** Element i of the result is element i + shift of term a. */
extern int window_shift(const struct window_builder *b, int a, const long shift[3]);

#endif
