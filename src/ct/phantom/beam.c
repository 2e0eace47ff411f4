#include "ct/phantom/beam.h"

#include <math.h>
#include <stdlib.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/mem.h"

/** Reads two columns; energies must ascend, and values must not be negative. Returns the rows. */
static long read_columns(const char *path, double **energy, double **value)
{
	long n;
	double *x = file_read_numbers(path, &n);

	if (n < 2 || n % 2)
		error("%s contains %ld numbers, expected two columns: energy [keV] and value", path, n);

	n /= 2;
	*energy = mem_alloc((size_t)n * sizeof *x);
	*value = mem_alloc((size_t)n * sizeof *x);

	for (long i = 0; i < n; i++) {
		(*energy)[i] = x[2 * i];
		(*value)[i] = x[2 * i + 1];

		if (!(x[2 * i] > (i ? x[2 * i - 2] : 0.)))
			error("%s: row %ld: the energy is %g keV, expected positive energies in ascending "
			      "order",
			        path, i + 1, x[2 * i]);

		if (!(x[2 * i + 1] >= 0.))
			error("%s: row %ld: the value is %g, expected at least 0", path, i + 1, x[2 * i + 1]);
	}

	free(x);

	return n;
}

/** Between two rows a power law. */
static double attenuation_at(
        const char *path, long n, const double *energy, const double *value, double wanted)
{
	if (!(wanted >= energy[0] && wanted <= energy[n - 1]))
		error("%s covers %g to %g keV, expected a table that includes %g keV", path, energy[0],
		        energy[n - 1], wanted);

	long i = 0;

	while (i + 2 < n && energy[i + 1] < wanted)
		i++;

	if (1 == n)
		return value[0];

	if (!(value[i] > 0. && value[i + 1] > 0.))
		error("%s: no attenuation at %g keV, expected a positive value [1/mm]", path, wanted);

	const double w = log(wanted / energy[i]) / log(energy[i + 1] / energy[i]);

	return exp((1. - w) * log(value[i]) + w * log(value[i + 1]));
}

/** Attenuation at the energies of the spectrum, and at E0. */
static void read_material(struct beam *s, int k, const char *path)
{
	double *energy, *value;
	const long n = read_columns(path, &energy, &value);

	s->mu[k] = mem_alloc((size_t)s->n * sizeof *value);

	for (long i = 0; i < s->n; i++)
		s->mu[k][i] = attenuation_at(path, n, energy, value, s->energy[i]);

	s->mu0[k] = attenuation_at(path, n, energy, value, s->reference);
	free(energy);
	free(value);
}

void beam_read(struct beam *s, const char *spectrum, const char *first, const char *second, double reference)
{
	double sum = 0., mean = 0.;
	long kept = 0;

	*s = (struct beam){0};
	s->n = read_columns(spectrum, &s->energy, &s->weight);

	for (long i = 0; i < s->n; i++)
		if (s->weight[i] > 0.) { // energies without photons need no attenuation
			s->energy[kept] = s->energy[i];
			s->weight[kept++] = s->weight[i];
		}

	s->n = kept;

	for (long i = 0; i < s->n; i++) {
		sum += s->weight[i];
		mean += s->weight[i] * s->energy[i];
	}

	if (!(sum > 0.))
		error("%s: the weights of the spectrum sum to %g, expected a positive sum", spectrum, sum);

	for (long i = 0; i < s->n; i++)
		s->weight[i] /= sum;

	s->reference = isnan(reference) ? mean / sum : reference;
	read_material(s, 0, first);

	if (NULL != second)
		read_material(s, 1, second);
}

void beam_free(struct beam *s)
{
	free(s->energy);
	free(s->weight);
	free(s->mu[0]);
	free(s->mu[1]);
}

double beam_line(const struct beam *s, double t1, double t2, double *slope)
{
	double least = INFINITY, sum = 0., mean = 0.;

	for (long i = 0; i < s->n; i++) {
		const double x = s->mu[0][i] * t1 + (s->mu[1] ? s->mu[1][i] * t2 : 0.);

		least = (x < least) ? x : least;
	}

	for (long i = 0; i < s->n; i++) { // relative to the largest term: no underflow
		const double x = s->mu[0][i] * t1 + (s->mu[1] ? s->mu[1][i] * t2 : 0.);
		const double w = s->weight[i] * exp(least - x);

		sum += w;
		mean += w * s->mu[0][i];
	}

	if (NULL != slope)
		*slope = mean / sum;

	return least - log(sum);
}
