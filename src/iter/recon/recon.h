#ifndef ITER_RECON_RECON_H
#define ITER_RECON_RECON_H

#include <math.h>

#include "ct/geometry/views.h"
#include "ct/projector/mask.h"
#include "ct/projector/xray.h"
#include "iter/algorithm/algorithm.h"
#include "iter/recon/recon_spectrum.h"
#include "iter/recon/recon_terms.h"

/** Options and files of the reconstruction commands. Each channel and time of the projections is a separate
 * problem. The objective of a problem is 1/2 |A x - y|^2_W + lambda/2 |x|^2. If a term couples channels or
 * times, all channels and times form one problem. */
struct recon_opts {
	const char *geom, *proj, *vol;
	struct grid_opts grid;
	long iterations;
	double lambda, tolerance;
	const char *init, *weights;
	const char *reference, *log;
	long save_every; // 0 means never
	const char *save_as;
	const char *views, *mask;
	int model;
	int type; // enum dtype; -1 means not given
	// options of some algorithms
	struct opt_list terms;
	const char *prior, *denoiser; // volume file and command line that terms use
	struct iter_descent descent;
	const char *data; // NULL means l2
	struct spectrum_opts spectrum;
	const char *dictionary; // NULL means voxels
	long subsets;           // 0 means the default of the algorithm
	int order;              // enum sampler minus 1; -1 means the default of the algorithm
	long seed;
	int back;   // back projector (iter/recon/recon_back.h); -1 means the transpose
	long basis; // 0 means the default of the algorithm
	int steps;  // enum iter_steps; -1 means the default of the algorithm
	struct newton_conf newton;
	double step, relaxation, noise, change, seconds, until;
	const char *rule, *curve; // rule that chooses a factor, and file of the factors tried
	struct opt_doubles range;
	bool keep;
	bool by_itself; // no option chooses the problem or the algorithm, so terms are added
	const char *checkpoint;
	long every;
	bool resume;
};

enum { RECON_ITERATIONS = 30, RECON_UNTIL = 10000 }; // usual default of -i, and default of -i with --until

/** Returns the default number of iterations of algorithm a. If a is NULL, returns RECON_ITERATIONS. */
static inline long recon_usual_iterations(const struct algorithm *a)
{
	return (NULL != a && 0 < a->iterations) ? a->iterations : RECON_ITERATIONS;
}

#define RECON_DEFAULTS                                                                                       \
	{                                                                                                    \
		.iterations = RECON_ITERATIONS, .type = -1, .every = 10, .order = -1, .back = -1,            \
		.steps = -1, .spectrum = {                                                                   \
			.energy = NAN                                                                        \
		}                                                                                            \
	}

#define OPT_RECON(o)                                                                                         \
	OPT_DOUBLE(0, "tolerance", &(o)->tolerance, "T", 0, 1,                                               \
	        "stop at |gradient| <= T |gradient at 0| (default: never)"),                                 \
	        OPT_ARRAY(0, "init", &(o)->init, "X0", "starting volume (default: 0)"),                      \
	        OPT_MODEL(&(o)->model), OPT_VIEWS(&(o)->views), OPT_MASK(&(o)->mask), OPT_GRID(&(o)->grid),  \
	        OPT_TYPE(&(o)->type),                                                                        \
	        {0, "reference", OPT_KIND_ARRAY, &(o)->reference, "REF",                                     \
	                "compare each iterate with this volume (-v, --log)", OPT_NO_HISTORY, 0, 0, 0},       \
	        OPT_OUTFILE(0, "log", &(o)->log, "FILE",                                                     \
	                "write a line per iteration: CSV, or JSON lines (NAME.jsonl)"),                      \
	        {0, "save-every", OPT_KIND_LONG, &(o)->save_every, "K",                                      \
	                "write the volume every K iterations (default: never)", OPT_NO_HISTORY, 0, 1e15, 0}, \
	{                                                                                                    \
		0, "save-as", OPT_KIND_STRING, &(o)->save_as, "PATTERN",                                     \
		        "names of volumes of --save-every (default: VOL-{iteration})",                       \
		        OPT_NO_HISTORY | OPT_WRITES, 0, 0, 0                                                 \
	}

