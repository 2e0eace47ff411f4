/* Twelve independent chains: enough to fill the pipelines of any core. */

#include "num/bench/bench_fma.h"

#include <string.h>

#include "num/kern/kern.h"

enum { CHAINS = 12, LANES = 16, STEPS = 100000 };

double bench_fma_flops(void)
{
	return 2. * CHAINS * LANES * STEPS;
}

/* a = a b + c, towards c / (1 - b). */
#define CHAIN(name, attributes, set, fma, type, per)                                                         \
	attributes static float name(void)                                                                   \
	{                                                                                                    \
		type a[CHAINS * LANES / per], b = set(0.999f), c = set(0.001f);                              \
		float sum[per] = {0};                                                                        \
                                                                                                             \
		for (int k = 0; k < CHAINS * LANES / per; k += CHAINS) {                                     \
			for (int i = 0; i < CHAINS; i++)                                                     \
				a[k + i] = set((float)i);                                                    \
                                                                                                             \
			for (long n = 0; n < STEPS; n++)                                                     \
				_Pragma("GCC unroll 12") for (int i = 0; i < CHAINS; i++) a[k + i] =         \
				        fma(a[k + i], b, c);                                                 \
                                                                                                             \
			for (int i = 1; i < CHAINS; i++)                                                     \
				a[k] = fma(a[k], a[k + i], c);                                               \
		}                                                                                            \
                                                                                                             \
		memcpy(sum, a, sizeof sum);                                                                  \
		return sum[0];                                                                               \
	}

#define SPLAT_4(x)     ((f32x4){x, x, x, x})
#define FMA_4(a, b, c) ((a) * (b) + (c))

typedef float f32x4 __attribute__((vector_size(16)));

CHAIN(chains_plain, , SPLAT_4, FMA_4, f32x4, 4)

#ifdef __x86_64__
#include <immintrin.h>

CHAIN(chains_avx2, __attribute__((target("avx2,fma"))), _mm256_set1_ps, _mm256_fmadd_ps, __m256, 8)
CHAIN(chains_avx512, __attribute__((target("avx512f"))), _mm512_set1_ps, _mm512_fmadd_ps, __m512, 16)
#endif

static float chains(void)
{
#ifdef __x86_64__
	if (0 == strcmp(kern_isa(), "avx512"))
		return chains_avx512();

	if (0 == strcmp(kern_isa(), "avx2") && __builtin_cpu_supports("fma"))
		return chains_avx2();
#endif
	return chains_plain();
}

float bench_fma_run(void)
{
	float sum = 0;

#pragma omp parallel reduction(+ : sum)
	sum += chains();

	return sum;
}
