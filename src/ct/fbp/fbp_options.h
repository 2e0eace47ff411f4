#ifndef CT_FBP_FBP_OPTIONS_H
#define CT_FBP_FBP_OPTIONS_H

#include "ct/fbp/fbp.h"
#include "misc/options/opt.h"

/** The filter options of the commands `filter` and `fbp`. */
struct fbp_options {
	int filter, short_scan;           // short_scan is -1 if not given
	double cutoff, order, beta, mean; // NAN if not given
	const char *own;                  // file of --window, or NULL
};
#define FBP_OPTIONS                                                                                          \
	{                                                                                                    \
		.short_scan = -1, .cutoff = NAN, .order = NAN, .beta = NAN, .mean = NAN                      \
	}
#define OPT_FBP(o)                                                                                           \
	OPT_CHOICE(                                                                                          \
	        'f', "filter", &(o)->filter, ramp_names, "window of the ramp filter, or the local filter"),  \
	        OPT_DOUBLE(0, "cutoff", &(o)->cutoff, "C", 0.001, 1,                                         \
	                "frequency where the window ends, of Nyquist's (default: 1); butterworth: where it " \
	                "falls to 0.71 (default: 0.5)"),                                                     \
	        OPT_DOUBLE(0, "order", &(o)->order, "N", 0.1, 100, "of butterworth (default: 4)"),           \
	        OPT_DOUBLE(0, "beta", &(o)->beta, "B", 1e-3, 100, "of kaiser (default: 6)"),                 \
	        OPT_DOUBLE(0, "mean", &(o)->mean, "M", 0, 1e6,                                               \
	                "of lambda: weight of the unfiltered back projection (default: 0)"),                 \
	        OPT_ARRAY(0, "window", &(o)->own, "W",                                                       \
	                "file with a window: its values from frequency 0 to the cut-off"),                   \
	        OPT_CHOICE(0, "short-scan", &(o)->short_scan, SCAN_SHORT_NAMES,                              \
	                "weights of fan and cone beams over less than 360 degrees (default: silver)")

/** Checks the options and reads the file of --window. The samples in filter.own are malloc'd. */
extern struct fbp_settings fbp_options_read(const struct fbp_options *o);

/** Calls usage_error() if --short-scan is given for a scan without short-scan weights. `name` is the geometry
 * file, for the message. */
extern void fbp_options_check(const struct fbp_options *o, const struct fbp *f, const char *name);

#endif
