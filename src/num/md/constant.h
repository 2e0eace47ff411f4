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

/** Initialises the header of a new array from --size, --type and --spacing. A type of -1 means float32. The
 * spacing [mm] has one number for all dims, one per dim, or none. */
extern void constant_header(
        struct hdr *h, const struct opt_longs *size, int type, const struct opt_doubles *spacing);

/** Runs a command that creates an array of one value. The name and help texts are in `texts`. */
extern _Noreturn void constant_tool(const struct tool *texts, double value, int argc, char *argv[]);

#endif
