#ifndef NUM_KERN_SIMILARITY_KERN_H
#define NUM_KERN_SIMILARITY_KERN_H

#include <stdbool.h>

/** Sums over a block of elements, for similarity() in num/stat/similarity.h. */
struct similarity_part {
	bool correlated;       // whether means and deviations are computed
	long n;                // number of elements compared
	long bad_ref, bad_img; // numbers of elements that are not finite
	double diff2, ref2;
	double diff, max;        // sum and maximum of |img - ref|
	double min_ref, max_ref; // minimum and maximum of ref
	double mean[2];          // of ref and img; of the magnitudes of complex elements
	double dev[3];           // sums of products of deviations: ref ref, img img, ref img
};

/** Writes the sums over n elements to *p, without a mask. Elements are float32 if `narrow`, else float64. The
 * kernels give bit-identical sums. The AVX2 and AVX-512 kernels exist on x86-64 only. Returns false and
 * leaves *p undefined if an element is not finite or `n % 8 != 0`. */
typedef bool similarity_kern(
        struct similarity_part *p, bool correlated, bool narrow, long n, const void *ref, const void *img);

extern similarity_kern similarity_kern_plain, similarity_kern_avx2, similarity_kern_avx512;

#endif
