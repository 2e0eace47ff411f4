/** Conversion of data of another byte order or with other steps. */

#include <byteswap.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "misc/file/foreign.h"

#define SWAP(bits)                                                                                           \
	for (long i = 0; i < units; i++) {                                                                   \
		uint##bits##_t x;                                                                            \
		memcpy(&x, p + i * (bits / 8), sizeof x);                                                    \
		x = bswap_##bits(x);                                                                         \
		memcpy(p + i * (bits / 8), &x, sizeof x);                                                    \
	}

void foreign_swap(void *data, long units, size_t unit)
{
	unsigned char *p = data;

	switch (unit) {
	case 2:
		SWAP(16);
		break;
	case 4:
		SWAP(32);
		break;
	case 8:
		SWAP(64);
		break;
	}
}

/* A strided copy without unit dims, sorted by the steps of the output, neighbours merged. */
struct copy {
	size_t size;
	int n;
	long dims[DIMS], ostrs[DIMS], istrs[DIMS];
};

static void add_dim(struct copy *c, long n, long ostr, long istr)
{
	int k = c->n++;

	for (; k > 0 && labs(c->ostrs[k - 1]) > labs(ostr); k--) {
		c->dims[k] = c->dims[k - 1];
		c->ostrs[k] = c->ostrs[k - 1];
		c->istrs[k] = c->istrs[k - 1];
	}

	c->dims[k] = n;
	c->ostrs[k] = ostr;
	c->istrs[k] = istr;
}

static void merge(struct copy *c)
{
	int n = 0;

	for (int k = 1; k < c->n; k++) {
		if (c->ostrs[k] == c->ostrs[n] * c->dims[n] && c->istrs[k] == c->istrs[n] * c->dims[n]) {
			c->dims[n] *= c->dims[k];
			continue;
		}

		n++;
		c->dims[n] = c->dims[k];
		c->ostrs[n] = c->ostrs[k];
		c->istrs[n] = c->istrs[k];
	}

	c->n = c->n > 0 ? n + 1 : 0;
}

#define COPY(bytes)                                                                                          \
	case bytes:                                                                                          \
		for (long i = 0; i < n; i++)                                                                 \
			memcpy(out + i * ostr, in + i * istr, bytes);                                        \
		break;

static void copy_line(size_t size, long n, unsigned char *out, long ostr, const unsigned char *in, long istr)
{
	if (ostr == (long)size && istr == (long)size) {
		memcpy(out, in, (size_t)n * size);
		return;
	}

	switch (size) {
		COPY(1)
		COPY(2)
		COPY(4)
		COPY(8)
		COPY(16)
	}
}

enum { BLOCK = 32 };

/* Dims a and b, in blocks where they are two. */
static void copy_plane(const struct copy *c, int a, int b, unsigned char *out, const unsigned char *in)
{
	if (a == b) {
		copy_line(c->size, c->dims[a], out, c->ostrs[a], in, c->istrs[a]);
		return;
	}

	for (long j = 0; j < c->dims[b]; j += BLOCK)
		for (long i = 0; i < c->dims[a]; i += BLOCK)
			for (long k = j; k < j + BLOCK && k < c->dims[b]; k++)
				copy_line(c->size, c->dims[a] - i < BLOCK ? c->dims[a] - i : BLOCK,
				        out + i * c->ostrs[a] + k * c->ostrs[b], c->ostrs[a],
				        in + i * c->istrs[a] + k * c->istrs[b], c->istrs[a]);
}

void foreign_copy(const long dims[DIMS], const long ostrs[DIMS], void *out, const long istrs[DIMS],
        const void *in, size_t size)
{
	struct copy c = {.size = size};
	long index[DIMS] = {0};
	int a = 0, b = 0; // the dims with the smallest steps in the output and in the input

	for (int d = 0; d < DIMS; d++)
		if (dims[d] > 1)
			add_dim(&c, dims[d], ostrs[d], istrs[d]);

	if (0 == c.n)
		add_dim(&c, 1, (long)size, (long)size);

	merge(&c);

	for (int d = 1; d < c.n; d++)
		if (labs(c.istrs[d]) < labs(c.istrs[b]))
			b = d;

	for (bool more = true; more;) {
		long from = 0, to = 0;

		for (int d = 0; d < c.n; d++) {
			from += index[d] * c.istrs[d];
			to += index[d] * c.ostrs[d];
		}

		copy_plane(&c, a, b, (unsigned char *)out + to, (const unsigned char *)in + from);
		more = false;

		for (int d = 0; d < c.n && !more; d++) {
			if (d == a || d == b)
				continue;

			more = ++index[d] < c.dims[d];

			if (!more)
				index[d] = 0;
		}
	}
}

void foreign_steps(const long dims[DIMS], bool last_first, size_t size, long strs[DIMS])
{
	long step = (long)size;

	for (int i = 0; i < DIMS; i++) {
		int d = last_first ? DIMS - 1 - i : i;

		strs[d] = 1 == dims[d] ? 0 : step;
		step *= dims[d];
	}
}
