#ifndef NUM_BACKEND_BACKEND_FORMS_H
#define NUM_BACKEND_BACKEND_FORMS_H

#include "num/backend/backend.h"

/** The functions by which a back end runs chains, and out += a b with steps of 0 in out. The primitives of
 * num/backend/backend.h are based on them. */
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

/** Splits the dims of a reduction into the dims of the output (keep) and the reduced dims (fold), each in
 * normal form. */
extern void forms_split(struct md_shape *keep, struct md_shape *fold, const struct md_shape *s);

#endif
