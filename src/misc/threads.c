#include <omp.h>

#include "misc/threads.h"

enum {
	LEAST = 1 << 16, // work that one thread does
	SHARE = 1 << 12  // and that of each, where there are many
};

int threads_for(double work)
{
	const int threads = omp_get_max_threads();

	return (work <= LEAST || work < (double)SHARE * threads) ? 1 : threads;
}
