#include "linops/spectrum.h"

#include "linops/linop.h"
#include "num/fft/fft.h"
#include "num/md/flpmath.h"

void spectrum_init(struct spectrum *s, enum dtype type, int D, const long dims[], unsigned long flags)
{
	*s = (struct spectrum){.type = type,
	        .complex_type = (DT_FLOAT32 == dtype_real(type)) ? DT_COMPLEX64 : DT_COMPLEX128,
	        .D = D,
	        .flags = flags,
	        .size = md_calc_size(D, dims)};
	md_copy_dims(D, s->dims, dims);
}

void spectrum_free(struct spectrum *s)
{
	scratch_free(&s->work);
}

static char *spectrum_work(struct spectrum *s, int k, const void *ref)
{
	char *p = scratch_get(&s->work, s->complex_type, 2 * s->size, ref);

	return p + k * s->size * (long)dtype_size(s->complex_type);
}

/** Work array 0 = transform of src. */
void *spectrum_forward(struct spectrum *s, const void *src)
{
	char *z = spectrum_work(s, 0, src);

	if (!dtype_is_complex(s->type)) {
		long in[1], out[1], n[1] = {s->size};
		struct md_chain promote = {0};

		md_calc_strides(1, in, n, dtype_size(s->type));
		md_calc_strides(1, out, n, dtype_size(s->complex_type));
		chain_convert(&promote, s->complex_type, chain_operand(&promote, s->type));
		md_chain(&promote, s->complex_type, 1, n, out, z, (const long *const[]){in},
		        (const void *const[]){src});
		src = z;
	}

	fft(s->D, s->dims, s->flags, FFT_UNITARY, s->complex_type, z, src);

	return z;
}

static void back(struct spectrum *s, void *dst, char *z)
{
	const bool is_complex = dtype_is_complex(s->type);

	fft(s->D, s->dims, s->flags, FFT_UNITARY | FFT_INVERSE, s->complex_type, is_complex ? dst : z, z);

	if (is_complex)
		return;

	long in[1], out[1], n[1] = {s->size};
	struct md_chain real = {0};

	md_calc_strides(1, in, n, dtype_size(s->complex_type));
	md_calc_strides(1, out, n, dtype_size(s->type));
	chain_op1(&real, OP_REAL, chain_operand(&real, s->complex_type));
	md_chain(&real, s->type, 1, n, out, dst, (const long *const[]){in}, (const void *const[]){z});
}

/** out = w z, or out += w z */
static void weigh(struct spectrum *s, char *out, const char *z, const void *w, const long wstrs[], bool add)
{
	long strs[DIMS];
	struct md_chain c = {0};
	const int a = chain_operand(&c, s->complex_type), b = chain_operand(&c, dtype_real(s->type));
	const int sum = add ? chain_operand(&c, s->complex_type) : -1;
	const int product = chain_by_parts(&c, OP_MUL, a, b);

	if (add)
		chain_op2(&c, OP_ADD, sum, product);

	md_calc_strides(s->D, strs, s->dims, dtype_size(s->complex_type));
	md_chain(&c, s->complex_type, s->D, s->dims, strs, out, (const long *const[]){strs, wstrs, strs},
	        (const void *const[]){z, w, out});
}

void spectrum_back(struct spectrum *s, void *dst, const void *w, const long wstrs[])
{
	char *z = spectrum_work(s, 0, dst), *t = spectrum_work(s, 1, dst);

	if (NULL != w)
		weigh(s, t, z, w, wstrs, false);

	back(s, dst, (NULL != w) ? t : z);
}

void spectrum_gather(struct spectrum *s, const void *src, const void *w, const long wstrs[], bool first)
{
	char *z = spectrum_forward(s, src);

	weigh(s, spectrum_work(s, 1, src), z, w, wstrs, !first);
}

void spectrum_gathered(struct spectrum *s, void *dst)
{
	back(s, dst, spectrum_work(s, 1, dst));
}
