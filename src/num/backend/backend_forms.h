#ifndef NUM_BACKEND_BACKEND_FORMS_H
#define NUM_BACKEND_BACKEND_FORMS_H

#include "num/backend/backend.h"

/**
 * The forms_*() functions call these two functions of a back end:
 * - chain(): Computes a chain of operators.
 * - contract(): Adds `a b` to `out`, summed over the dims where `out` has step 0.
 */
struct backend_forms {
	void (*chain)(const struct md_chain *f, enum dtype t, const struct md_shape *s, void *out,
	        const void *const in[]);
	void (*contract)(enum dtype t, bool conj_b, bool wide, const struct md_shape *s, void *out,
	        const void *a, const void *b);
};

extern void forms_apply1(const struct backend_forms *b, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *a);
extern void forms_apply2(const struct backend_forms *b, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *x, const void *y);
extern void forms_apply3(const struct backend_forms *b, enum op op, enum dtype t, const struct md_shape *s,
        void *out, const void *x, const void *y, const void *z);
extern void forms_fmac(const struct backend_forms *b, enum dtype t, bool conj_b, bool wide,
        const struct md_shape *s, void *out, const void *x, const void *y);
extern void forms_smul(const struct backend_forms *b, enum dtype t, const struct md_shape *s, void *out,
        const void *a, complex double f);
extern void forms_axpy(const struct backend_forms *b, enum dtype t, const struct md_shape *s, void *out,
        complex double f, const void *a);

/** Splits the dims of a reduction. The dims of the output become `keep`. The reduced dims become `fold`. All
 * dims are simplified by md_simplify(). */
extern void forms_split(struct md_shape *keep, struct md_shape *fold, const struct md_shape *s);

#endif
