/** Chooses the path of a list for each view, and counts calls of paths. */

#include "ct/projector/projector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct/projector/bricks.h"
#include "misc/error.h"
#include "misc/mem.h"
#include "num/device/profile.h"

enum { TYPES = 4, DIRECTIONS = 2, MOST_ROWS = 64 };

static const enum dtype all_types[TYPES] = {DT_FLOAT32, DT_FLOAT64, DT_COMPLEX64, DT_COMPLEX128};

struct projectors {
	const struct projector_list *list;
	const struct xray *x;
	void **plan;                             // of each row
	unsigned char *row[TYPES][DIRECTIONS];   // of a view: 1 + its number, 0: none [views]
	bool used[TYPES][DIRECTIONS][MOST_ROWS]; // by any view
};

/** What was computed by a row in a direction. */
struct use {
	struct profile_entry entry; // module: the device
	char name[64];
	struct use *next; // of those that -v prints
};

static struct use uses[3][MOST_ROWS][DIRECTIONS], *first_use = NULL;

static int type_number(enum dtype type)
{
	for (int t = 0; t < TYPES; t++)
		if (all_types[t] == type)
			return t;

	error("projector data have type %s, expected float32, float64, complex64 or complex128",
	        dtype_name(type));
}

/* ---- the choice ---- */

static bool list_has(const struct projector_list *l, const char *name)
{
	for (int r = 0; r < l->rows; r++)
		if (0 == strcmp(l->row[r].name, name))
			return true;

	return false;
}

/** The name in GANTRY_PROJECTOR; NULL: not set. */
static const char *forced_name(void)
{
	const char *name = getenv("GANTRY_PROJECTOR");

	if (!name || !*name)
		return NULL;

	if (!list_has(&projectors_cpu, name) && !list_has(&projectors_gpu, name) &&
	        !list_has(&projectors_opencl, name))
		usage_error("GANTRY_PROJECTOR: unknown path '%s' (doc/projectors.md lists the valid paths, "
		            "e.g. untilted, general)",
		        name);

	return name;
}

/** The plan of a row, shared with one before. */
static void *plan_row(const struct projectors *p, int r, const bool *open)
{
	const struct projector *row = p->list->row + r;

	for (int i = 0; i < r; i++)
		if (row->plan && p->list->row[i].plan == row->plan && p->plan[i])
			return p->plan[i];

	return row->plan ? row->plan(p->x, open) : NULL;
}

/** The views that a row takes of those that are left. */
static void offer_views(struct projectors *p, int r)
{
	const struct projector *row = p->list->row + r;

	for (int forward = 0; forward < DIRECTIONS; forward++)
		for (long k = 0; k < p->x->g->views; k++) {
			if (row->takes && !row->takes(p->x, p->plan[r], k, forward))
				continue;

			for (int t = 0; t < TYPES; t++) {
				unsigned char *at = p->row[t][forward] + k;

				if (*at == 0 && (row->types >> all_types[t] & 1)) {
					*at = (unsigned char)(r + 1);
					p->used[t][forward][r] = true;
				}
			}
		}
}

struct projectors *projectors_create(const struct projector_list *list, const struct xray *x)
{
	struct projectors *p = NEW(struct projectors);
	const char *forced = forced_name();
	const long views = x->g->views;
	bool *open = mem_alloc(mul_checked(views, sizeof *open, "the geometry"));

	assert(list->rows <= MOST_ROWS);
	p->list = list;
	p->x = x;
	p->plan = mem_calloc(list->rows, sizeof *p->plan);

	for (int t = 0; t < TYPES; t++)
		for (int forward = 0; forward < DIRECTIONS; forward++)
			p->row[t][forward] = mem_calloc(views, 1);

	for (int r = 0; r < list->rows; r++) {
		if (list->row[r].model != x->model || (forced && 0 != strcmp(list->row[r].name, forced)))
			continue;

		for (long k = 0; k < views; k++)
			open[k] = (p->row[0][0][k] == 0 || p->row[0][1][k] == 0);

		p->plan[r] = plan_row(p, r, open);
		offer_views(p, r);
	}

