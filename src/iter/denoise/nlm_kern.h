#ifndef ITER_DENOISE_NLM_KERN_H
#define ITER_DENOISE_NLM_KERN_H

/** Loops of non-local means over lines, bit-identical for every instruction set. The tables for AVX2 and
 * AVX-512 exist on x86-64 only. */
struct nlm_kern {
	/** d[i] += (a[i] - b[i])^2 */
	void (*square)(long n, float *d, const float *a, const float *b);
	/** out[i] = the sum over the rows d + k pitch, 0 <= k < rows */
	void (*add_rows)(long n, float *out, const float *d, long rows, long pitch);
	/** The weight is exp(-factor * max(distance - twice, 0)), where distance is inverse[i] * scale * (the
	 * sum of c[i - r .. i + r]). total[i] += weight, sum[i] += weight * b[i], largest[i] =
	 * max(largest[i], weight). */
	void (*gather)(long n, long r, const float *c, const float *inverse, float scale, float twice,
	        float factor, const float *b, float *total, float *sum, float *largest);
};

extern const struct nlm_kern nlm_kern_plain, nlm_kern_avx2, nlm_kern_avx512;

#endif
