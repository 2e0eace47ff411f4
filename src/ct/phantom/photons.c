#include "ct/phantom/photons.h"

#include <math.h>

#include "misc/looping/looping.h"
#include "num/md/rand.h"

void photons_count(struct photons *s, long first, long n, double *out, const double *p)
{
	long empty = 0, bad = 0;

	for (long i = 0; i < n; i++) {
		double mean = s->incident * exp(-p[i]);

		if (!(mean < PHOTONS_MOST)) {
			out[i] = 0.;
			bad++;
			continue;
		}

		double counts = rand_poisson(s->seed, (uint64_t)looping_element(first + i), mean);

		if (!(counts >= 1.)) {
			counts = 1.;
			empty++;
		}

		out[i] = log(s->incident / counts);
	}

#pragma omp atomic
	s->empty += empty;
#pragma omp atomic
	s->bad += bad;
}
