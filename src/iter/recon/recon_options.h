#ifndef ITER_RECON_RECON_OPTIONS_H
#define ITER_RECON_RECON_OPTIONS_H

#include "iter/recon/recon.h"
#include "iter/recon/recon_tool.h"

enum { RECON_OPTIONS_MAX = 96 };

/**
 * The command line of a reconstruction: each option lists the algorithms that read it (flags of
 * iter/algorithm/algorithm.h). A command for one algorithm has only the options that this algorithm reads.
 * gantry recon has all options and refuses those that the chosen algorithm does not read.
 */
struct recon_line {
	struct recon_opts opts;
	int choice;  // --algorithm, an index into algorithms[]; -1: not given
	bool nonneg; // --nonneg
	struct opt table[RECON_OPTIONS_MAX];
	struct recon_need {
		unsigned takes; // algorithms with one of these flags read the option
		bool alone;     // no other check refuses the option
	} need[RECON_OPTIONS_MAX];
	bool given[RECON_OPTIONS_MAX];
	int n;
	const char *until_text;
	char *texts[8]; // texts of the help
	struct help_topic topics[8];
	const struct help_section *sections;
};

/** Fills in the options of a command for algorithm a; NULL: for any algorithm. */
extern void recon_line_init(struct recon_line *line, const struct recon_tool *t, const struct algorithm *a);
extern void recon_line_free(struct recon_line *line);

/** usage_error() if a given option is not read by the algorithm, or if two options exclude each other.
 */
extern void recon_line_check(struct recon_line *line, const struct algorithm *a);

#endif
