#include <math.h>

#include "iter/iter.h"

#include "misc/error.h"

/* Rounding changes the objective by less than this fraction of its first value. */
static const double slack = 1e-6;
/* And a settled one by less than this part of it. */
static const double slightly = 1e-3;

bool iter_diverged(double f, double before, double first, long iteration)
{
	if (!isfinite(f))
		error("iteration %ld: the objective is %g, expected a finite value (the data are too large "
		      "for their type)",
		        iteration, f);

	if (f <= before + slack * first)
		return false;

	if (f <= before + slightly * fabs(before))
		info("the objective no longer falls after %ld iterations: minimum reached within rounding",
		        iteration - 1);
	else
		warn("stopped at iteration %ld, where the objective grew from %g to %g (the operator and its "
		     "adjoint do not match)",
		        iteration, before, f);

	return true;
}
