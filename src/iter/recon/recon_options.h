#ifndef ITER_RECON_RECON_OPTIONS_H
#define ITER_RECON_RECON_OPTIONS_H

#include "iter/recon/recon.h"
#include "iter/recon/recon_tool.h"

enum { RECON_OPTIONS_MAX = 96 };

/** The command line of a reconstruction command. Each option has flags for the algorithms that read the
 * option (iter/algorithm/algorithm.h). A command for one algorithm has only the options of that algorithm.
 * The command `gantry recon` has all options. `gantry recon` refuses options that the chosen algorithm does
 * not read. */
struct recon_line {
	struct recon_opts opts;
	int choice;  // --algorithm as an index into algorithms[]; -1 means not given
	bool nonneg; // option --nonneg
	struct opt table[RECON_OPTIONS_MAX];
	struct recon_need {
		unsigned takes; // algorithms with any of these flags read the option
		bool alone;     // recon_line_check() refuses the option for other algorithms
	} need[RECON_OPTIONS_MAX];
	bool given[RECON_OPTIONS_MAX];
	int n;
	const char *until_text;
	char *texts[8]; // allocated help texts
	struct help_topic topics[8];
	const struct help_section *sections;
};

/** Sets the options of a command for the algorithm `a`. If `a` is NULL, the command has the options of all
 * algorithms. */
extern void recon_line_init(struct recon_line *line, const struct recon_tool *t, const struct algorithm *a);
/** Frees the help texts. */
extern void recon_line_free(struct recon_line *line);

/** Checks the given options and sets their defaults for the algorithm `a`. An option that the algorithm does
 * not read is a usage_error(). Options that exclude each other are also a usage_error(). */
extern void recon_line_check(struct recon_line *line, const struct algorithm *a);

#endif
