#include "num/md/select.h"

double select_kth(long n, long k, double v[])
{
	for (long lo = 0, hi = n - 1; lo < hi;) {
		const double pivot = v[(lo + hi) / 2];
		long i = lo, j = hi;

		while (i <= j) {
			while (v[i] < pivot)
				i++;

			while (v[j] > pivot)
				j--;

			if (i <= j) {
				const double t = v[i];

				v[i++] = v[j];
				v[j--] = t;
			}
		}

		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}

	return v[k];
}

double select_median(long n, double v[])
{
	const double upper = select_kth(n, n / 2, v);

	if (n % 2)
		return upper;

	double lower = v[0]; // the largest of those before the place of upper

	for (long i = 1; i < n / 2; i++)
		lower = (v[i] > lower) ? v[i] : lower;

	return 0.5 * (lower + upper);
}
