/* Colour maps. The tables are our own samples of the maps with these names: viridis, magma and inferno are
 * perceptually uniform with increasing lightness, coolwarm has a neutral middle, the others are the piecewise
 * linear classics. */

#include "misc/plot/colormap.h"

#include <assert.h>

enum { ANCHORS = 10 };

struct table {
	int n;
	unsigned char rgb[ANCHORS][3];
};

static const struct table tables[CM_COUNT] = {
        [CM_GRAY] = {2, {{0, 0, 0}, {255, 255, 255}}},
        [CM_VIRIDIS] = {10,
                {{68, 1, 84}, {72, 40, 120}, {62, 74, 137}, {49, 104, 142}, {38, 130, 142}, {31, 158, 137},
                        {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}}},
        [CM_MAGMA] = {10,
                {{0, 0, 4}, {24, 15, 62}, {69, 16, 119}, {114, 31, 129}, {159, 47, 127}, {205, 64, 113},
                        {241, 96, 93}, {253, 149, 103}, {254, 202, 141}, {252, 253, 191}}},
        [CM_INFERNO] = {10,
                {{0, 0, 4}, {27, 12, 65}, {75, 12, 107}, {120, 28, 109}, {165, 44, 96}, {207, 68, 70},
                        {237, 105, 37}, {251, 154, 6}, {247, 208, 60}, {252, 255, 164}}},
        [CM_HOT] = {9, {{10, 0, 0}, {95, 0, 0}, {180, 0, 0}, {255, 10, 0}, {255, 95, 0}, {255, 180, 0},
                               {255, 255, 16}, {255, 255, 136}, {255, 255, 255}}},
        [CM_BONE] = {9, {{0, 0, 0}, {28, 28, 39}, {56, 56, 78}, {84, 84, 117}, {112, 123, 144},
                                {139, 162, 172}, {167, 199, 199}, {211, 227, 227}, {255, 255, 255}}},
        [CM_JET] = {9, {{0, 0, 128}, {0, 0, 255}, {0, 128, 255}, {0, 255, 255}, {128, 255, 128},
                               {255, 255, 0}, {255, 128, 0}, {255, 0, 0}, {128, 0, 0}}},
        [CM_COOLWARM] = {7, {{59, 76, 192}, {111, 145, 242}, {170, 199, 253}, {221, 221, 221},
                                    {247, 184, 156}, {230, 116, 91}, {180, 4, 38}}},
};

void colormap_color(enum colormap map, double t, double rgb[3])
{
	assert(map < CM_COUNT);

	const struct table *m = &tables[map];
	double x = (t > 0. ? (t < 1. ? t : 1.) : 0.) * (m->n - 1);
	int i = (int)x;

	if (i > m->n - 2)
		i = m->n - 2;

	for (int c = 0; c < 3; c++)
		rgb[c] = ((1. - (x - i)) * m->rgb[i][c] + (x - i) * m->rgb[i + 1][c]) / 255.;
}
