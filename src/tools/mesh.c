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
#include "misc/options/report.h"
#include "misc/options/parse.h"
#include "num/stat/region_stats.h"
#include "volume/mesh/decimate.h"
#include "volume/mesh/isosurface.h"
#include "volume/mesh/label_boxes.h"
#include "volume/mesh/mesh_write.h"
#include "volume/mesh/smooth.h"
#include "volume/otsu.h"

int main_mesh(int argc, char *argv[]);

struct settings {
	const char *iso;
	bool labels;
	long smooth;
	double decimate; // share of the triangles that is kept; 1 = all
	const char *out;
	int before, digits; // of a number pattern in that name
	const char *after;
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

static void check_found(const struct isosurface *s, struct cfl *f)
{
	struct region_stats r;

	if (s->nan > 0 && hdr_count(&f->hdr, f->name) == s->nan)
		error("%s: all elements are NaN", f->name);

	if (s->nan > 0)
		warn("%s: %ld elements are NaN and count as outside", f->name, s->nan);

	if (s->nv > 0)
		return;

	region_stats(&r, 1, NULL, f, NULL);
	error("%s: no value reaches the level %.9g (the largest is %.9g)", f->name, s->level, r.max);
}

/** What is printed of a mesh. */
struct result {
	long nv, nt;
	double volume, area;
};

static void take_part(void *writer, const struct mesh *m, const long v[2], const long t[2])
{
	mesh_writer_part(writer, m, v, t);
}

/* Writes a surface that is not changed, without keeping it. */
static struct result finish_parts(struct isosurface *s, const char *out)
{
	struct mesh_writer *w = mesh_writer_create(out, s->nv, s->nt);
	struct result r = {s->nv, s->nt, 0., 0.};

	isosurface_parts(s, take_part, w, &r.volume, &r.area);
	mesh_writer_commit(w);
	return r;
}

/* What comes after the count of a surface, up to the file. */
static struct result finish(const struct settings *o, struct isosurface *s, const char *out)
{
	struct mesh m;
	struct result r;

	if (0 == o->smooth && !(o->decimate < 1.) && mesh_takes_parts(out))
		return finish_parts(s, out);

	isosurface_mesh(&m, s);
	mesh_smooth(&m, o->smooth, out);

	const long wanted = (long)floor(o->decimate * (double)m.nt);

	if (o->decimate < 1.)
		mesh_decimate(&m, o->decimate, out);

	if (m.nt > wanted)
		info("%s: %ld triangles instead of %ld: removing more would change the topology or fold the "
		     "surface",
		        out, m.nt, wanted);

