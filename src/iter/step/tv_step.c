#include <math.h>
#include <string.h>

#include "iter/step/tv_step.h"

#include "misc/minmax.h"
#include "misc/threads.h"
#include "num/kern/kern.h"

enum {
	STEP_RUN = 512, // numbers of a row that are looked at together: their parts stay in the first-level
	                // cache
	BLOCK = 8 * STEP_RUN
};

struct step_vectors {
	void *x, *z;
	const void *dz, *T;
	void *q;
};

#define INLINE static inline __attribute__((always_inline))

INLINE float root_float(float x)
{
	return sqrtf(x);
}

INLINE double root_double(double x)
{
	return sqrt(x);
}

#define REAL        float
#define NAMED(name) name##_float
#include "iter/step/tv_step_impl.inc"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_double
#include "iter/step/tv_step_impl.inc"

/** Loops for one instruction set. */
struct step_kernels {
	void (*planes)(const struct tv_step *s, const struct step_vectors *v, long first, long end,
	        const void *next, void *below);
	void (*edge)(const struct tv_step *s, const struct step_vectors *v, long k, void *below);
	void (*numbers)(const struct tv_step *s, const struct step_vectors *v, long at, long n);
};

#define STEP_KERNELS(isa, type, attributes)                                                                  \
	attributes static void planes_##type##_##isa(const struct tv_step *s, const struct step_vectors *v,  \
	        long first, long end, const void *next, void *below)                                         \
	{                                                                                                    \
		planes_##type(s, v, first, end, next, below);                                                \
	}                                                                                                    \
	attributes static void edge_##type##_##isa(                                                          \
	        const struct tv_step *s, const struct step_vectors *v, long k, void *below)                  \
	{                                                                                                    \
		edge_##type(s, v, k, below);                                                                 \
	}                                                                                                    \
	attributes static void numbers_##type##_##isa(                                                       \
	        const struct tv_step *s, const struct step_vectors *v, long at, long n)                      \
	{                                                                                                    \
		numbers_##type(s, v, at, n);                                                                 \
	}                                                                                                    \
	static const struct step_kernels type##_##isa = {                                                    \
	        planes_##type##_##isa, edge_##type##_##isa, numbers_##type##_##isa};

STEP_KERNELS(plain, float, )
STEP_KERNELS(plain, double, )

#ifdef __x86_64__
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))
STEP_KERNELS(avx2, float, __attribute__((target("avx2"))))
STEP_KERNELS(avx2, double, __attribute__((target("avx2"))))
STEP_KERNELS(avx512, float, AVX512)
STEP_KERNELS(avx512, double, AVX512)
#endif

static const struct step_kernels *kernels(enum dtype real)
{
	return (DT_FLOAT32 == real) ? KERN_CHOOSE(float) : KERN_CHOOSE(double);
}

void tv_step_of_numbers(struct tv_step *s, enum dtype real, long n)
{
	*s = (struct tv_step){.real = real, .n = {n, 1, 1}, .lo = -INFINITY, .hi = INFINITY};
}

/** The dims of more than one element, at most three; of two the second is that of planes, so that threads
 * share them. */
static bool take_dims(struct tv_step *s, const long dims[DIMS], const double factor[DIMS])
{
	int n = 0;

	for (int d = 0; d < DIMS; d++) {
		if ((0. != factor[d] && 1 == dims[d]) || (3 == n && 1 < dims[d]))
			return false;

		if (1 == dims[d])
			continue;

		s->n[n] = dims[d];
		s->factor[n++] = factor[d];
	}

	if (2 == n) {
		s->n[2] = s->n[1];
		s->factor[2] = s->factor[1];
		s->n[1] = 1;
		s->factor[1] = 0.;
	}

	return true;
}

bool tv_step_of_term(struct tv_step *s, const struct iter_term *t)
{
	struct functional_lengths g;
	double factor[DIMS];
	struct tv_step of;

	if (NULL == t->B || !linop_is_differences(t->B, factor) || !functional_is_lengths(t->g, &g) ||
	        dtype_is_complex(functional_type(t->g)))
		return false;

	if (!g.apart && g.flags != 1ul << (linop_codomain_rank(t->B) - 1))
		return false;

	tv_step_of_numbers(&of, functional_type(t->g), 1);
	of.apart = g.apart;
	of.radius = g.factor;

	if (!take_dims(&of, linop_domain(t->B), factor))
		return false;

	*s = of;

	return true;
}

static void run_numbers(const struct tv_step *s, const struct step_vectors *v)
{
	const struct step_kernels *k = kernels(s->real);
	const long n = s->n[0] * s->n[1] * s->n[2];

#pragma omp parallel for schedule(static) num_threads(threads_for((double)n))
	for (long at = 0; at < n; at += BLOCK)
		k->numbers(s, v, at, min_long(BLOCK, n - at));
}

/** Numbers that a part of the planes needs of its neighbours: 2 q' - q below it, room for that of a row, and
 * the plane behind it. */
static long part_room(const struct tv_step *s)
{
	const long size = s->n[0] * s->n[1];

	return ((0. != s->factor[2]) ? 2 * size : 0) + ((0. != s->factor[1]) ? s->n[0] : 0);
}

/** Parts for as many threads as the work is worth, and as there is room for. */
static long count_parts(const struct tv_step *s)
{
	const long all = s->n[0] * s->n[1] * s->n[2], room = part_room(s);
	const int K = (0. != s->factor[0]) + (0. != s->factor[1]) + (0. != s->factor[2]);
	const long threads = min_long(threads_for((double)all * (K + 1)), s->n[2]);

	return (0 == room) ? threads : max_long(1, min_long(threads, K * all / room));
}

struct part {
	long first, end; // planes
	char *below, *next;
};

static struct part part_at(const struct tv_step *s, char *work, long i, long parts)
{
	const long size = s->n[0] * s->n[1], bytes = (long)dtype_size(s->real);
	char *mine = work + i * part_room(s) * bytes;

	return (struct part){.first = i * s->n[2] / parts,
	        .end = (i + 1) * s->n[2] / parts,
	        .below = mine,
	        .next = mine + (part_room(s) - size) * bytes};
}

/** What part i needs from before the step. The last one has no plane behind it. */
static void look_around(const struct tv_step *s, const struct step_vectors *v, const struct part *p)
{
	const long size = s->n[0] * s->n[1], bytes = (long)dtype_size(s->real);

	if (0. == s->factor[2])
		return;

	if (0 == p->first)
		memset(p->below, 0, (size_t)(size * bytes));
	else
		kernels(s->real)->edge(s, v, p->first - 1, p->below);

	if (p->end < s->n[2])
		memcpy(p->next, (char *)v->x + p->end * size * bytes, (size_t)(size * bytes));
}

void tv_step(const struct tv_step *s, void *x, void *z, const void *dz, const void *T, void *q, void *work)
{
	const struct step_vectors v = {x, z, dz, T, q};

	if (NULL == q) {
		run_numbers(s, &v);
		return;
	}

	const long parts = count_parts(s);

#pragma omp parallel num_threads((int)parts)
	{
#pragma omp for schedule(static)
		for (long i = 0; i < parts; i++) {
			const struct part p = part_at(s, work, i, parts);

			look_around(s, &v, &p);
		}

#pragma omp for schedule(static)
		for (long i = 0; i < parts; i++) {
			const struct part p = part_at(s, work, i, parts);

			kernels(s->real)->planes(
			        s, &v, p.first, p.end, (p.end < s->n[2]) ? p.next : NULL, p.below);
		}
	}
}