	free(open);
	return p;
}

void projectors_free(struct projectors *p)
{
	if (!p)
		return;

	for (int r = 0; r < p->list->rows; r++) {
		void *plan = p->plan[r];

		for (int i = r; i < p->list->rows; i++)
			p->plan[i] = (p->plan[i] == plan) ? NULL : p->plan[i];

		if (plan)
			p->list->row[r].free(plan);
	}

	for (int t = 0; t < TYPES; t++)
		for (int forward = 0; forward < DIRECTIONS; forward++)
			free(p->row[t][forward]);

	free(p->plan);
	free(p);
}

const struct projector *projectors_take(const struct projectors *p, enum dtype type, bool forward, long view)
{
	const int r = p->row[type_number(type)][forward][view];

	return (r > 0) ? p->list->row + (r - 1) : NULL;
}

const struct projector *projectors_row(const struct projectors *p, enum dtype type, bool forward, long view)
{
	const struct projector *row = projectors_take(p, type, forward, view);

	if (!row)
		error("GANTRY_PROJECTOR: path '%s' does not support view %ld with model %s and type %s on "
		      "the %s (use path 'general')",
		        getenv("GANTRY_PROJECTOR"), view, xray_model_name[p->x->model], dtype_name(type),
		        p->list->device);

	return row;
}

void *projectors_plan(const struct projectors *p, const struct projector *row)
{
	return p->plan[row - p->list->row];
}

void *projectors_plan_by(const struct projectors *p, void *(*plan)(const struct xray *x, const bool *open))
{
	for (int r = 0; r < p->list->rows; r++)
		if (p->list->row[r].plan == plan && p->plan[r])
			return p->plan[r];

	return NULL;
}

bool projectors_use(const struct projectors *p, enum dtype type, bool forward, const struct projector *row)
{
	return p->used[type_number(type)][forward][row - p->list->row];
}

char *projectors_names(const struct projectors *p, enum dtype type, bool forward)
{
	struct str names = {0};

	for (int r = 0; r < p->list->rows; r++)
		if (p->used[type_number(type)][forward][r]) {
			str_add(&names, names.data ? "+" : "");
			str_add(&names, p->list->row[r].name);
		}

	return names.data;
}

/* ---- counts ---- */

bool projectors_count(void)
{
	return profile_on() || log_level > 0;
}

static void print_uses(void)
{
	for (const struct use *u = first_use; u; u = u->next) {
		const double seconds = (double)u->entry.nanoseconds * 1e-9;

		verbose("%s on the %s: calls: %ld, %.3f s, %.3f GB, %.3f GUPS", u->name, u->entry.module,
		        u->entry.calls, seconds, (double)u->entry.bytes * 1e-9,
		        (seconds > 0.) ? u->entry.updates / seconds * 1e-9 : 0.);
	}
}

static struct use *use_of(const struct projectors *p, const struct projector *row, bool forward)
{
	const int list = (p->list == &projectors_gpu) ? 1 : (p->list == &projectors_opencl) ? 2 : 0;
	struct use *u = &uses[list][row - p->list->row][forward];

#pragma omp critical(projector_uses)
	if (!u->entry.name) {
		snprintf(u->name, sizeof u->name, "%s/%s%s", xray_model_name[row->model], row->name,
		        forward ? "" : "'");
		u->entry.module = p->list->device;
		u->entry.name = u->name;

		if (!first_use && log_level > 0)
			on_exit_call(print_uses);

		u->next = first_use;
		first_use = u;
	}

	return u;
}

void projectors_count_call(const struct projectors *p, const struct projector *row, bool forward,
        long nanoseconds, long bytes, double updates)
{
	profile_add(&use_of(p, row, forward)->entry, nanoseconds, bytes, updates);
}
