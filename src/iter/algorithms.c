/* The list of algorithms. */

#include "iter/algorithm.h"

extern const struct algorithm algorithm_pd3o, algorithm_spdhg, algorithm_dr;
extern const struct algorithm algorithm_landweber, algorithm_gradient, algorithm_bb, algorithm_armijo,
        algorithm_fgm, algorithm_ogm, algorithm_ista, algorithm_fista, algorithm_pogm, algorithm_sirt,
        algorithm_sart, algorithm_ossart, algorithm_lsqr, algorithm_lsmr, algorithm_cgne, algorithm_mlem,
        algorithm_osem, algorithm_sqs, algorithm_sqs_momentum, algorithm_admm, algorithm_ladmm,
        algorithm_pdhg, algorithm_condat, algorithm_nlcg, algorithm_lbfgs, algorithm_ab_gmres,
        algorithm_ba_gmres, algorithm_hybrid_lsqr, algorithm_cg, algorithm_apg;

const struct algorithm *const algorithms[] = {
        &algorithm_landweber,
        &algorithm_gradient,
        &algorithm_bb,
        &algorithm_armijo,
        &algorithm_fgm,
        &algorithm_ogm,
        &algorithm_nlcg,
        &algorithm_lbfgs,
        &algorithm_ista,
        &algorithm_fista,
        &algorithm_apg,
        &algorithm_pogm,
        &algorithm_sirt,
        &algorithm_sart,
        &algorithm_ossart,
        &algorithm_cg,
        &algorithm_lsqr,
        &algorithm_lsmr,
        &algorithm_cgne,
        &algorithm_hybrid_lsqr,
        &algorithm_ab_gmres,
        &algorithm_ba_gmres,
        &algorithm_mlem,
        &algorithm_osem,
        &algorithm_sqs,
        &algorithm_sqs_momentum,
        &algorithm_admm,
        &algorithm_ladmm,
        &algorithm_pdhg,
        &algorithm_condat,
        &algorithm_pd3o,
        &algorithm_spdhg,
        &algorithm_dr,
        NULL,
};
