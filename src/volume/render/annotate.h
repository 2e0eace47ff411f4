#ifndef VOLUME_RENDER_ANNOTATE_H
#define VOLUME_RENDER_ANNOTATE_H

#include "volume/render/render.h"

/** Annotations drawn over a picture. */
struct render_notes {
	double scale_bar; // length [mm]; 0 means none
	bool axes;        // arrows along x, y, z
	bool color_bar;
	double range[2]; // of the colour bar
	void (*color)(const void *ctx, double value, double rgb[3]);
	const void *ctx;
	const char *unit;
	unsigned ink; // 0xRRGGBB
};

/** Draws annotations over a picture of camera c. `pixels` has three bytes per pixel. */
extern void render_annotate(
        unsigned char *pixels, const struct render_camera *c, const struct render_notes *n);

#endif
