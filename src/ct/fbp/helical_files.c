/* A helix from file to file, view by view. */

#include <math.h>
#include <stdlib.h>

#include "ct/fbp/fbp_files.h"

#include "ct/projector/xray.h"
#include "ct/stream/view_batches.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/progress.h"

static void warn_uncovered(const struct helical *h, const struct grid *grid)
{
	const double last = (double)(grid->size[2] - 1) * grid->spacing[2],
	             ends[2] = {grid->origin[2], grid->origin[2] + last};
	double z[2];

	helical_range(h, z);

	if (fmin(ends[0], ends[1]) < z[0] - 1e-9 || fmax(ends[0], ends[1]) > z[1] + 1e-9)
		warn("the helix covers slices from z = %g to %g mm, but the volume goes from %g to %g mm",
		        z[0], z[1], fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
}

/** A channel and time of the volume. */
struct adding {
	struct helical *h;
	const struct fbp_files *s;
	char *vol;
};

static void add_view(void *ctx, const struct view_batch *b)
{
	const struct adding *a = ctx;

	helical_view(a->h, b->in[0], a->s->grid, a->s->h->type, a->vol);
}

void fbp_files_helical(const struct fbp_files *s, const struct fbp_settings *set, enum helical_method method)
{
	const long size = s->g->cols * s->g->rows,
	           voxels = s->grid->size[0] * s->grid->size[1] * s->grid->size[2],
	           volumes = s->proj->count / (size * s->chosen->views);

	cfl_expect_real(s->proj);

	struct helical *h = helical_create(s->g, method, &set->filter, s->name);

	verbose("%s", helical_describe(h));
	warn_uncovered(h, s->grid);
	tool_needs(helical_memory(s->g), 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	char *vol = cfl_map_out(y);

	progress_start("fbp", volumes * s->g->views);

	for (long c = 0; c < volumes; c++) {
		char *part = vol + c * voxels * (long)dtype_size(s->h->type);

		view_batches_run(&(const struct view_batches){.in = s->proj,
		        .choice = s->chosen,
		        .first = c * s->g->views,
		        .count = s->g->views,
		        .per = 1,
		        .type = DT_FLOAT64,
		        .fn = add_view,
		        .ctx = &(struct adding){h, s, part}});
		helical_end(h, s->grid, s->h->type, part);
		xray_expect_finite(s->h->type, voxels, part, s->proj->name, "attenuations");
	}

	progress_end();
	helical_free(h);
	cfl_close(s->proj);
	cfl_close(y);
}
