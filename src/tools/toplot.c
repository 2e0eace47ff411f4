/** Curves: logs of iterations, lines through arrays, histograms. */

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/mem.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/options/plan_file.h"
#include "misc/plot/canvas.h"
#include "misc/plot/plot.h"
#include "misc/table.h"
#include "num/kern/convert.h"
#include "num/stat/histogram.h"
#include "num/stat/region_stats.h"

int main_toplot(int argc, char *argv[]);

enum { CURVES_MAX = 64 };

struct job {
	const char *x, *y; // columns; NULL: chosen
	double minus;
	int along;
	struct opt_longs at;
	long bins;
	const struct opt_list *labels;
	// what is drawn
	int n;
	struct plot_curve curve[CURVES_MAX];
	void *owned[3 * CURVES_MAX]; // their names and numbers
	const char *xname, *yname;   // from the first input
};

static struct plot_curve *add_curve(struct job *j, char *label, long n, double *x, double *y)
{
	if (CURVES_MAX == j->n)
		error("%s: more than %d curves", label, CURVES_MAX);

	struct plot_curve *c = &j->curve[j->n];

	*c = (struct plot_curve){.label = label, .n = n, .x = x, .y = y};

	if (j->n < j->labels->n)
		c->label = j->labels->v[j->n];

	memcpy(j->owned + 3 * j->n++, (void *[]){label, x, y}, 3 * sizeof *j->owned);

