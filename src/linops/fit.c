#include "linops/fit.h"

#include "misc/error.h"
#include "misc/file/hdr.h"
#include "num/md/multind.h"

const char *fit_shape(const long dims[DIMS])
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, DIMS, dims);

	return hdr_shape(&h);
}

void fit_types(const struct linop *A, const struct linop *B)
{
	if (linop_type(A) != linop_type(B))
		error("operators %s (%s) and %s (%s) have different types, expected one type", linop_name(A),
		        dtype_name(linop_type(A)), linop_name(B), dtype_name(linop_type(B)));
}

void fit_same(const struct linop *A, const long a[DIMS], const struct linop *B, const long b[DIMS],
        const char *side)
{
	if (!md_check_equal_dims(DIMS, a, b, ~0UL))
		error("operators %s and %s have %s of %s and %s, expected the same", linop_name(A),
		        linop_name(B), side, fit_shape(a), fit_shape(b));
}

void fit_flags(int D, unsigned long flags, const char *what)
{
	if (D < 1 || D > DIMS)
		error("%s of an array with %d dimensions is not supported, expected 1 to %d", what, D, DIMS);

	if (0 == flags || (D < DIMS && 0 != flags >> D) || 0 != flags >> DIMS)
		error("%s along the dimensions of bit mask 0x%lx is not supported, expected one or more of "
		      "the dimensions 0 to %d",
		        what, flags, D - 1);
}
