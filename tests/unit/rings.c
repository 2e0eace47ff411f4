/* What counts as a stripe: the boundaries of rings_detect(). */

#include "check.h"
#include "correct/rings/rings.h"

enum { N = 100 };

/* 0..99 in another order, the line through which rises by 99; the largest two become `high` and the smallest
 * two `low`. Marks are those of snr 3: beyond 1.5 rises of the line, where the last is beyond 3. */
static bool marks(const double high[2], const double low[2], const bool want[4])
{
	double v[N];
	unsigned char mark[N];
	bool good = true;

	for (int i = 0; i < N; i++)
		v[i * 37 % N] = (i < 2) ? low[i] : (i >= N - 2) ? high[i - (N - 2)] : i;

	rings_detect(3., N, v, mark);

	for (int i = 0; i < N; i++)
		good = good && mark[i * 37 % N] == ((i < 2) ? want[i] : (i >= N - 2) && want[i - (N - 4)]);

	return good;
}

int main(void)
{
	const double up[2] = {98, 99}, down[2] = {0, 1};

	check(marks(up, down, (const bool[4]){0}), "rings_detect: nothing on a line");
	check(marks((const double[]){98, 395.9}, down, (const bool[4]){0}), "nothing 2.99 rises above");
	check(marks((const double[]){247.4, 396.1}, down, (const bool[4]){0, 0, 0, 1}),
	        "one that is over 3 above");
	check(marks((const double[]){247.6, 396.1}, down, (const bool[4]){0, 0, 1, 1}),
	        "beside it another over 1.5");
	check(marks(up, (const double[]){-296.9, 1}, (const bool[4]){0}), "nothing 2.99 below");
	check(marks(up, (const double[]){-297.1, -148.4}, (const bool[4]){1}), "one that is over 3 below");
	check(marks(up, (const double[]){-297.1, -148.6}, (const bool[4]){1, 1}),
	        "beside it another over 1.5");

	return checks_failed > 0;
}
