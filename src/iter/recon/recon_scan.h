#ifndef ITER_RECON_RECON_SCAN_H
#define ITER_RECON_RECON_SCAN_H

#include "ct/projector/mask.h"
#include "ct/projector/xray.h"

/** A scan with one X-ray transform for each frame of the unknown. A frame is a volume at one channel and one
 * time. */
struct recon_scan {
	struct geom *const *g; // channel c and time t use g[c % own[0] + own[0] * (t % own[1])]
	long own[2];           // numbers of channels and times with separate geometries; 1 means shared
	const struct grid *grid;
	enum xray_model model;
	enum dtype type;
	long channels, times;
	const struct mask *mask; // of every frame; NULL means none
};

/** Returns the number of frames (`channels * times`). */
extern long recon_scan_frames(const struct recon_scan *s);

/** Returns how many views v of the scan have `v % n == k`. */
extern long recon_scan_views(const struct recon_scan *s, long n, long k);

/** Returns the X-ray transform of the views v with `v % n == k`. The transform maps (x, y, z, channel, time)
 * to (column, row, view, channel, time). */
extern struct linop *recon_scan_operator(const struct recon_scan *s, long n, long k);

#endif