/** Options for stopping criteria and checkpoints. */
#define OPT_STOPS(o, until)                                                                                  \
	OPT_DOUBLE(0, "noise", &(o)->noise, "N", 0, 1e300,                                                   \
	        "stop at a residual |A x - y| of N (default: never)"),                                       \
	        OPT_DOUBLE(0, "change", &(o)->change, "C", 0, 1,                                             \
	                "stop where |x - last x| <= C |x| (default: never)"),                                \
	        OPT_STRING(0, "until", until, "P%", "stop at an objective P % above its estimated minimum"), \
	        OPT_DOUBLE(                                                                                  \
	                0, "seconds", &(o)->seconds, "T", 0, 1e15, "stop after T seconds (default: never)"), \
	        {0, "checkpoint", OPT_KIND_OUTFILE, &(o)->checkpoint, "FILE",                                \
	                "keep the state of the iteration in FILE", OPT_NO_HISTORY | OPT_STATE, 0, 0, NULL},  \
	        {0, "every", OPT_KIND_LONG, &(o)->every, "K", "write the checkpoint every K iterations",     \
	                OPT_NO_HISTORY, 1, 1e15, NULL},                                                      \
	        {0, "resume", OPT_KIND_FLAG, &(o)->resume, NULL,                                             \
	                "resume from --checkpoint if there is one (bit-identical)", OPT_NO_HISTORY, 0, 0,    \
	                NULL},                                                                               \
	        OPT_FLAG(0, "keep-best", &(o)->keep, "return the best iterate if the objective diverges")

#define ARG_RECON(o)                                                                                         \
	ARG_IN("GEOM", &(o)->geom, "geometry (4, 4, views), or (4, 4, views, channel, time)"),               \
	        ARG_IN("PROJ", &(o)->proj, "line integrals (columns, rows, views, channel, time)"),          \
	        ARG_OUT("VOL", &(o)->vol, "volume (x, y, z, channel, time) [1/mm]")

/** Help text of all reconstruction commands. */
#define RECON_DETAILS                                                                                        \
	"By default, the geometry determines the grid of the volume. The options --size, --spacing, "        \
	"--origin and --like set another grid. Each channel and each time is reconstructed separately, "     \
	"unless a term couples channels or times. The volume has the type float32, or float64 if the "       \
	"projections have that type. The option --type sets the type of the volume and of all "              \
	"arithmetic. Views selected by --views are copied into memory, unless the views are "                \
	"consecutive. Voxels outside the mask of --mask stay 0.\n\n"                                         \
	"The option -v prints the residual |A x - y|, the objective and the step size of every "             \
	"iteration. With --log FILE, the values of every iteration are written to FILE, as CSV or as "       \
	"JSON lines. The CSV columns are channel, time, iteration, residual, objective, gradient, step "     \
	"and seconds. The command 'gantry toplot' draws the values in FILE as curves. With --reference "     \
	"REF, the options -v and --log also give the error |x - REF| / |REF|, called nrmse. For noisy "      \
	"or imperfect data, the error nrmse first falls and then rises. The best number of iterations "      \
	"is that with the smallest nrmse."

/** Weights W of the projections. */
enum recon_weights {
	RECON_UNWEIGHTED,
	RECON_STATISTICAL // --weights, or exp(-y) scaled to maximum 1; complex data are refused
};

/** An algorithm and its memory. */
struct recon_algorithm {
	const struct algorithm *algorithm;
	enum recon_weights weights;
	long volumes, projections; // numbers of vectors that the algorithm allocates
};

/** Reconstructs the volume and writes the output file o->vol. */
extern void recon_run(const struct recon_opts *o, const struct recon_algorithm *alg);

#endif