	r.nv = m.nv;
	r.nt = m.nt;
	mesh_measure(&m, &r.volume, &r.area);
	mesh_write(out, &m);
	mesh_free(&m);
	return r;
}

static void mesh_of_level(const struct settings *o, struct cfl *f)
{
	struct isosurface s;

	isosurface_init(&s, &f->hdr, cfl_map(f), f->name);
	s.level = level_of(o->iso, f);
	isosurface_count(&s, f->name);
	check_found(&s, f);
	tell_border(&s, f->name);

	const struct result r = finish(o, &s, o->out);

	tool_print("vertices %ld\ntriangles %ld\nvolume %.9g mm^3\narea %.9g mm^2\n", r.nv, r.nt, r.volume,
	        r.area);
}

static char *label_name(const struct settings *o, const struct label_box *box)
{
	return mem_printf("%.*s%0*ld%s", o->before, o->out, o->digits, (long)box->label, o->after);
}

static void mesh_of_label(const struct settings *o, struct isosurface *s, const struct label_box *box)
{
	char *out = label_name(o, box);

	memcpy(s->lo, box->lo, sizeof s->lo);
	memcpy(s->hi, box->hi, sizeof s->hi);
	s->level = (double)box->label;
	isosurface_count(s, out);

	const struct result r = finish(o, s, out);

	tool_print("%ld,%ld,%ld,%ld,%.9g,%.9g\n", (long)box->label, box->count, r.nv, r.nt, r.volume, r.area);
	free(out);
}

/* How many labels had to be closed at the border of the volume. */
static void tell_touching(const struct isosurface *s, long n, const struct label_box box[], const char *name)
{
	long touching = 0;

	for (long i = 0; i < n; i++) {
		bool at = false;

		for (int d = 0; d < 3; d++)
			at = at || 0 == box[i].lo[d] || s->dims[d] == box[i].hi[d];

		touching += at;
	}

	if (touching > 0)
		info("%ld of %ld labels reach the border of %s and are closed there", touching, n, name);
}

static void mesh_of_labels(const struct settings *o, struct cfl *f)
{
	struct isosurface s;
	long n;

	if (!dtype_is_integer(f->hdr.type))
		error("%s: labels are integers, not %s (see gantry label, gantry cast)", f->name,
		        dtype_name(f->hdr.type));

	isosurface_init(&s, &f->hdr, cfl_map(f), f->name);
	s.label = true;

	struct label_box *box = label_boxes(s.data, s.type, s.dims, &n, f->name);

	if (0 == n)
		error("%s: no label: all elements are 0", f->name);

	for (long i = 0; i < n && tool_no_clobber(); i++) {
		char *out = label_name(o, box + i);

		file_refuse_existing(out);
		free(out);
	}

	tell_touching(&s, n, box, f->name);
	tool_print("label,voxels,vertices,triangles,volume [mm^3],area [mm^2]\n");

	for (long i = 0; i < n; i++)
		mesh_of_label(o, &s, box + i);

	free(box);
}

static void check_settings(struct settings *o)
{
	const bool pattern = names_pattern(o->out, &o->before, &o->digits, &o->after);

	mesh_check_name(o->out);

	if (NULL == o->iso && !o->labels)
		usage_error("--iso is missing: give a level or 'otsu', or --labels for a mesh per label");

	if (o->iso != NULL && o->labels)
		usage_error("--iso and --labels exclude each other");

	if (o->labels && !pattern)
		usage_error("--labels: '%s' needs a number pattern for the label, as part_%%d.stl", o->out);

	if (!o->labels && pattern)
		usage_error("'%s': a number pattern needs --labels", o->out);

	if (!(o->decimate > 0.))
		usage_error("--decimate: expected a fraction above 0 and at most 1");
}

int main_mesh(int argc, char *argv[])
{
	const char *name = NULL;
	struct settings o = {.decimate = 1.};

	const struct opt opts[] = {
	        OPT_STRING(0, "iso", &o.iso, "V|otsu", "level of the surface"),
	        OPT_FLAG(0, "labels", &o.labels, "a mesh per label (integer, not 0) of VOL"),
	        OPT_LONG(0, "smooth", &o.smooth, "N", 0, 100000, "Taubin smoothing steps"),
	        OPT_DOUBLE(0, "decimate", &o.decimate, "SHARE", 0, 1,
	                "fraction of the triangles to keep (quadric error)"),
	        ARG_IN("VOL", &name, "any real volume of at most 3 dimensions"),
	        ARG_OUTFILE("OUT", &o.out,
	                "mesh; its extension is the format: " MESH_EXTENSIONS
	                "; with --labels a number pattern, as part_%d.stl"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "mesh",
	                .group = GROUP_MEASURE,
	                .synonyms = "isosurface marching-cubes stl surface",
	                .about = "Extract a surface as a triangle mesh",
	                .details =
	                        "The surface is extracted by marching cubes (Lorensen and Cline 1987). The "
	                        "mesh is closed and manifold, because the triangles of neighbouring cells "
	                        "match. The normals of the mesh point to the smaller values. The vertices "
	                        "are given in mm, based on spacing, origin and the header section # "
	                        "Direction. Elements at or above the level are inside the surface, and NaN "
	                        "is outside. At the border of the volume, the surface is closed half a "
	                        "voxel outside the last element. A message is printed if the surface "
	                        "reaches the border of the volume. The command prints the numbers of "
	                        "vertices and triangles, the volume within the mesh and the area of the "
	                        "mesh. The result is bit-identical for any number of threads.\n\n"
	                        "With --labels, each label gets a separate mesh and a line of "
	                        "comma-separated values. The surface of a label is half-way between the "
	                        "voxels of the label and all other voxels. Surfaces of labels have steps of "
	                        "a voxel; the "
	                        "option --smooth removes these steps. With --smooth N, Taubin's method "
	                        "(1995) smooths the surface N times and keeps the size of the object.\n\n"
	                        "The option --decimate collapses the edges with the smallest quadric error "
	                        "(Garland and Heckbert 1997). Decimation uses one thread. The decimated "
	                        "mesh is also closed and manifold. More than the fraction SHARE of the "
	                        "triangles remains if further collapses would not keep the mesh closed and "
	                        "manifold.",
	                .examples = "gantry mesh --iso 0.02 vol part.stl\n"
	                            "gantry mesh --iso otsu --smooth 10 --decimate 0.2 vol part.ply\n"
	                            "gantry mesh --labels --smooth 20 labels grain_%03d.stl",
	                .memory = "one bit per voxel, up to 256 MiB. Each thread also keeps the mesh of 16 "
	                          "slices, 18 bytes per triangle. For .obj, the whole mesh is kept: 18 bytes "
	                          "per triangle, or 36 with --smooth, or 200 with --decimate",
	                .opts = opts,
	        },
	        argc, argv);

	check_settings(&o);

	struct cfl *f = cfl_open(name);

	cfl_expect_real(f);
	tool_plan_text();

	if (o.labels)
		mesh_of_labels(&o, f);
	else
		mesh_of_level(&o, f);

	cfl_close(f);
	leave(EXIT_DONE);
}
