#include "misc/plot/ticks.h"

#include <math.h>

int ticks(double lo, double hi, int most, double *first, double *step)
{
	static const double factors[] = {1., 2., 5.};
	double power = pow(10., floor(log10((hi - lo) / most)));

	for (int k = 0;; k++) {
		*step = factors[k % 3] * power * pow(10., k / 3);
		*first = ceil(lo / *step - 1e-9) * *step;

		int n = (int)floor((hi - *first) / *step + 1e-9) + 1;

		if (n <= most)
			return n;
	}
}
