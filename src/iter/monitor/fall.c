#include "iter/monitor/fall.h"

#include <math.h>
#include <stdbool.h>

enum { DENSE = 64 }; // iterations that are all remembered
static const double apart = 1.05;

static void halve(struct fall *s)
{
	long n = 0;

	for (long i = 0; i < s->n; i += 2)
		s->mark[n++] = s->mark[i];

	s->n = n;
}

/** The last mark is that of the last call, and replaces one that is too close. */
void fall_add(struct fall *s, long k, double f)
{
	if (isnan(f))
		return;

	const bool near = 1 < s->n && s->mark[s->n - 1].k > DENSE &&
	                  (double)s->mark[s->n - 1].k < apart * (double)s->mark[s->n - 2].k;

	if (near)
		s->n--;

	if (FALL_MARKS == s->n)
		halve(s);

	s->mark[s->n].k = k;
	s->mark[s->n++].f = f;
}

double fall_over(const struct fall *s, double part)
{
	if (s->n < 2)
		return NAN;

	const long k = s->mark[s->n - 1].k;
	const double f = s->mark[s->n - 1].f;
	long i = s->n - 2;

	while (i > 0 && (double)s->mark[i].k > (1. - part) * (double)k)
		i--;

	const double by = fabs(s->mark[i].f - f);

	return (0. == by) ? 0. : by / fabs(f);
}
