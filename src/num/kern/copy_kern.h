#ifndef NUM_KERN_COPY_KERN_H
#define NUM_KERN_COPY_KERN_H

#include <stddef.h>

/** Inner loops of strided copies, for elements of any size and alignment. */
struct copy_kern {
	/** Copies n elements of `size` bytes from p to o. Elements are `is` bytes apart in p and `os`
	 * bytes apart in o. */
	void (*run)(long n, size_t size, char *o, long os, const char *p, long is);
	/** Copies rows of n elements. Rows are irow bytes apart in p and orow bytes apart in o. */
	void (*runs)(long rows, long n, size_t size, char *o, long orow, long os, const char *p, long irow,
	        long is);
	/** Copies n blocks of `size` >= 16 bytes from p to o. Blocks are `is` bytes apart in p and `os`
	 * bytes apart in o. */
	void (*lines)(long n, long size, char *o, long os, const char *p, long is);
	/** Transposes nx rows of ny contiguous elements: o[y][x] = p[x][y]. Rows are ipitch bytes apart in
	 * p and opitch bytes apart in o. */
	void (*transpose)(size_t size, long nx, long ny, char *o, long opitch, const char *p, long ipitch);
};

/** Kernels for AVX2 and AVX-512 exist only on x86-64. */
extern const struct copy_kern copy_kern_plain, copy_kern_avx2, copy_kern_avx512;

/** Returns the kernels for this machine. */
extern const struct copy_kern *copy_kern(void);

#endif
