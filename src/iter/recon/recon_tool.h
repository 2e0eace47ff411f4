#ifndef ITER_RECON_RECON_TOOL_H
#define ITER_RECON_RECON_TOOL_H

#include "misc/options/opt.h"

/** A command that reconstructs with an algorithm of iter/algorithm/algorithm.h. */
struct recon_tool {
	const char *name, *about;
	enum tool_group group;
	const char *synonyms; // search words, as in struct tool
	const char *details;  // first paragraph of the help
	const char *examples;
	const char *algorithm; // NULL means that option --algorithm chooses
	const char *data;      // fixed data model; NULL means that option --data chooses
	const char *nonneg;    // algorithm used with option --nonneg; NULL means no such option
};

/** Runs the command with the arguments of main(). */
extern int recon_tool(const struct recon_tool *t, int argc, char *argv[]);

#endif
