/** A small scan for self-tests of projectors, on GPUs and on OpenCL devices. */

#include "ct/projector/gpu/selftest_scan.h"

#include "ct/geometry/orbit.h"

struct selftest_scan selftest_scan(
        long side, long slices, long views, double lean, double radius, enum xray_model model)
{
	static const double angle[SELFTEST_SCAN_VIEWS] = {3., 75., 146., 220., 301.};
	const struct orbit o = {
	        .sod = 50., .sdd = 80., .radius = radius, .pitch = {1.6, 1.7}, .detector = {lean, 0., 0.}};
	const double corner = -.5 * (double)(side - 1);
	struct selftest_scan s = {
	        .g = orbit_geom(&o, views, angle, side * 10 / 7, (1 == slices) ? 1 : side * 6 / 7),
	        .grid = {.size = {side, side, slices},
	                .spacing = {1., 1., 1.1},
	                .origin = {corner, corner, -.55 * (double)(slices - 1)}}};

	s.x = xray_create(s.g, &s.grid, model);
	return s;
}

void selftest_scan_free(struct selftest_scan *s)
{
	xray_free(s->x);
	geom_free(s->g);
}
