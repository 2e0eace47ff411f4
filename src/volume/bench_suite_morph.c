/** Erosion by balls and boxes, of masks and of values, array to array. */

#include "volume/bench_mask.h"
#include "volume/morph_passes.h"

struct work {
	struct bench_mask m;
	struct morph morph;
	struct cfl file; // the type of the output
	void (*pass)(const struct morph_pass *p);
};

static void erode(void *ctx)
{
	struct work *w = ctx;
	const struct voxels_out out = {.data = (char *)w->m.out, .size = 1};
	const struct morph_pass p = {
	        .in = &w->m.in, .out = &out, .binary = w->morph.binary, .axes = 7, .m = &w->morph};

	w->pass(&p);
	w->m.sum = (double)((const unsigned char *)w->m.out)[w->m.in.each / 2];
}

static void bench_morph_run(struct bench *b, long size)
{
	struct work w;
	const struct {
		const char *name;
		struct morph morph;
		void (*pass)(const struct morph_pass *p);
	} cases[] = {
	        {"erosion of a mask, ball of radius 2", {.ball = true, .radius = 2., .binary = true},
	                morph_ball_bits},
	        {"erosion of a mask, ball of radius 10", {.ball = true, .radius = 10., .binary = true},
	                morph_ball_bits},
	        {"erosion of values, ball of radius 3", {.ball = true, .radius = 3.}, morph_ball_values},
	        {"erosion of values, box of 11^3", {.box = {5, 5, 5}}, morph_box},
	};

	if (!bench_mask_create(&w.m, b, size))
		return;

	bench_mask_balls(&w.m);

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		w.pass = cases[i].pass;
		w.morph = cases[i].morph;
		w.file = (struct cfl){.hdr = {.type = DT_UINT8}};
		w.morph.out = &w.file;

		for (int d = 0; d < 3; d++)
			w.morph.h[d] = 1.;

		bench_mask_case(&w.m, cases[i].name, 2., erode, &w);
	}

	bench_mask_free(&w.m);
}

const struct bench_suite bench_suite_morph = {
        .name = "morph",
        .about = "erosion of masks and of grey values by balls and boxes",
        .sizes = {128, 256},
        .run = bench_morph_run,
};
