/* The X-ray transform by separable footprints: dot test, single elements, float64 reference, splits, for
 * every kind of scan. */

#include <omp.h>

#include "xray_scans.h"

int main(void)
{
	omp_set_num_threads(2);
	test_model(XRAY_SF);
	return checks_failed ? 1 : 0;
}
