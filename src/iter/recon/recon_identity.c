/* All settings of a run except its algorithm's parameters, to recognise the checkpoint of another run.
 */

#include <stdlib.h>

#include "iter/recon/recon_internal.h"

#include "misc/hash.h"
#include "misc/mem.h"

static void add_bytes(struct str *s, const char *name, const void *p, size_t bytes)
{
	char hash[HASH_TEXT];

	hash_text(hash, p, bytes);
	str_printf(s, "%s %s\n", name, hash);
}

static void add_file(struct str *s, const char *name, struct cfl *f)
{
	if (f != NULL)
		add_bytes(s, name, cfl_map(f), (size_t)f->count * dtype_size(f->hdr.type));
}

static void add_text(struct str *s, const char *name, const char *text)
{
	if (text != NULL)
		str_printf(s, "%s %s\n", name, text);
}

char *recon_identity(const struct recon *r)
{
	const struct recon_opts *o = r->opts;
	const struct geom *g = r->g[0];
	struct str s = {0};

	str_printf(&s, "models %d %d\n", o->model, o->back);
	str_printf(&s, "detector %ld %ld %.17g\n", g->cols, g->rows, g->radius);

	for (long i = 0; i < r->scan.own[0] * r->scan.own[1]; i++)
		add_bytes(&s, "views", r->g[i]->view, (size_t)g->views * sizeof *g->view);

	for (int d = 0; d < 3; d++)
		str_printf(
		        &s, "grid %ld %.17g %.17g\n", r->grid.size[d], r->grid.spacing[d], r->grid.origin[d]);

	for (int d = SPACE; d < r->rank; d++)
		str_printf(&s, "coupled %ld %.17g\n", r->header->dims[d], r->header->spacing[d]);

	for (int i = 0; i < o->terms.n; i++)
		add_text(&s, "term", o->terms.v[i]);

	add_text(&s, "denoiser", o->denoiser);
	add_text(&s, "data", r->data);
	recon_spectrum_describe(r->spectrum, &s);
	add_text(&s, "mask", o->mask);
	add_file(&s, "weights", r->weights);
	add_file(&s, "prior", r->prior);

	if (r->alg->algorithm->takes & TAKES_STEPS)
		str_printf(&s, "steps %d\n", recon_steps(o));

	if (r->alg->algorithm->takes & SETS_RESIDUAL)
		str_printf(&s, "noise %.17g\n", o->noise);

	return s.data;
}
