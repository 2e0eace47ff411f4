/* The order of names with numbers in them, and the ends of the colour maps. */

#include "check.h"

#include "misc/colormap.h"
#include "misc/natural.h"

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

int main(void)
{
	check_order();
	check_maps();

	return checks_failed > 0;
}
