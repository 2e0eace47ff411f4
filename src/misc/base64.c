#include "misc/base64.h"

#include <string.h>

#include "misc/mem.h"

char *base64(const unsigned char *data, long n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = mem_alloc((size_t)((n + 2) / 3 * 4 + 1)), *out = text;

	for (long i = 0; i < n; i += 3, out += 4) {
		unsigned long w = (unsigned long)data[i] << 16 |
		                  (i + 1 < n ? (unsigned long)data[i + 1] << 8 : 0) |
		                  (i + 2 < n ? data[i + 2] : 0);

		for (int k = 0; k < 4; k++)
			out[k] = i + k <= n ? digits[w >> (18 - 6 * k) & 63] : '=';
	}

	*out = '\0';

	return text;
}
