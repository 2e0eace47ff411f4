/* Copies so large that they are written around the caches: transposed and in lines, from any address to any,
 * with gaps that stay as they are. */

#include <stdint.h>

#include "check.h"
#include "misc/mem.h"
#include "num/md/multind.h"

enum { BEFORE = 3, GAP = 5, LARGE = 17 << 20 };

static char sample(long i)
{
	return (char)((uint64_t)i * 0x9e3779b97f4a7c15u >> 56);
}

/* nx x ny elements, of which x runs fastest in the input and y in the output where it is transposed. */
static bool copied(size_t size, long nx, long ny, bool transposed)
{
	const long s = (long)size, dims[] = {nx, ny}, gap = GAP * s, from = BEFORE * s;
	const long is[] = {s, nx * s}, os[] = {transposed ? ny * s + gap : s, transposed ? s : nx * s + gap};
	const size_t in_bytes = (size_t)(nx * ny * s),
	             out_bytes = (size_t)(from + (transposed ? nx * os[0] : ny * os[1]));
	char *in = mem_alloc(in_bytes), *out = mem_alloc(out_bytes), *want = mem_alloc(out_bytes);

	for (size_t i = 0; i < in_bytes; i++)
		in[i] = sample((long)i);

	memset(out, 0x5a, out_bytes);
	memset(want, 0x5a, out_bytes);

	for (long y = 0; y < ny; y++)
		for (long x = 0; x < nx; x++)
			for (long k = 0; k < s; k++)
				want[from + x * os[0] + y * os[1] + k] = in[x * is[0] + y * is[1] + k];

	md_copy2(2, dims, os, out + from, is, in, size);

	const bool good = 0 == memcmp(out, want, out_bytes);

	free(in);
	free(out);
	free(want);

	return good;
}

int main(void)
{
	static const size_t sizes[] = {1, 4, 16};

	for (int i = 0; i < 3; i++) {
		const long s = (long)sizes[i];

		check(copied(sizes[i], 1000 / s * 4 + 3, LARGE / (4000 + 3 * s), true),
		        "elements of %ld bytes, transposed", s);
		check(copied(sizes[i], 9001 / s, LARGE / 9001 + 1, false), "elements of %ld bytes, in lines",
		        s);
	}

	return checks_failed > 0;
}
