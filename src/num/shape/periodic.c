/** A copy from a periodic continuation is a few strided copies: along each dim the rest of the first period,
 * whole periods, and a part of the last. */

#include <assert.h>

#include "misc/dtype.h"
#include "num/md/multind.h"
#include "num/shape/periodic.h"

/* A strided copy that is put together dim by dim; a repeated dim takes two. */
struct job {
	const long *dims, *ostrs;
	const struct periodic_dim *in;
	size_t size;
	int n;
	long cdims[DIMS], costrs[DIMS], cistrs[DIMS];
};

static void periodic_run(struct job *j, int d, char *dst, const char *src);

/* Goes on below dim d with n elements of it. */
static void piece(struct job *j, int d, long n, long ostr, long istr, char *dst, const char *src)
{
	j->cdims[j->n] = n;
	j->costrs[j->n] = ostr;
	j->cistrs[j->n] = istr;
	j->n++;
	periodic_run(j, d - 1, dst, src);
	j->n--;
}

/* `times` whole periods: one copy with a dim that repeats where there is room for it. */
static void repeat(struct job *j, int d, long times, char *dst, const char *src)
{
	const struct periodic_dim *p = &j->in[d];
	long step = p->period * j->ostrs[d];

	if (1 == p->period) {
		piece(j, d, times, j->ostrs[d], 0, dst, src);
	} else if (1 == times || j->n + 2 + d > DIMS) {
		for (long k = 0; k < times; k++)
			piece(j, d, p->period, j->ostrs[d], p->str, dst + k * step, src);
	} else {
		j->cdims[j->n] = times;
		j->costrs[j->n] = step;
		j->cistrs[j->n] = 0;
		j->n++;
		piece(j, d, p->period, j->ostrs[d], p->str, dst, src);
		j->n--;
	}
}

/* Dims d and below. */
static void periodic_run(struct job *j, int d, char *dst, const char *src)
{
	if (d < 0) {
		md_copy2(j->n, j->cdims, j->costrs, dst, j->cistrs, src, j->size);
		return;
	}

	const struct periodic_dim *p = &j->in[d];
	long n = j->dims[d], ostr = j->ostrs[d];
	long head = p->period - p->first;

	if (0 == p->period || n <= head) {
		piece(j, d, n, ostr, p->str, dst, src + p->first * p->str);
		return;
	}

	if (p->first > 0) {
		piece(j, d, head, ostr, p->str, dst, src + p->first * p->str);
		dst += head * ostr;
		n -= head;
	}

	long times = n / p->period, rest = n % p->period;

	if (times > 0)
		repeat(j, d, times, dst, src);

	if (rest > 0)
		piece(j, d, rest, ostr, p->str, dst + times * p->period * ostr, src);
}

void periodic_copy(int D, const long dims[], const long ostrs[], void *out, const struct periodic_dim in[],
        const void *base, size_t size)
{
	assert(D >= 0 && D <= DIMS);

	struct job j = {.dims = dims, .ostrs = ostrs, .in = in, .size = size};

	if (md_calc_size(D, dims) > 0)
		periodic_run(&j, D - 1, out, base);
}
