/* The command line of reconstructions by name: it contains only the options of the algorithm. */

#include "iter/recon/recon_tool.h"

#include "iter/recon/recon.h"
#include "iter/recon/recon_choose.h"
#include "iter/recon/recon_data.h"
#include "iter/recon/recon_options.h"
#include "misc/error.h"

/** Whether a command of any algorithm has no option that says what to minimise or how. */
static bool is_by_itself(const struct recon_tool *t, const struct recon_opts *o, int choice)
{
	const bool method = NULL != t->algorithm || 0 <= choice || 0 < o->terms.n || NULL != o->data;
	const bool penalty = 0. != o->lambda || NULL != o->rule || NULL != o->prior || NULL != o->denoiser;
	const bool stops = 0. != o->noise || 0. != o->tolerance;
	const bool others = 0 <= o->back || 0 != o->basis || NULL != o->dictionary || NULL != o->curve ||
	                    0 < o->range.n || 0 < o->subsets || 0 <= o->order;

	return !(method || penalty || stops || others);
}

int recon_tool(const struct recon_tool *t, int argc, char *argv[])
{
	static struct recon_line line;
	struct recon_opts *o = &line.opts;
	const struct algorithm *a = (NULL != t->algorithm) ? algorithm_find(t->algorithm) : NULL;

	recon_line_init(&line, t, a);
	tool_init(&(struct tool){.name = t->name,
	                  .group = t->group,
	                  .synonyms = t->synonyms,
	                  .about = t->about,
	                  .details = t->details,
	                  .examples = t->examples,
	                  .memory = "the vectors of the algorithm; --plan prints their size. "
	                            "Memory-mapped files are not counted. Vectors that exceed GANTRY_MEM "
	                            "are kept in temporary files",
	                  .topics = line.topics,
	                  .sections = line.sections,
	                  .by_parts = true,
	                  .opts = line.table},
	        argc, argv);

	if (line.nonneg)
		a = algorithm_find(t->nonneg);

	o->by_itself = is_by_itself(t, o, line.nonneg ? 0 : line.choice);

	if (NULL != t->data)
		o->data = t->data;
	else if (NULL == o->data && NULL != o->weights)
		o->data = "weighted";

	if (NULL == a)
		a = o->by_itself        ? algorithm_find("spdhg")
		    : (line.choice < 0) ? recon_choose(o)
		                        : algorithms[line.choice];

	recon_line_check(&line, a);
	tool_record("algorithm", (NULL == t->algorithm) ? "%s" : NULL, a->name);
	recon_run(
	        o, &(struct recon_algorithm){.algorithm = a,
	                   .weights = recon_data_is_weighted(o->data) ? RECON_STATISTICAL : RECON_UNWEIGHTED,
	                   .volumes = algorithm_volumes(a, o->basis, recon_data_is_weighted(o->data)),
	                   .projections = algorithm_projections(a, o->basis)});
	recon_line_free(&line);
	leave(EXIT_DONE);
}
