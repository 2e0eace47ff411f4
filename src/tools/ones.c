/** Arrays of ones. */

#include "misc/cfl.h"
#include "misc/error.h"
#include "misc/opt.h"
#include "num/constant.h"

int main_ones(int argc, char *argv[]);

int main_ones(int argc, char *argv[])
{
	struct opt_longs size = {0};
	struct opt_doubles spacing = {0};
	int type = DT_FLOAT32;
	const char *out = NULL;

	const struct opt opts[] = {
	        OPT_LONGS('s', "size", &size, "NX:NY:..", 1, 0x1p62, "elements per dimension (needed)"),
	        OPT_TYPE(&type),
	        OPT_DOUBLES(0, "spacing", &spacing, "MM[:MM..]", 1e-12, 1e12,
	                "distance of neighbours [mm], one for all dims or one each; 1 unless given"),
	        ARG_OUT("OUT", &out, "the new array"),
	        OPT_END,
	};

	const struct tool tool = {
	        .name = "ones",
	        .about = "Make an array of ones",
	        .details = "The grid is centred on the origin.",
	        .examples = "gantry ones --size 128:128 flat\n"
	                    "gantry ones --size 128:128 - | gantry scale 3 - threes",
	        .opts = opts,
	};
	tool_init(&tool, argc, argv);

	struct hdr h;
	constant_header(&h, &size, type, &spacing);
	struct cfl *y = cfl_create(out, &h);
	constant_fill(y, 1.);
	cfl_close(y);
	leave(EXIT_DONE);
}
