#ifndef NUM_MD_CONSTANT_H
#define NUM_MD_CONSTANT_H

#include "misc/file/cfl.h"
#include "misc/options/opt.h"

/** Options --size and --spacing of commands that create an array without an input. */
#define OPT_NEW_SIZE(size)                                                                                   \
	OPT_LONGS('s', "size", size, "NX:NY:..", 1, 0x1p62, "elements per dimension (required)")
#define OPT_NEW_SPACING(spacing)                                                                             \
	OPT_DOUBLES(0, "spacing", spacing, "MM[:MM..]", 1e-12, 1e12,                                         \
	        "spacing [mm], one for all dimensions or one each (default: 1)")

/** Header of a new array from --size, --type (-1 = float32) and --spacing [mm] (one number for all dims, or
 * one per dim; n = 0: none). */
extern void constant_header(
        struct hdr *h, const struct opt_longs *size, int type, const struct opt_doubles *spacing);

/** Runs a command that creates an array of one value; `texts` are its name and help texts. */
extern _Noreturn void constant_tool(const struct tool *texts, double value, int argc, char *argv[]);

#endif
