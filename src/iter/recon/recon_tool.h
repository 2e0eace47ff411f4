#ifndef ITER_RECON_RECON_TOOL_H
#define ITER_RECON_RECON_TOOL_H

#include "misc/options/opt.h"

/** The main function of a command that reconstructs by one algorithm of iter/algorithm/algorithm.h. */
struct recon_tool {
	const char *name, *about;
	enum tool_group group;
	const char *synonyms; // as of struct tool
	const char *details;  // the first paragraph of its help
	const char *examples;
	const char *algorithm; // NULL: --algorithm chooses
	const char *data;      // fixed noise model; NULL: that of --data, if the algorithm reads it
	const char *nonneg;    // the algorithm with --nonneg; NULL: no such option
};

extern int recon_tool(const struct recon_tool *t, int argc, char *argv[]);

#endif
