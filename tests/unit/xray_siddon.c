/* The X-ray transform by Siddon's method: dot test, single elements, float64 reference, splits, for every
 * kind of scan. */

#include <omp.h>

#include "xray_scans.h"

int main(void)
{
	omp_set_num_threads(2);
	test_model(XRAY_SIDDON);
	return checks_failed ? 1 : 0;
}