	return c;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- logs ---------------------------------------------------------------- */

static bool has_numbers(const struct table *t, int c)
{
	for (long i = 0; c >= 0 && i < t->rows; i++)
		if (isfinite(t->column[c][i]))
			return true;

	return false;
}

static int find_column(const struct table *t, const char *name, const char *path)
{
	const int c = table_find(t, name);

	if (c >= 0)
		return c;

	struct str all = {0};

	for (int k = 0; k < t->columns; k++)
		str_printf(&all, "%s%s", k ? ", " : "", t->name[k]);

	error("%s has no column %s, expected one of %s", path, name, all.data);
}

/* The first of the names whose column holds numbers, else column number `other`. */
static int choose_column(const struct table *t, const char *const *names, int other, const char *path)
{
	for (; *names; names++)
		if (has_numbers(t, table_find(t, *names)))
			return table_find(t, *names);

	if (other >= t->columns)
		error("%s has one column, expected two", path);

	return other;
}

static double cell(const struct table *t, const char *name, long row)
{
	const int c = table_find(t, name);

	return c < 0 ? 0. : t->column[c][row];
}

/* Rows [first, end) of one problem. */
static void add_log_curve(struct job *j, const struct table *t, const char *path, int x, int y, long first,
        long end, bool several, bool columns)
{
	const size_t bytes = (size_t)(end - first + 1) * sizeof(double);
	double *xs = mem_alloc(bytes), *ys = mem_alloc(bytes);
	struct str label = {0};

	for (long i = first; i < end; i++) {
		xs[i - first] = t->column[x][i];
		ys[i - first] = t->column[y][i] - j->minus;
	}

	str_add(&label, base_name(path));

	if (columns)
		str_printf(&label, " %s", t->name[y]);

	if (several)
		str_printf(&label, " %g:%g", cell(t, "channel", first), cell(t, "time", first));

	add_curve(j, label.data, end - first, xs, ys);
}

static void add_log_column(struct job *j, const struct table *t, const char *path, int x, int y, bool columns)
{
	bool several = false;

	for (long i = 1; i < t->rows; i++)
		several = several || cell(t, "channel", i) != cell(t, "channel", 0) ||
		          cell(t, "time", i) != cell(t, "time", 0);

	for (long first = 0, i = 1; i <= t->rows; i++)
		if (i == t->rows || cell(t, "channel", i) != cell(t, "channel", first) ||
		        cell(t, "time", i) != cell(t, "time", first)) {
			add_log_curve(j, t, path, x, y, first, i, several, columns);
			first = i;
		}

	j->xname = j->xname ? j->xname : mem_strdup(strcmp(t->name[x], "seconds") ? t->name[x] : "time [s]");
	j->yname = j->yname ? j->yname
	                    : (0. != j->minus ? mem_printf("%s - %.9g", t->name[y], j->minus)
	                                      : mem_strdup(t->name[y]));
}

static void add_log(struct job *j, const char *path)
{
	static const char *const usual_x[] = {"iteration", NULL};
	static const char *const usual_y[] = {"objective", "residual", "gradient", NULL};
	struct table *t = table_read(path);
	const int x = j->x ? find_column(t, j->x, path) : choose_column(t, usual_x, 0, path);

	if (!j->y) {
		add_log_column(j, t, path, x, choose_column(t, usual_y, 1, path), false);
	} else {
		char *copy = mem_strdup(j->y), *rest = copy;
		const bool several = NULL != strchr(j->y, ',');

		for (char *name; NULL != (name = strsep(&rest, ","));)
			add_log_column(j, t, path, x, find_column(t, name, path), several);

		j->yname = several ? "" : j->yname;
		free(copy);
	}

	table_free(t);
}

/* ---- arrays -------------------------------------------------------------- */

/* The element of that number as a real one: complex ones by their magnitude. */
static double element(const struct cfl *f, const char *data, long i)
{
	complex double v;

	convert(DT_COMPLEX128, &v, f->hdr.type, data + i * (long)dtype_size(f->hdr.type), 1, NARROW_SATURATE);

	return dtype_is_complex(f->hdr.type) ? cabs(v) : creal(v);
}

static int choose_dim(const struct job *j, const struct cfl *f)
{
	int d = j->along;

	for (int k = 0; d < 0 && k < DIMS; k++)
		d = (f->hdr.dims[k] > 1) ? k : d;

	d = d < 0 ? 0 : d;

	if (1 == f->hdr.dims[d])
		error("%s is %s, expected more than one element along dimension %d", f->name,
		        hdr_shape(&f->hdr), d);

	return d;
}

/* Number of the line's first element. */
static long line_start(const struct job *j, const struct cfl *f, int along)
{
	long at = 0, step = 1;

	for (int d = 0; d < DIMS; step *= f->hdr.dims[d++]) {
		const long n = f->hdr.dims[d];
		const long i = (d < j->at.n) ? j->at.v[d] + (j->at.v[d] < 0 ? n : 0) : n / 2;

		if (i < 0 || i >= n)
			error("--at: index %ld is outside dimension %d of %s, which is %s", j->at.v[d], d,
			        f->name, hdr_shape(&f->hdr));

		at += (d == along) ? 0 : i * step;
	}

	return at;
}

static void add_line(struct job *j, struct cfl *f, const char *path)
{
	static const char *const names[] = {"x", "y", "z", "channel", "time"};
	const int d = choose_dim(j, f);
	const long n = f->hdr.dims[d], first = line_start(j, f, d);
	const double h = f->hdr.spacing[d],
	             start = isnan(f->hdr.origin[d]) ? -0.5 * (double)(n - 1) * h : f->hdr.origin[d];
	const bool mm = f->hdr.has_spacing && d < 3;
	const char *data = cfl_map(f), *name = d < 5 ? names[d] : "index";
	double *x = mem_alloc((size_t)n * sizeof *x), *y = mem_alloc((size_t)n * sizeof *y);
	long step = 1;

	for (int k = 0; k < d; k++)
		step *= f->hdr.dims[k];

	for (long i = 0; i < n; i++) {
		x[i] = mm ? start + (double)i * h : (double)i;
		y[i] = element(f, data, first + i * step) - j->minus;
	}

	add_curve(j, mem_strdup(base_name(path)), n, x, y);
	j->xname = j->xname ? j->xname : mem_printf(mm ? "%s [mm]" : "%s", name);
	j->yname = j->yname ? j->yname : f->hdr.unit[0] ? mem_printf("[%s]", f->hdr.unit) : "value";
}

static void add_histogram(struct job *j, struct cfl *f, const char *path)
{
	struct histogram h = {.bins = j->bins};
	struct region_stats s;

	cfl_expect_real(f);
	cfl_map(f);
	region_stats(&s, 1, NULL, f, NULL);

	if (0 == s.n)
		error("%s: no finite element to count", path);

	h.lo = s.min;
	h.hi = s.max > s.min ? s.max : s.min + fmax(1., fabs(s.min));
	h.count = mem_calloc((size_t)h.bins, sizeof *h.count);
	histogram(&h, f, NULL, NULL);

	double *x = mem_alloc((size_t)(h.bins + 1) * sizeof *x),
	       *y = mem_calloc((size_t)h.bins + 1, sizeof *y);

	for (long b = 0; b <= h.bins; b++) {
		x[b] = h.lo + (double)b * (h.hi - h.lo) / (double)h.bins;
		y[b] = b < h.bins ? (double)h.count[b] : 0.;
	}

	add_curve(j, mem_strdup(base_name(path)), h.bins + 1, x, y)->steps = true;
	free(h.count);
	j->xname = j->xname ? j->xname : f->hdr.unit[0] ? mem_printf("[%s]", f->hdr.unit) : "value";
	j->yname = "elements";
}

static void add_array(struct job *j, const char *path)
{
	struct cfl *f = cfl_open(path);

	if (0 < j->bins)
		add_histogram(j, f, path);
	else
		add_line(j, f, path);

	cfl_close(f);
}

/* ---- the picture --------------------------------------------------------- */

static void set_limits(double lim[2], const struct opt_doubles *given, const char *option, bool log)
{
	if (0 == given->n)
		return;

	if (2 != given->n || !(given->v[0] < given->v[1]))
		usage_error("%s: expected LO:HI, LO below HI", option);

	if (log && !(given->v[0] > 0.))
		usage_error("%s %g: expected numbers above 0 on a logarithmic axis", option, given->v[0]);

	memcpy(lim, given->v, 2 * sizeof *lim);
}

static void check(const struct job *j, const struct opt_list *in, const char *out)
{
	int logs = 0;

	if (!canvas_knows(out))
		usage_error("%s: expected a name that ends in .png or .svg", out);

	for (int k = 0; k < in->n; k++)
		logs += table_knows(in->v[k]);

	if (0 < logs && logs < in->n)
		usage_error("logs and arrays cannot be drawn together");

	if (0 < logs && (0 < j->bins || 0 <= j->along || 0 < j->at.n))
		usage_error("--histogram, --along and --at are for arrays, but %s is a log", in->v[0]);

	if (0 < j->bins && (0 <= j->along || 0 < j->at.n || 0. != j->minus))
		usage_error("--histogram excludes --along, --at and --minus");

	if (0 == logs && (j->x || j->y))
		usage_error("-x and -y name columns of logs (.csv, .jsonl), but %s is an array", in->v[0]);
}

int main_toplot(int argc, char *argv[])
{
	struct opt_list in = {0}, labels = {0};
	struct opt_doubles xlim = {0}, ylim = {0};
	struct opt_longs size = {0};
	struct job j = {.along = -1, .labels = &labels};
	struct plot p = plot_default();
	const char *out = NULL, *title = NULL;

	const struct opt opts[] = {
	        OPT_STRING('x', "x", &j.x, "COLUMN", "logs: column of the x axis (default: iteration)"),
	        OPT_STRING('y', "y", &j.y, "COLUMN[,..]",
	                "logs: columns of the y axis (default: objective, if known)"),
	        OPT_DOUBLE(0, "minus", &j.minus, "V", 0, 0, "draw values minus V"),
	        {0, "along", OPT_KIND_DIM, &j.along, "DIM",
	                "arrays: the line runs along this dimension (default: the first longer than 1)", 0, 0,
	                0, 0},
	        OPT_LONGS(0, "at", &j.at, "I:J:..", -0x1p62, 0x1p62,
	                "arrays: line through this element, negative from the end (default: the middle)"),
	        OPT_LONG(0, "histogram", &j.bins, "BINS", 0, 1 << 20,
	                "arrays: histogram with this many bins (0: lines)"),
	        OPT_FLAG(0, "logx", &p.xlog, "logarithmic x axis"),
	        OPT_FLAG(0, "logy", &p.ylog, "logarithmic y axis"),
	        OPT_DOUBLES(0, "xlim", &xlim, "LO:HI", 0, 0, "range of the x axis (default: all)"),
	        OPT_DOUBLES(0, "ylim", &ylim, "LO:HI", 0, 0, "range of the y axis (default: all)"),
	        OPT_STRING('t', "title", &title, "TEXT", "title"),
	        OPT_STRINGS('l', "label", &labels, "TEXT", "label of a curve, in order (default: names)"),
	        OPT_LONGS(0, "size", &size, "W:H", 200, 20000, "pixels (default: 800:500)"),
	        ARG_FILE_MANY(
	                "IN", &in, "logs of reconstructions and other tables (.csv, .jsonl), or arrays"),
	        ARG_OUTFILE("OUT.png", &out, "the picture; .png or .svg"),
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "toplot",
	                .group = GROUP_LOOK,
	                .synonyms = "plot graph",
	                .about = "Draw curves: logs of iterations, lines through arrays, histograms",
	                .details = "For a log, each column named by -y is drawn as a curve over the "
	                           "column named by -x. Each channel and each time has a separate curve. "
	                           "A log is a CSV file, or a file with one flat JSON object per line, as "
	                           "--log writes them. The first line of a CSV file must contain the "
	                           "names of the columns. For an array, the values along one line of "
	                           "elements are drawn. The line goes through the element of --at, along "
	                           "the dimension of --along. For a line along x, y or z, the horizontal "
	                           "axis is in mm if the array has a spacing. Otherwise, the horizontal "
	                           "axis counts elements. Complex elements are drawn by magnitude. With "
	                           "--histogram, the numbers of elements in bins of equal width are "
	                           "drawn. Points that are not finite are omitted. On a logarithmic axis, "
	                           "points that are not above 0 are also omitted.",
	                .examples =
	                        "gantry toplot --logy a.csv b.csv objective.png\n"
	                        "gantry toplot -x seconds -y residual --logy a.jsonl b.jsonl residual.svg\n"
	                        "gantry toplot --along x --at 0:128 vol rec profile.png\n"
	                        "gantry toplot --histogram 200 --logy rec values.png",
	                .opts = opts,
	        },
	        argc, argv);

