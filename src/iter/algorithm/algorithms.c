/* The list of algorithms, in the order of the help. */

#include "iter/algorithm/algorithm.h"

#define ALGORITHMS(X)                                                                                        \
	X(landweber)                                                                                         \
	X(gradient)                                                                                          \
	X(bb)                                                                                                \
	X(armijo)                                                                                            \
	X(fgm)                                                                                               \
	X(ogm)                                                                                               \
	X(nlcg)                                                                                              \
	X(lbfgs)                                                                                             \
	X(ista)                                                                                              \
	X(fista)                                                                                             \
	X(apg)                                                                                               \
	X(pogm)                                                                                              \
	X(sirt)                                                                                              \
	X(sart)                                                                                              \
	X(ossart)                                                                                            \
	X(cg)                                                                                                \
	X(lsqr)                                                                                              \
	X(lsmr)                                                                                              \
	X(cgne)                                                                                              \
	X(hybrid_lsqr)                                                                                       \
	X(ab_gmres)                                                                                          \
	X(ba_gmres)                                                                                          \
	X(mlem)                                                                                              \
	X(osem)                                                                                              \
	X(mltr)                                                                                              \
	X(osmltr)                                                                                            \
	X(irn)                                                                                               \
	X(omp)                                                                                               \
	X(irgnm)                                                                                             \
	X(lm)                                                                                                \
	X(sqs)                                                                                               \
	X(sqs_momentum)                                                                                      \
	X(admm)                                                                                              \
	X(ladmm)                                                                                             \
	X(pdhg)                                                                                              \
	X(condat)                                                                                            \
	X(pd3o)                                                                                              \
	X(spdhg)                                                                                             \
	X(dr)                                                                                                \
	X(asd_pocs)                                                                                          \
	X(os_asd_pocs)                                                                                       \
	X(aw_asd_pocs)                                                                                       \
	X(piccs)

#define X(name) extern const struct algorithm algorithm_##name;
ALGORITHMS(X)
#undef X

#define X(name) &algorithm_##name,
const struct algorithm *const algorithms[] = {ALGORITHMS(X) NULL};
