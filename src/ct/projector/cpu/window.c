/** Windows of views: copies 4 x 4 pixels at a time if the lines of the window are perpendicular to those of
 * the view. */

#include "ct/projector/cpu/window.h"

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 4 };

typedef float quad __attribute__((vector_size(BLOCK * sizeof(float)), aligned(sizeof(float)), may_alias));

INLINE void transpose(quad out[BLOCK], const quad in[BLOCK])
{
	const quad a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
	           b = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
	           c = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
	           d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);

	out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	out[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	out[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	out[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

void window_get(float *window, long pitch, const float *view, long across, long along, long lines, long n)
{
	const long blocks = (across == 1) ? lines / BLOCK * BLOCK : 0, end = n / BLOCK * BLOCK;

	for (long a = 0; a < lines; a++)
		for (long b = (a < blocks) ? end : 0; b < n; b++)
			window[a * pitch + b] = view[a * across + b * along];

	for (long b = 0; b < end; b += BLOCK)
		for (long a = 0; a < blocks; a += BLOCK) {
			float *to = window + a * pitch + b;
			quad in[BLOCK], out[BLOCK];

			for (int i = 0; i < BLOCK; i++)
				in[i] = *(const quad *)(view + (b + i) * along + a);

			transpose(out, in);

			for (int i = 0; i < BLOCK; i++)
				*(quad *)(to + i * pitch) = out[i];
		}
}

void window_add(float *view, long across, long along, const float *window, long pitch, long lines, long n)
{
	const long blocks = (across == 1) ? lines / BLOCK * BLOCK : 0, end = n / BLOCK * BLOCK;

	for (long a = 0; a < lines; a++)
		for (long b = (a < blocks) ? end : 0; b < n; b++)
			view[a * across + b * along] += window[a * pitch + b];

	for (long b = 0; b < end; b += BLOCK)
		for (long a = 0; a < blocks; a += BLOCK) {
			const float *from = window + a * pitch + b;
			quad in[BLOCK], out[BLOCK];

			for (int i = 0; i < BLOCK; i++)
				in[i] = *(const quad *)(from + i * pitch);

			transpose(out, in);

			for (int i = 0; i < BLOCK; i++)
				*(quad *)(view + (b + i) * along + a) += out[i];
		}
}
