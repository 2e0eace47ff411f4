#ifndef NUM_EXPR_WINDOWS_WINDOW_H
#define NUM_EXPR_WINDOWS_WINDOW_H

#include "num/expr/expr_tree.h"

/** These functions create neighbourhood terms: differences, windows, Gaussians. Each function returns the new
 * term's number, or sets *err and returns -1. */

/** Largest offset, radius and sigma of a window [elements]. */
enum { EXPR_OFFSET_MAX = 1024, EXPR_RADIUS_MAX = 512, EXPR_SIGMA_MAX = 64 };

/** Box of 2 r + 1 elements along each dim, or the ellipsoid with radii r. */
struct window {
	bool ball;
	long r[3]; // [elements]
};

/** Returns half the extent of the window along dim 0 at offset (y, z). Returns -1 where the window is
 * empty. */
extern long window_reach(const struct window *w, long y, long z);

/** Expression to which terms are added. */
struct window_builder {
	struct expr *e;
	struct expr_error *err;
	long column;
};

enum window_function { WINDOW_MEAN, WINDOW_MIN, WINDOW_MAX, WINDOW_STD, WINDOW_MEDIAN, WINDOW_FUNCTIONS };

/** Returns the window function of a name, or -1 for an unknown name. */
extern int window_parse(const char *name);
extern const char *window_name(enum window_function f);

/** Applies f to the window around each element of term a. WINDOW_STD is the population standard deviation. */
extern int window_term(const struct window_builder *b, enum window_function f, int a, const struct window *w);

/** Convolves term a with Gaussians of standard deviations sigma [elements]. The Gaussians are truncated at
 * 4 sigma. */
extern int window_gauss(const struct window_builder *b, int a, const double sigma[3]);

/** Bilateral filter [1]. The result is the weighted mean over offsets o up to 2 sigma [elements] per dim.
 * Term s is the standard deviation of the values v. The weights are:
 *     exp(-|o|^2 / 2 sigma^2 - (v[o] - v)^2 / 2 s^2)
 *
 * [1] Tomasi, Manduchi, Bilateral filtering for gray and color images, ICCV (1998) */
extern int window_bilateral(const struct window_builder *b, int a, int s, const double sigma[3]);

/** Step of anisotropic diffusion [2]. The result is the sum of `d exp(-(d / k)^2)` over the 6 neighbours. `d`
 * is the neighbour minus the element; `k` is a term.
 *
 * [2] Perona, Malik, Scale-space and edge detection using anisotropic diffusion, IEEE PAMI 12 (1990) */
extern int window_perona_malik(const struct window_builder *b, int a, int k);

/** Finite differences:
 * - window_difference() is the central difference along dim d [1/mm].
 * - window_laplacian() is the Laplacian from an element and its 6 neighbours [1/mm^2].
 * - window_gradient() is the magnitude of the gradient [1/mm]. */
extern int window_difference(const struct window_builder *b, int a, int d);
extern int window_laplacian(const struct window_builder *b, int a);
extern int window_gradient(const struct window_builder *b, int a);

/** Shifts term `a`: element i of the result is element `i + shift` of `a`. */
extern int window_shift(const struct window_builder *b, int a, const long shift[3]);

#endif
