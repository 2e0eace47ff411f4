#ifndef MINIMAL_CUDA_VECTOR_TYPES_H
#define MINIMAL_CUDA_VECTOR_TYPES_H

/** Short vectors of the kernel language, aligned as there, and their make_ functions. */

struct emulated_index {
	unsigned x, y, z;
};

#define EMULATED_VECTORS(type, name, align2, align4)                                                         \
	struct name##1                                                                                       \
	{                                                                                                    \
		type x;                                                                                      \
	};                                                                                                   \
	struct __attribute__((aligned(align2))) name##2                                                      \
	{                                                                                                    \
		type x, y;                                                                                   \
	};                                                                                                   \
	struct name##3                                                                                       \
	{                                                                                                    \
		type x, y, z;                                                                                \
	};                                                                                                   \
	struct __attribute__((aligned(align4))) name##4                                                      \
	{                                                                                                    \
		type x, y, z, w;                                                                             \
	};                                                                                                   \
	static inline name##1 make_##name##1(type x)                                                         \
	{                                                                                                    \
		return {x};                                                                                  \
	}                                                                                                    \
	static inline name##2 make_##name##2(type x, type y)                                                 \
	{                                                                                                    \
		return {x, y};                                                                               \
	}                                                                                                    \
	static inline name##3 make_##name##3(type x, type y, type z)                                         \
	{                                                                                                    \
		return {x, y, z};                                                                            \
	}                                                                                                    \
	static inline name##4 make_##name##4(type x, type y, type z, type w)                                 \
	{                                                                                                    \
		return {x, y, z, w};                                                                         \
	}

EMULATED_VECTORS(signed char, char, 2, 4)
EMULATED_VECTORS(unsigned char, uchar, 2, 4)
EMULATED_VECTORS(short, short, 4, 8)
EMULATED_VECTORS(unsigned short, ushort, 4, 8)
EMULATED_VECTORS(int, int, 8, 16)
EMULATED_VECTORS(unsigned, uint, 8, 16)
EMULATED_VECTORS(long, long, 16, 16)
EMULATED_VECTORS(unsigned long, ulong, 16, 16)
EMULATED_VECTORS(long long, longlong, 16, 16)
EMULATED_VECTORS(unsigned long long, ulonglong, 16, 16)
EMULATED_VECTORS(float, float, 8, 16)
EMULATED_VECTORS(double, double, 16, 16)
#undef EMULATED_VECTORS

#endif
