#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl.h"
#include "misc/file/history.h"
#include "misc/mem.h"
#include "misc/options/commands.h"
#include "misc/options/opt.h"
#include "misc/program.h"

int main_history(int argc, char *argv[]);

static void print_script(const char *name, bool trust)
{
	struct cfl *f = cfl_open(name);
	struct commands known = {0};

	if (!trust)
		commands_read(&known, program_folder());

	char *script = history_script(f->hdr.history, name, trust ? NULL : &known);

	fputs(script, stdout);
	free(script);
	commands_free(&known);
	cfl_close(f);
}

int main_history(int argc, char *argv[])
{
	bool verify = false, trust = false;
	struct opt_list files = {0};

	const struct opt opts[] = {
	        OPT_FLAG(0, "verify", &verify,
	                "check the originals given as '<NAME:BYTES:HASH>'; print nothing"),
	        OPT_FLAG(0, "trust", &trust, "keep steps that run programs or write other files"),
	        {0, "FILE", OPT_KIND_STRING, &files, 0, "array whose steps are printed",
	                OPT_IS_ARG | OPT_MANY, 0, 0, 0},
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "history",
	                .group = GROUP_LOOK,
	                .synonyms = "provenance",
	                .about = "Print the shell script that rebuilds an array from its original inputs",
	                .details =
	                        "Run the script in a folder that contains the original inputs under their "
	                        "names. The script checks the size and the XXH3-128 hash of each original. "
	                        "Intermediate results are kept in temporary arrays. The script writes the "
	                        "result under the name of the array.\n\n"
	                        "A header may come from an untrusted source. By default, the script "
	                        "therefore only runs commands of this installation that write arrays into "
	                        "the folder. The script stops at the first step of another kind, and a "
	                        "comment in the script gives the reason. Steps of another kind run a "
	                        "program (--denoiser), write a file (--log), write outside the folder, or "
	                        "have an unknown option. With --trust, the script runs all steps.",
	                .examples = "gantry history rec > rebuild.sh\nsh rebuild.sh",
	                .opts = opts,
	        },
	        argc, argv);

	if (verify && trust)
		usage_error("--trust has no effect with --verify, which prints no script");

	if (!verify && 1 != files.n)
		usage_error("found %d files, expected one", files.n);

	tool_plan_text();

	for (int i = 0; i < files.n; i++) {
		if (verify)
			history_verify(files.v[i]);
		else
			print_script(files.v[i], trust);
	}

	leave(EXIT_DONE);
}
