#ifndef LINOPS_XRAY_BALLFIT_H
#define LINOPS_XRAY_BALLFIT_H

#include "linops/xray/geom.h"

/**
 * The geometry of a scan from the tracks of small balls on the detector, in the spirit of [1, 2]: the places
 * of the balls and what all views have in common are fitted to the balls' centroids by Levenberg-Marquardt.
 * The distance of the source from the axis sets the scale and stays.
 *
 * [1] F. Noo et al., Analytic method based on identification of ellipse parameters for scanner calibration in
 * cone-beam tomography, Phys. Med. Biol. 45(11), 2000. [2] Y. Cho et al., Accurate technique for complete
 * geometric calibration of cone-beam computed tomography systems, Med. Phys. 32(4), 2005.
 */
enum ballfit_parameter {
	BALLFIT_U,    // shift of the detector along its columns' direction [columns]
	BALLFIT_V,    // and along its rows' [rows]
	BALLFIT_ROLL, // turns about its centre, as geom_turn_detector() [degrees]
	BALLFIT_TILT,
	BALLFIT_YAW,
	BALLFIT_SDD, // relative change
	BALLFIT_PARAMETERS
};
extern const char *const ballfit_name[BALLFIT_PARAMETERS], *const ballfit_unit[BALLFIT_PARAMETERS];

/** A ball seen in some views. */
struct ball_track {
	double *u, *v; // of every view; NAN where it was not found
};

/** Finds balls in a projection (cols, rows) of every view and follows them: those that stand alone. proj:
 * read by `view`, which fills p[cols * rows]. Returns how many are seen in at least half of the views. */
typedef void ballfit_view_fn(void *ctx, long k, double *p);
extern long ball_tracks(const struct geom *g, ballfit_view_fn *view, void *ctx, struct ball_track **tracks);
extern void ball_tracks_free(long n, struct ball_track *tracks);

/** Changes of a geometry that all views share. */
extern void ballfit_apply(struct geom *g, const double value[BALLFIT_PARAMETERS]);

/** Fits the parameters that are wanted; error[]: standard deviations from the residuals; *rms: of the
 * residual [pixels]. False when the equations have no unique solution. */
extern bool ballfit(const struct geom *g, long balls, const struct ball_track *tracks,
        const bool wanted[BALLFIT_PARAMETERS], double value[BALLFIT_PARAMETERS],
        double error[BALLFIT_PARAMETERS], double *rms);

#endif
