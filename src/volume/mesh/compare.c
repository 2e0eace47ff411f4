#include "volume/mesh/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/plot/colormap.h"
#include "volume/mesh/distance.h"
#include "volume/mesh/mesh_read.h"
#include "volume/mesh/mesh_write.h"

/* Distances inside are blue, outside red; the range is symmetric and contains 99 % of the distances. */
static void write_colored(const char *path, const struct mesh *m, const double *d, double range)
{
	unsigned char(*rgb)[3] = mem_alloc((size_t)m->nv * sizeof *rgb);
	float *value = mem_alloc((size_t)m->nv * sizeof *value);

	for (long v = 0; v < m->nv; v++) {
		double color[3];

		colormap_color(CM_COOLWARM, range > 0. ? 0.5 + 0.5 * d[v] / range : 0.5, color);
		value[v] = (float)d[v];

		for (int i = 0; i < 3; i++)
			rgb[v][i] = (unsigned char)lrint(255. * color[i]);
	}

	mesh_write_colored(path, m, rgb, value, "distance");
	info("%s: colours from %.4g (blue, inside) to %.4g mm (red, outside)", path, -range, range);
	free(rgb);
	free(value);
}

static void print(long n, const struct distance_stats *s)
{
	printf("vertices %ld\nmean %.9g mm\nstd %.9g mm\nrms %.9g mm\nmin %.9g mm\nmax %.9g mm\n", n, s->mean,
	        s->std, s->rms, s->min, s->max);
	printf("p1 %.9g mm\np5 %.9g mm\np50 %.9g mm\np95 %.9g mm\np99 %.9g mm\n", s->percentile[0],
	        s->percentile[1], s->percentile[2], s->percentile[3], s->percentile[4]);
}

static struct mesh_tree *tree_of(const struct mesh *m, const char *name)
{
	if (m->nt > UINT32_MAX / 3)
		error("%s has %ld triangles, at most %u can be compared", name, m->nt, UINT32_MAX / 3);

	struct mesh_tree *t = mesh_tree_create(m);

	if (mesh_tree_open(t) > 0)
		warn("%s is not closed at %ld edges. Near these edges, the nearest triangle decides between "
		     "inside and outside",
		        name, mesh_tree_open(t));

	return t;
}

/* From the vertices of `from` to the surface of `to`: printed; the largest |distance|. */
static double one_way(
        const struct mesh *from, const struct mesh *to, const char *to_name, const char *colored)
{
	struct mesh_tree *t = tree_of(to, to_name);
	double *d = mem_alloc((size_t)from->nv * sizeof *d);
	struct distance_stats s;

	mesh_tree_distances(t, from->nv, (const float(*)[3])from->v, d);
	mesh_tree_free(t);
	distance_stats(&s, from->nv, d);

	if (!isfinite(s.far))
		error("%s: all triangles are degenerate", to_name);

	if (colored != NULL)
		write_colored(colored, from, d, s.far99);

	print(from->nv, &s);
	free(d);
	return s.far;
}

double mesh_compare(const char *a, const char *b, bool both, const char *colored)
{
	struct mesh from, to;

	mesh_read(&from, a);
	mesh_read(&to, b);

	if (both)
		printf("from %s to %s\n", a, b);

	double far = one_way(&from, &to, b, colored);

	if (both) {
		printf("from %s to %s\n", b, a);
		far = fmax(far, one_way(&to, &from, a, NULL));
		printf("hausdorff %.9g mm\n", far);
	}

	mesh_free(&from);
	mesh_free(&to);
	return far;
}
