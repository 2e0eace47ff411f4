#include "num/device_load.h"

#include "num/device.h"

void device_load(enum dtype to, void *out, enum dtype from, const void *in, long n)
{
	enum { WINDOW = 1 << 22 };
	const long osize = (long)dtype_size(to), isize = (long)dtype_size(from);

	if (to == from) {
		device_copy(out, in, (size_t)(n * osize));
		return;
	}

	void *raw = device_alloc((size_t)((n < WINDOW ? n : WINDOW) * isize));

	for (long i = 0; i < n; i += WINDOW) {
		const long m = (n - i < WINDOW) ? n - i : WINDOW;

		device_copy(raw, (const char *)in + i * isize, (size_t)(m * isize));
		device_convert(to, (char *)out + i * osize, from, raw, m, false);
	}

	device_free(raw);
}
