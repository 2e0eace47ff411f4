/* The order of names with numbers in them, and the ends of the colour maps. */

#include <math.h>

#include "check.h"

#include "misc/natural.h"
#include "misc/plot/colormap.h"

static int sign(int c)
{
	return (c > 0) - (c < 0);
}

static void check_order(void)
{
	static const char *const sorted[] = {"", "1", "2", "10", "a", "a1b2", "a1b10", "a2", "a02b", "b",
	        "raw_00009.tif", "raw_00010.tif", "raw_99999999999999999999999999.tif",
	        "raw_100000000000000000000000000.tif", "s-1", "s-2"};
	enum { N = sizeof sorted / sizeof sorted[0] };
	const char *names[N];

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			int c = sign(natural_compare(sorted[i], sorted[j]));

			if (c != sign(i - j))
				check(false, "natural order: '%s' and '%s' compare as %d", sorted[i],
				        sorted[j], c);
		}

	for (int i = 0; i < N; i++)
		names[i] = sorted[i * 7 % N];

	natural_sort(N, names);
	check(!memcmp(names, sorted, sizeof names), "natural order: sorting");
	check(natural_compare("x01", "x1") != 0 &&
	                natural_compare("x01", "x1") == -natural_compare("x1", "x01"),
	        "natural order: equal numbers, other names");
}

static void check_maps(void)
{
	for (int m = 0; m < CM_COUNT; m++) {
		double lo[3], hi[3], below[3], above[3];

		colormap_color((enum colormap)m, 0., lo);
		colormap_color((enum colormap)m, 1., hi);
		colormap_color((enum colormap)m, -3., below);
		colormap_color((enum colormap)m, 7., above);
		check(!memcmp(lo, below, sizeof lo) && !memcmp(hi, above, sizeof hi),
		        "colour map %d: clamped at its ends", m);

		double step = 0., last[3];
		bool inside = true;

		memcpy(last, lo, sizeof last);

		for (int i = 1; i <= 1000; i++) {
			double c[3];

			colormap_color((enum colormap)m, i / 1000., c);

			for (int k = 0; k < 3; k++) {
				double d = c[k] > last[k] ? c[k] - last[k] : last[k] - c[k];

				step = d > step ? d : step;
				inside = inside && c[k] >= 0. && c[k] <= 1.;
				last[k] = c[k];
			}
		}

		check(inside && step < 0.006, "colour map %d: inside [0, 1], without jumps", m);
	}
}

/* CIE lightness of a colour of sRGB, 0 .. 100. */
static double lightness(const double rgb[3])
{
	static const double weight[] = {0.2126, 0.7152, 0.0722};
	double y = 0.;

	for (int k = 0; k < 3; k++)
		y += weight[k] * (rgb[k] <= 0.04045 ? rgb[k] / 12.92 : pow((rgb[k] + 0.055) / 1.055, 2.4));

	return y > 216. / 24389. ? 116. * cbrt(y) - 16. : y * 24389. / 27.;
}

/* Maps that are perceptually even: lightness rises, nearly on a straight line. */
static void check_lightness(void)
{
	static const enum colormap even[] = {CM_VIRIDIS, CM_MAGMA, CM_INFERNO};

	for (size_t m = 0; m < sizeof even / sizeof *even; m++) {
		double ends[2], off = 0., last = -1.;
		bool rising = true;

		for (int k = 0; k < 2; k++) {
			double c[3];

			colormap_color(even[m], k, c);
			ends[k] = lightness(c);
		}

		for (int i = 0; i <= 200; i++) {
			double c[3];

			colormap_color(even[m], i / 200., c);
			rising = rising && lightness(c) > last;
			last = lightness(c);
			off = fmax(off, fabs(last - ends[0] - (ends[1] - ends[0]) * i / 200.));
		}

		check(ends[0] < 16. && ends[1] > 90. && rising && off < (CM_VIRIDIS == even[m] ? 2. : 6.),
		        "colour map %d: even, to %.2f of 100", even[m], off);
	}
}

/* Colours that everybody knows these maps by. */
static void check_colours(void)
{
	static const struct {
		enum colormap map;
		double t;
		int rgb[3], within;
	} all[] = {{CM_GRAY, 0.5, {128, 128, 128}, 1}, {CM_VIRIDIS, 0., {68, 1, 84}, 1},
	        {CM_VIRIDIS, 0.25, {59, 82, 139}, 3}, {CM_VIRIDIS, 0.5, {33, 145, 140}, 3},
	        {CM_VIRIDIS, 0.75, {94, 201, 98}, 3}, {CM_VIRIDIS, 1., {253, 231, 37}, 1},
	        {CM_MAGMA, 0.25, {81, 18, 124}, 3}, {CM_MAGMA, 0.5, {183, 55, 121}, 3},
	        {CM_MAGMA, 0.75, {252, 137, 97}, 5}, {CM_MAGMA, 1., {252, 253, 191}, 1},
	        {CM_INFERNO, 0.25, {87, 16, 110}, 3}, {CM_INFERNO, 0.5, {188, 55, 84}, 3},
	        {CM_INFERNO, 0.75, {249, 142, 9}, 5}, {CM_INFERNO, 1., {252, 255, 164}, 1},
	        {CM_COOLWARM, 0., {59, 76, 192}, 1}, {CM_COOLWARM, 0.5, {221, 221, 221}, 1},
	        {CM_COOLWARM, 1., {180, 4, 38}, 1}, {CM_COOLWARM, 0.25, {141, 176, 254}, 8},
	        {CM_COOLWARM, 0.75, {244, 153, 122}, 8}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		double c[3], off = 0.;

		colormap_color(all[i].map, all[i].t, c);

		for (int k = 0; k < 3; k++)
			off = fmax(off, fabs(255. * c[k] - all[i].rgb[k]));

		check(off <= all[i].within, "colour map %d at %g: off by %.1f", all[i].map, all[i].t, off);
	}
}

/* The piecewise linear classics, from their corners. */
static void check_classics(void)
{
	double off[3] = {0};

	for (int i = 0; i <= 80; i++) {
		const double t = i / 80.;
		double c[3];
		const double jet[3] = {1.5 - fabs(4. * t - 3.), 1.5 - fabs(4. * t - 2.),
		        1.5 - fabs(4. * t - 1.)},
		             hot[3] = {0.0416 + 0.9584 * t / 0.365, (t - 0.365) / 0.381, (t - 0.746) / 0.254};

		colormap_color(CM_JET, t, c);

		for (int k = 0; k < 3; k++)
			off[0] = fmax(off[0], fabs(c[k] - fmin(fmax(jet[k], 0.), 1.)));

		colormap_color(CM_HOT, t, c);

		for (int k = 0; k < 3; k++)
			off[1] = fmax(off[1], fabs(c[k] - fmin(fmax(hot[k], 0.), 1.)));

		// grey with an eighth of hot, its red and blue exchanged
		colormap_color(CM_BONE, t, c);

		for (int k = 0; k < 3; k++)
			off[2] = fmax(off[2], fabs(c[k] - (7. * t + fmin(fmax(hot[2 - k], 0.), 1.)) / 8.));
	}

	check(off[0] < 0.005, "jet: off by %.3f", off[0]);
	check(off[1] < 0.07, "hot: off by %.3f", off[1]);
	check(off[2] < 0.02, "bone: off by %.3f", off[2]);
}

int main(void)
{
	check_order();
	check_maps();
	check_lightness();
	check_colours();
	check_classics();

	return checks_failed > 0;
}
