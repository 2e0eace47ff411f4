#ifndef NUM_KERN_COPY_KERN_H
#define NUM_KERN_COPY_KERN_H

#include <stddef.h>

/** Inner loops of strided copies, compiled for several instruction sets; elements of any size, no alignment.
 */
struct copy_kern {
	/** Copies n elements of `size` bytes from p to o; their steps are `is` and `os` [bytes]. */
	void (*run)(long n, size_t size, char *o, long os, const char *p, long is);
	/** Copies rows of n elements; rows are orow and irow bytes apart. */
	void (*runs)(long rows, long n, size_t size, char *o, long orow, long os, const char *p, long irow,
	        long is);
	/** Copies n lines of size >= 16 bytes from p to o; their steps are `is` and `os` [bytes]. */
	void (*lines)(long n, long size, char *o, long os, const char *p, long is);
	/** o[y][x] = p[x][y]: nx rows of ny contiguous elements become ny rows of nx; rows are opitch and
	 * ipitch bytes apart. */
	void (*transpose)(size_t size, long nx, long ny, char *o, long opitch, const char *p, long ipitch);
};

/** The kernels for AVX2 and AVX-512 exist on x86-64 only. */
extern const struct copy_kern copy_kern_plain, copy_kern_avx2, copy_kern_avx512;

/** The kernels for this machine. */
extern const struct copy_kern *copy_kern(void);

#endif
