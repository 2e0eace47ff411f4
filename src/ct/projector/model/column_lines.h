#ifndef CT_PROJECTOR_MODEL_COLUMN_LINES_H
#define CT_PROJECTOR_MODEL_COLUMN_LINES_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "ct/projector/cpu/columns.h"
#include "ct/projector/cpu/transpose.h"

/** Copies pixels between a view and line buffers. A line buffer holds the rows of one detector column. Only
 * the column kernels include this header. */

#define INLINE static inline __attribute__((always_inline, unused))
#define SIMD   _Pragma("omp simd")
#define UNROLL _Pragma("GCC unroll 16")

enum { LANES = 16 };

/** Multiplies each row of `line` by the length of the row's ray between successive planes [mm]. */
INLINE void scale(float *line, const struct column_job *j, const struct column *c)
{
	const double *spacing = j->x->grid.spacing;
	const double a = spacing[c->m], b = c->slope * spacing[c->p];
	const float flat = (float)(a * a + b * b), rise = (float)(c->rise[0] * spacing[2]),
	            more = (float)(c->rise[1] * spacing[2]);

	SIMD for (int r = 0; r < j->rows; r++)
	{
		const float h = rise + (float)r * more;

		line[r] *= sqrtf(flat + h * h);
	}
}

/** Adds the line buffers of the columns that are marked in j->done to the view. */
INLINE void add_lines(const struct column_job *j, const float (*lines)[COLUMN_PITCH])
{
	for (int r = 0; r < j->rows; r++)
		for (int i = 0; i < j->columns; i++)
			if (j->done >> i & 1)
				j->first[r * j->next + i * j->step] += lines[i][COLUMN_GUARD + r];
}

INLINE void get_lines(const struct column_job *j, float (*lines)[COLUMN_PITCH])
{
	for (int r = 0; r < j->rows; r++)
		for (int i = 0; i < j->columns; i++)
			lines[i][COLUMN_GUARD + r] = j->first[r * j->next + i * j->step];
}

#ifdef __x86_64__
#define AVX2   __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/** Returns whether blocks of 16 columns and 8 rows can be transposed in registers. */
AVX2 INLINE bool whole_blocks(const struct column_job *j)
{
	return j->step == 1 && j->columns == COLUMNS && j->rows >= 8;
}

AVX2 INLINE void add_lines256(const struct column_job *j, const float (*lines)[COLUMN_PITCH])
{
	const int whole = whole_blocks(j) && (j->done & 0xffff) == 0xffff ? j->rows / 8 * 8 : 0;

	for (int r0 = 0; r0 < whole; r0 += 8)
		for (int i0 = 0; i0 < COLUMNS; i0 += 8) {
			__m256 r[8];

			UNROLL for (int i = 0; i < 8; i++) r[i] =
			        _mm256_loadu_ps(lines[i0 + i] + COLUMN_GUARD + r0);

			transpose256(r);

			UNROLL for (int k = 0; k < 8; k++)
			{
				float *p = j->first + (r0 + k) * j->next + i0;

				_mm256_storeu_ps(p, _mm256_add_ps(_mm256_loadu_ps(p), r[k]));
			}
		}

	for (int r = whole; r < j->rows; r++)
		for (int i = 0; i < j->columns; i++)
			if (j->done >> i & 1)
				j->first[r * j->next + i * j->step] += lines[i][COLUMN_GUARD + r];
}

AVX2 INLINE void get_lines256(const struct column_job *j, float (*lines)[COLUMN_PITCH])
{
	const int whole = whole_blocks(j) ? j->rows / 8 * 8 : 0;

	for (int r0 = 0; r0 < whole; r0 += 8)
		for (int i0 = 0; i0 < COLUMNS; i0 += 8) {
			__m256 r[8];

			UNROLL for (int k = 0; k < 8; k++) r[k] =
			        _mm256_loadu_ps(j->first + (r0 + k) * j->next + i0);

			transpose256(r);

			UNROLL for (int i = 0; i < 8; i++)
			        _mm256_storeu_ps(lines[i0 + i] + COLUMN_GUARD + r0, r[i]);
		}

	for (int r = whole; r < j->rows; r++)
		for (int i = 0; i < j->columns; i++)
			lines[i][COLUMN_GUARD + r] = j->first[r * j->next + i * j->step];
}

AVX512 INLINE void add_lines512(const struct column_job *j, const float (*lines)[COLUMN_PITCH])
{
	if (j->step != 1) {
		add_lines(j, lines);
		return;
	}

	for (int r0 = 0; r0 < j->rows; r0 += LANES) {
		__m512 r[16];

		UNROLL for (int i = 0; i < 16; i++) r[i] =
		        (j->done >> i & 1) ? _mm512_loadu_ps(lines[i] + COLUMN_GUARD + r0)
		                           : _mm512_setzero_ps();

		transpose512(r);

		UNROLL for (int k = 0; k < 16; k++)
		{
			float *p = j->first + (r0 + k) * j->next;
			const __mmask16 in = (r0 + k < j->rows) ? (1u << j->columns) - 1 : 0;

			_mm512_mask_storeu_ps(p, in, _mm512_add_ps(_mm512_maskz_loadu_ps(in, p), r[k]));
		}
	}
}

AVX512 INLINE void get_lines512(const struct column_job *j, float (*lines)[COLUMN_PITCH])
{
	if (j->step != 1) {
		get_lines(j, lines);
		return;
	}

	for (int r0 = 0; r0 < j->rows; r0 += LANES) {
		__m512 r[16];

		UNROLL for (int k = 0; k < 16; k++) r[k] = _mm512_maskz_loadu_ps(
		        (r0 + k < j->rows) ? (1u << j->columns) - 1 : 0, j->first + (r0 + k) * j->next);

		transpose512(r);

		UNROLL for (int i = 0; i < 16; i++) _mm512_storeu_ps(lines[i] + COLUMN_GUARD + r0, r[i]);
	}
}

#endif

#endif
