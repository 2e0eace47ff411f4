/* A helix from file to file, view by view. */

#include <math.h>
#include <stdlib.h>

#include "ct/fbp/fbp_files.h"

#include "ct/projector/xray.h"
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

void fbp_files_helical(const struct fbp_files *s, const struct fbp_settings *set, enum helical_method method)
{
	const long size = s->g->cols * s->g->rows,
	           voxels = s->grid->size[0] * s->grid->size[1] * s->grid->size[2],
	           volumes = s->proj->count / (size * s->chosen.views);

	struct fbp_views chosen = s->chosen;

	cfl_expect_real(s->proj);

	struct helical *h = helical_create(s->g, method, &set->filter, s->name);

	verbose("%s", helical_describe(h));
	warn_uncovered(h, s->grid);
	tool_needs(helical_memory(s->g), 0.);

	struct cfl *y = cfl_create(s->out, s->h);
	char *vol = cfl_map_out(y);
	double *p = mem_alloc((size_t)size * sizeof *p);
	void *in[2] = {p, NULL};

	progress_start("fbp", volumes * s->g->views);

	for (long c = 0; c < volumes; c++) {
		char *part = vol + c * voxels * (long)dtype_size(s->h->type);

		for (long k = 0; k < s->g->views; k++) {
			fbp_views_take(&chosen, s->proj, DT_FLOAT64, size, c, k, 1, in);
			helical_view(h, p, s->grid, s->h->type, part);
			progress_update(c * s->g->views + k + 1);
		}

		helical_end(h, s->grid, s->h->type, part);
		xray_expect_finite(s->h->type, voxels, part, s->proj->name, "attenuations");
	}

	progress_end();
	free(p);
	helical_free(h);
	cfl_close(s->proj);
	cfl_close(y);
}
