/** Surfaces of volumes as triangle meshes. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/cfl.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/names.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "num/stat/region_stats.h"
#include "volume/mesh/isosurface.h"
#include "volume/mesh/mesh_write.h"
#include "volume/otsu.h"

int main_mesh(int argc, char *argv[]);

struct settings {
	const char *iso;
	bool labels;
	const char *out;
};

/* Where the surface had to be closed. */
static void tell_border(const struct isosurface *s, const char *name)
{
	static const char *const ends[] = {"low x", "high x", "low y", "high y", "low z", "high z"};
	struct str list = {0};

	for (int i = 0; i < 6; i++)
		if (s->border >> i & 1)
			str_printf(&list, "%s%s", list.len > 0 ? ", " : "", ends[i]);

	if (list.len > 0)
		info("the surface reaches the border of %s (%s) and is closed there", name, list.data);

	free(list.data);
}

static double level_of(const char *text, struct cfl *f)
{
	double level;

	if (0 != strcmp(text, "otsu"))
		return parse_double(text, "--iso");

	level = otsu_threshold(f);
	info("level %.9g (Otsu)", level);
	return level;
}

static void check_found(const struct isosurface *s, const struct mesh *m, struct cfl *f)
{
	struct region_stats r;

	if (s->nan > 0)
		warn("%s: %ld elements are NaN; they are outside", f->name, s->nan);

	if (m->nv > 0)
		return;

	region_stats(&r, 1, NULL, f, NULL);
	error("%s: no value reaches the level %.9g (the largest is %.9g)", f->name, s->level, r.max);
}

static void mesh_of_level(const struct settings *o, struct cfl *f)
{
	struct isosurface s;
	struct mesh m;
	double volume, area;

	isosurface_init(&s, &f->hdr, cfl_map(f), f->name);
	s.level = level_of(o->iso, f);
	isosurface(&m, &s, f->name);
	check_found(&s, &m, f);
	tell_border(&s, f->name);
	mesh_measure(&m, &volume, &area);
	mesh_write(o->out, &m);
	printf("vertices %ld\ntriangles %ld\nvolume %.9g mm^3\narea %.9g mm^2\n", m.nv, m.nt, volume, area);
	mesh_free(&m);
}

int main_mesh(int argc, char *argv[])
{
	const char *name = NULL;
	struct settings o = {0};

	const struct opt opts[] = {
	        OPT_STRING(0, "iso", &o.iso, "V|otsu", "level of the surface"),
	        ARG_IN("VOL", &name, "any real volume of at most 3 dimensions"),
	        ARG_OUTFILE("OUT", &o.out, "mesh; its extension is the format: " MESH_EXTENSIONS),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "mesh",
	                .group = GROUP_MEASURE,
	                .synonyms = "isosurface marching-cubes stl surface",
	                .about = "Extract a surface as a triangle mesh",
	                .details =
	                        "Marching cubes (Lorensen and Cline 1987) with cases that fit together: the "
	                        "mesh is closed and manifold and its normals point to the smaller values. "
	                        "Vertices are in mm: spacing, origin and the section # Direction count. "
	                        "Elements from the level on are inside; NaN is outside. A surface that "
	                        "reaches the border of the volume is closed there, half a voxel outside the "
	                        "last element, and a "
	                        "message says so. The number of vertices and triangles, the volume "
	                        "within the mesh and its area are printed. The same bytes for any number of "
	                        "threads.",
	                .examples = "gantry mesh --iso 0.02 vol part.stl\n"
	                            "gantry mesh --iso otsu vol part.ply",
	                .memory = "24 bytes a triangle",
	                .opts = opts,
	        },
	        argc, argv);

	if (NULL == o.iso)
		usage_error("--iso is missing: a level, or otsu");

	mesh_check_name(o.out);

	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	tool_plan_text();
	mesh_of_level(&o, f);
	cfl_close(f);
	leave(EXIT_DONE);
}