	check(&j, &in, out);
	set_limits(p.xlim, &xlim, "--xlim", p.xlog);
	set_limits(p.ylim, &ylim, "--ylim", p.ylog);

	if (0 < size.n && 2 != size.n)
		usage_error("--size: expected W:H");

	p.width = (0 < size.n) ? (int)size.v[0] : p.width;
	p.height = (0 < size.n) ? (int)size.v[1] : p.height;

	for (int k = 0; k < in.n; k++)
		if (table_knows(in.v[k]))
			add_log(&j, in.v[k]);
		else
			add_array(&j, in.v[k]);

	if (labels.n > j.n)
		usage_error("--label: %d labels for %d curves", labels.n, j.n);

	tool_needs(canvas_memory(p.width, p.height, out), 0.);

	if (tool_plan())
		tool_plan_file(mem_printf("%s, %d x %d pixels, before compression", out, p.width, p.height),
		        3L * p.width * p.height);

	if (1 == j.n && 0 == labels.n)
		j.curve[0].label = NULL;

	p.title = title;
	p.xname = j.xname;
	p.yname = j.yname;
	p.n = j.n;
	p.curve = j.curve;
	plot_write(&p, out);

	for (int k = 0; k < 3 * j.n; k++)
		free(j.owned[k]);

	leave(EXIT_DONE);
}
