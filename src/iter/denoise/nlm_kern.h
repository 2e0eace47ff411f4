#ifndef ITER_DENOISE_NLM_KERN_H
#define ITER_DENOISE_NLM_KERN_H

/** Inner loops of non-local means along dim 0. Results are bit-identical for all instruction sets. The tables
 * for AVX2 and AVX-512 exist on x86-64 only. */
struct nlm_kern {
	/** Adds (a[i] - b[i])^2 to d[i]. */
	void (*square)(long n, float *d, const float *a, const float *b);
	/** Sets out[i] to the sum of `d[i + k pitch]` over 0 <= k < rows. */
	void (*add_rows)(long n, float *out, const float *d, long rows, long pitch);
	/**
	 * Adds element b[i] to the weighted mean:
	 *
	 *     distance = inverse[i] * scale * (c[i - r] + ... + c[i + r])
	 *     weight = exp(-factor * max(distance - twice, 0))
	 *     total[i] += weight, sum[i] += weight * b[i], largest[i] = max(largest[i], weight)
	 */
	void (*gather)(long n, long r, const float *c, const float *inverse, float scale, float twice,
	        float factor, const float *b, float *total, float *sum, float *largest);
};

extern const struct nlm_kern nlm_kern_plain, nlm_kern_avx2, nlm_kern_avx512;

#endif
