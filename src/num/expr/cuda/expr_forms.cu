/* Frequent forms of expressions of contiguous float32, without a compilation on first use: 16 bytes at a
 * time, two times per thread. */

#include <string.h>

#include "num/device/cuda/gpu.h"
#include "num/expr/cuda/expr_device.h"
#include "num/expr/cuda/expr_fold.h"

enum { UNROLL = 2, VECTOR = 4, TILE = EXPR_THREADS * UNROLL * VECTOR };

/** X(name, signature, value of x, y, z and the number s, operands). */
#define FORMS(X)                                                                                             \
	X(add, "add 0 1", x + y, 2)                                                                          \
	X(sub, "sub 0 1", x - y, 2)                                                                          \
	X(mul, "mul 0 1", x *y, 2)                                                                           \
	X(div, "div 0 1", x / y, 2)                                                                          \
	X(scale, "mul s 0", s *x, 1)                                                                         \
	X(scale_by, "mul 0 s", x *s, 1)                                                                      \
	X(shift, "add 0 s", x + s, 1)                                                                        \
	X(shift_down, "sub 0 s", x - s, 1)                                                                   \
	X(mul_self, "mul 0 0", x *x, 1)                                                                      \
	X(square, "square 0", x *x, 1)                                                                       \
	X(axpy, "muladd s 0 1", s *x + y, 2)                                                                 \
	X(axpy_by, "muladd 0 s 1", x *s + y, 2)                                                              \
	X(mul_add_self, "muladd 0 1 1", x *y + y, 2)                                                         \
	X(muladd, "muladd 0 1 2", x *y + z, 3)                                                               \
	X(at_least, "max 0 s", (x != x) ? x : (x > s) ? x : s, 1)                                            \
	X(at_most, "min 0 s", (x != x) ? x : (x < s) ? x : s, 1)

#define X(name, signature, value, count)                                                                     \
	struct form_##name {                                                                                 \
		enum { operands = count };                                                                   \
		static __device__ __forceinline__ float of(float x, float y, float z, float s)               \
		{                                                                                            \
			(void)y;                                                                             \
			(void)z;                                                                             \
			(void)s;                                                                             \
                                                                                                             \
			return value;                                                                        \
		}                                                                                            \
	};
FORMS(X)
#undef X

template <class F>
static __global__ void __launch_bounds__(EXPR_THREADS)
        run_form(long n, float *out, const float *a, const float *b, const float *c, float s)
{
	const float *const in[3] = {a, b, c};
	const long first = (long)blockIdx.x * TILE + threadIdx.x * VECTOR;
	float4 v[UNROLL][3];

#pragma unroll
	for (int u = 0; u < UNROLL; u++)
#pragma unroll
		for (int k = 0; k < F::operands; k++) {
			const long i = first + u * EXPR_THREADS * VECTOR;

			if (i + VECTOR <= n)
				v[u][k] = __ldcs((const float4 *)(in[k] + i));
		}

#pragma unroll
	for (int u = 0; u < UNROLL; u++) {
		const long i = first + u * EXPR_THREADS * VECTOR;

		if (i + VECTOR <= n) {
			const float4 x = v[u][0], y = v[u][F::operands > 1 ? 1 : 0],
			             z = v[u][F::operands > 2 ? 2 : 0];

			__stcs((float4 *)(out + i),
			        make_float4(F::of(x.x, y.x, z.x, s), F::of(x.y, y.y, z.y, s),
			                F::of(x.z, y.z, z.z, s), F::of(x.w, y.w, z.w, s)));
			continue;
		}

		for (long k = i; k < n; k++)
			out[k] = F::of(a[k], F::operands > 1 ? b[k] : 0, F::operands > 2 ? c[k] : 0, s);
	}
}

template <class F> static void start(long n, float *out, const float *const in[3], float s)
{
	GPU_LAUNCH((run_form<F>), gpu_divide_up(n, TILE), EXPR_THREADS, 0, gpu_stream(), n, out, in[0], in[1],
	        in[2], s);
}

struct expr_form {
	const char *signature;
	void (*start)(long n, float *out, const float *const in[3], float s);
};

const struct expr_form *expr_form_of(const char *signature)
{
	static const struct expr_form forms[] = {
#define X(name, text, value, count) {text, start<form_##name>},
	        FORMS(X)
#undef X
	};

	for (const struct expr_form &f : forms)
		if (0 == strcmp(f.signature, signature))
			return &f;

	return NULL;
}

void expr_form_run(const struct expr_form *f, long n, float *out, const float *const in[3], float a)
{
	f->start(n, out, in, a);
}
