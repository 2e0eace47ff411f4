#ifndef ITER_RECON_RECON_SCAN_H
#define ITER_RECON_RECON_SCAN_H

#include "ct/projector/mask.h"
#include "ct/projector/xray.h"

/** The scan as an operator: the X-ray transform of each frame of the unknown. Frames are all combinations of
 * channel and time. */
struct recon_scan {
	struct geom *const *g; // of channel c and time t: g[c % own[0] + own[0] * (t % own[1])]
	long own[2];           // channels and times with separate geometries; 1: all share one
	const struct grid *grid;
	enum xray_model model;
	enum dtype type;
	long channels, times;
	const struct mask *mask; // of every frame; NULL: none
};

extern long recon_scan_frames(const struct recon_scan *s);

/** How many views the sequence k, k + n, k + 2n, ... of the scan contains. */
extern long recon_scan_views(const struct recon_scan *s, long n, long k);

/** The transform of views k, k + n, k + 2n, ...: (x, y, z, channel, time) to (u, v, view, channel, time). */
extern struct linop *recon_scan_operator(const struct recon_scan *s, long n, long k);

#endif
