/** The front command: executes the tool next to it; help, version, suggestions. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/looping/looping.h"
#include "misc/mem.h"
#include "misc/options/commands.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/options/plan_ranks.h"
#include "misc/program.h"
#include "misc/ranks/launch.h"
#include "num/device/device.h"

int main_gantry(int argc, char *argv[]);

#define TOOL(name) #name,
static const char *const tools[] = {
#include "tools.inc"
        NULL};
#undef TOOL

static const char no_cuda[] =
#include "no_cuda.inc"
        ;

enum { RANKS_MOST = 65536 };
enum { TOOLS = sizeof tools / sizeof tools[0] - 1 };

/** Where the tools are: ../libexec/gantry of an installation, else the folder of this program (a build). */
static const char *exec_path(void)
{
	static char path[PATH_MAX + 32];
	const char *self = program_folder(), *up = strrchr(self, '/');

	snprintf(path, sizeof path, "%.*s/libexec/gantry", up ? (int)(up - self) : 0, self);
	if (access(path, X_OK) != 0)
		snprintf(path, sizeof path, "%s", self);
	return path;
}

static char *tool_path(const char *name)
{
	return mem_printf("%s/%s", exec_path(), name);
}

static bool is_tool(const char *name)
{
	for (int i = 0; i < TOOLS; i++)
		if (!strcmp(tools[i], name))
			return true;
	return false;
}

/** The table of all commands; those of this build that it does not have are missing in the installation. */
static const struct commands *table(void)
{
	static struct commands all;

	if (!all.n)
		commands_read(&all, exec_path());
	return &all;
}

static _Noreturn void unknown_command(const char *name)
{
	usage_error("unknown command '%s'%s", name, commands_hint(table(), name));
}

static _Noreturn void become_tool(char *argv[])
{
	char *path = tool_path(argv[0]);

	// threads that wait leave the cores to the other commands of a pipe
	setenv("OMP_WAIT_POLICY", "passive", 0);
	execv(path, argv);
	error("%s: %s", path, strerror(errno));
}

/** "gantry --ranks N COMMAND words" or --ranks=N: COMMAND as N processes of mpirun. */
static _Noreturn void become_ranks(int argc, char *argv[])
{
	const char *value = strchr(argv[1], '=');
	const int next = value ? 2 : 3;
	const char *text = value ? value + 1 : (argc > 2) ? argv[2] : NULL;

	if (!text)
		usage_error("--ranks needs a value (N)");

	const long n = parse_long(text, "--ranks");

	if (n < 1 || n > RANKS_MOST)
		usage_error("--ranks: %ld, expected 1..%d", n, RANKS_MOST);
	if (argc <= next)
		usage_error("missing command (gantry --ranks %ld COMMAND ...)", n);
	char **words = argv + next;
	if (looping_is_option(words[0]))
		words = looping_words(argc - next, words);
	if (!is_tool(words[0]))
		unknown_command(words[0]);
	if (n == 1)
		become_tool(words);
	words[0] = tool_path(words[0]);
	leave(ranks_launch(n, words, exec_path()));
}

static bool is_any(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static void print_plan_help(void)
{
	printf("Usage: gantry plan [--ranks N [--node-gpus G] [--network BYTES/s:LATENCY]] COMMAND ...\n\n"
	       "Prints the memory, disk space and time of COMMAND, as COMMAND --plan does; nothing is "
	       "written.\n"
	       "With --ranks also the part, memory and time of each of N ranks, the bytes and messages that "
	       "they\n"
	       "send, and their efficiency (project, backproject, fbp, recon and its shortcuts).\n\n"
	       "  --ranks N                    number of ranks\n"
	       "  --node-gpus G                one GPU for each rank, G in each node: a simulated "
	       "decomposition "
	       "with\n"
	       "                               assumed rates (default: ranks compute on processors)\n"
	       "  --network BYTES/s:LATENCY    of each rank, like 25GB/s:2us (default: ranks share this "
	       "machine; with\n"
	       "                               --node-gpus 25GB/s:2us)\n\n"
	       "Example: gantry plan --ranks 256 --node-gpus 4 --network 25GB/s:2us cg -i 20 geom proj "
	       "rec\n");
}

/** "gantry plan [--ranks N ..] TOOL words": TOOL --plan words. */
static _Noreturn void become_plan(int argc, char *argv[])
{
	if (argc > 2 && is_any(argv[2], "-h", "--help")) {
		print_plan_help();
		leave(EXIT_DONE);
	}

	char **words = plan_ranks_words(argc - 2, argv + 2);

	if (!is_tool(words[0]))
		unknown_command(words[0]);
	become_tool(words);
}

/** "gantry -l DIMS -p N TOOL words": TOOL --loop=DIMS --jobs=N words. */
static _Noreturn void become_loop(int argc, char *argv[])
{
	char **words = looping_words(argc - 1, argv + 1);

	if (!is_tool(words[0]))
		unknown_command(words[0]);
	become_tool(words);
}

/** Calls title() and entry() for every group that has such commands, and every command in it; returns how
 * many commands. word: only commands that mention it, NULL: all. */
static int for_commands(
        const char *word, void (*title)(const char *), void (*entry)(const char *name, const char *about))
{
	int n = 0;

	for (int g = GROUP_SIMULATE; g < TOOL_GROUPS; g++) {
		bool first = true;
		for (int i = 0; i < table()->n; i++) {
			const struct command *c = &table()->v[i];
			if (c->group != g || (word && !command_mentions(c, word)))
				continue;
			if (first)
				title(tool_groups[g]);
			first = false;
			entry(c->name, c->about);
			n++;
		}
	}
	return n;
}

static void help_title(const char *title)
{
	printf("\n%s:\n", title);
}

static void help_entry(const char *name, const char *about)
{
	printf("  %-14s %s\n", name, about);
}

static void print_help(void)
{
	printf("Usage: gantry [-l DIMS [-p N]] COMMAND [options] inputs... outputs\n\n"
	       "A toolbox of small commands for computed tomography. Arrays are files NAME.hdr and "
	       "NAME.cfl;\n"
	       "'-' stands for a pipe.\n");
	for_commands(NULL, help_title, help_entry);
	printf("\n  gantry -l DIMS COMMAND ...       run COMMAND for every index of these dimensions, by "
	       "number or\n"
	       "                                   name (z, or view,channel): it sees one slice of the "
	       "inputs that\n"
	       "                                   are longer than 1 there and writes one slice of its "
	       "outputs;\n"
	       "                                   DIM=START:STOP[:STEP] loops over these indices only\n"
	       "  gantry -l DIMS -p N COMMAND ...  the same, N indices at a time\n"
	       "  gantry --ranks N COMMAND ...     as N processes of MPI on this machine; 'mpirun -n N "
	       "gantry COMMAND' "
	       "does the same\n"
	       "                                   on the machines of a cluster\n"
	       "  gantry plan COMMAND ...          memory, disk space and time of COMMAND, which is not run "
	       "(gantry\n"
	       "                                   help plan)\n"
	       "\n  gantry help COMMAND [TOPIC]\n"
	       "                         what a command does, its options and an example; topics: options, "
	       "all\n"
	       "  gantry help -k WORD    commands whose name, description or options mention WORD\n"
	       "  gantry --version       version and features of this build\n"
	       "  gantry --exec-path     the folder of the commands\n");
}

/** What of a command mentions the word, beside its name and line. */
static void print_words(const char *option, const struct command_word *w, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (strcasestr(w[i].name, word) || strcasestr(w[i].help, word))
			printf("    %s%-12s %s\n", option, w[i].name, w[i].help);
}

static const char *sought; // by gantry help -k

static void found_entry(const char *name, const char *about)
{
	const struct command *c = commands_find(table(), name);

	help_entry(name, about);
	print_words("", c->arguments, c->arguments_n, sought);
	print_words("--", c->options, c->options_n, sought);
}

/** "gantry help -k WORD". */
static _Noreturn void search(const char *word)
{
	if (!word || !*word)
		usage_error("help -k: missing word");
	sought = word;
	if (!for_commands(word, help_title, found_entry))
		error("help -k: no command mentions '%s' ('gantry help' lists them)", word);
	leave(EXIT_DONE);
}

static void man_title(const char *title)
{
	printf(".SS %s\n", title);
}

static void man_entry(const char *name, const char *about)
{
	printf(".TP\n.BR gantry\\-%s (1)\n\\&", name);
	for (const char *p = about; *p; p++)
		printf(*p == '-' || *p == '\\' ? "\\%c" : "%c", *p == '\\' ? 'e' : *p);
	printf("\n");
}

/** The manual page of the front command; those of the tools come from the tools. */
static void print_man(void)
{
	printf(".TH GANTRY 1 \"\" \"gantry %s\" \"Gantry\"\n.nh\n.ad l\n"
	       ".SH NAME\ngantry \\- a toolbox of small commands for computed tomography\n"
	       ".SH SYNOPSIS\n.B gantry\n.RB [ \\-l\n.I DIMS\n.RB [ \\-p\n.IR N ]]\n.I COMMAND\n"
	       "[options] inputs... outputs\n.br\n.B gantry help\n.RI [ "
	       "COMMAND\n.RI [ TOPIC ]]\n"
	       ".br\n.B gantry help \\-k\n.I WORD\n"
	       ".br\n.B gantry \\-\\-version\n.br\n.B gantry \\-\\-exec\\-path\n"
	       ".SH DESCRIPTION\nEvery command reads and writes arrays: pairs of files NAME.hdr, NAME.cfl; "
	       "files .npy and .ra;\n"
	       "or, as the name \\-, a pipe.\nGeometry comes first among the inputs, outputs are last.\n"
	       ".SH OPTIONS\n.TP\n\\-l, \\-\\-loop DIM[=START:STOP[:STEP]][,DIM...]\n"
	       "run COMMAND for every index of these dimensions, by number or name. It sees one slice of "
	       "every "
	       "input that is longer than 1 there, the others whole, and writes one slice of every output, "
	       "which appears when all have succeeded. The commands take \\-\\-loop and \\-\\-jobs among "
	       "their own options, too.\n"
	       ".TP\n\\-p, \\-\\-jobs N\nso many indices at a time; each then has its part of the "
	       "processors, unless \\-\\-threads is given\n"
	       ".TP\n\\-\\-ranks N\nas N processes of MPI on this machine, as mpirun \\-n N gantry COMMAND "
	       "starts them "
	       "on several; the result has the same bytes\n"
	       ".SH PLAN\n.B gantry plan\n.RB [ \\-\\-ranks\n.IR N\n.RB [ \\-\\-node\\-gpus\n.IR G ]\n.RB [ "
	       "\\-\\-network\n.IR BYTES/s:LATENCY ]]\n.I COMMAND\n\\&...\n.br\n"
	       "prints the memory, disk space and time of COMMAND, as COMMAND \\-\\-plan does.\n"
	       "With \\-\\-ranks it also prints the part, memory and time of each of N ranks, the bytes and\n"
	       "messages that they send, and their efficiency (project, backproject, fbp, recon and its "
	       "shortcuts).\n"
	       "\\-\\-node\\-gpus G: nodes of G GPUs, one for each rank.\n"
	       "\\-\\-network: of a rank, for example 25GB/s:2us.\n"
	       ".SH COMMANDS\n",
	        GANTRY_VERSION);
	for_commands(NULL, man_title, man_entry);
	printf(".SH ENVIRONMENT\n.TP\nGANTRY_THREADS\nthreads, as \\-\\-threads\n"
	       ".TP\nGANTRY_DEVICE\nwhere to compute, as \\-\\-device\n"
	       ".TP\nGANTRY_MEM\nmemory a command may use beside mapped files, e.g. 4G; one that needs more "
	       "stops before it starts\n"
	       ".TP\nGANTRY_GPU_MEM\nmemory of a GPU that a command may use, e.g. 8G\n"
	       ".TP\nGANTRY_CACHE\nfolder for what is compiled and checked once per GPU; ~/.cache/gantry "
	       "unless "
	       "set\n"
	       ".TP\nGANTRY_MPI\nopenmpi or mpich: which one \\-\\-ranks starts; the first found unless set\n"
	       ".TP\nGANTRY_PAGER\nprogram that shows long help on a terminal; PAGER or less unless set, "
	       "none "
	       "where it is empty\n"
	       ".TP\nGANTRY_TMPDIR\nfolder for what does not fit into a pipe\n"
	       ".TP\nOMP_WAIT_POLICY\npassive unless set: waiting threads leave the cores to other commands; "
	       "active\nlets them spin\n"
	       ".SH \"EXIT STATUS\"\n0: done.\n.br\n1: the work failed, or a comparison was over its "
	       "tolerance.\n"
	       ".br\n2: the command line is wrong.\n");
}

static const char *instruction_sets(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		return "x86-64, AVX-512, AVX2, FMA";
	if (__builtin_cpu_supports("avx2"))
		return __builtin_cpu_supports("fma") ? "x86-64, AVX2, FMA" : "x86-64, AVX2";
	return __builtin_cpu_supports("avx") ? "x86-64, AVX" : "x86-64";
#elif defined(__aarch64__)
	return "aarch64, NEON";
#else
	return "generic";
#endif
}

static void print_gpus(void)
{
	int n = device_count();

	for (int i = 0; i < n; i++)
		printf("GPU %d: %s, %s, compute capability %d.%d, %d multiprocessors\n", i, device_name(i),
		        human_bytes((double)device_memory(i)), device_capability(i) / 10,
		        device_capability(i) % 10, device_processors(i));
	if (!n)
		printf("GPU: none (%s)\n", device_none_reason());
}

static void print_version(void)
{
	printf("gantry %s\n", GANTRY_VERSION);
#if defined(__clang__)
	printf("compiler: clang %s\n", __clang_version__);
#else
	printf("compiler: gcc %s\n", __VERSION__);
#endif
	printf("%s: %s", device_platform(), device_toolkit());
	if (*no_cuda)
		printf(" (%s)", no_cuda);
	printf("\n");
	print_gpus();
	printf("OpenMP: %d\n", _OPENMP);
#define FEATURE(name, text) printf("%s: %s\n", name, text);
#include "features.inc"
#undef FEATURE
	printf("processor: %s\n", instruction_sets());
}

/** "gantry help TOOL [TOPIC]" is "gantry TOOL --help[=TOPIC]". */
static _Noreturn void help(char *name, const char *word)
{
	char *argv[] = {name, word ? mem_printf("--help=%s", word) : "--help", NULL};

	if (name && is_any(name, "-k", "--keyword"))
		search(word);
	if (!name || !strcmp(name, "help")) {
		print_help();
		leave(EXIT_DONE);
	}
	if (!strcmp(name, "plan")) {
		print_plan_help();
		leave(EXIT_DONE);
	}
	if (!is_tool(name))
		unknown_command(name);
	become_tool(argv);
}

int main_gantry(int argc, char *argv[])
{
	const char *word = argc > 1 ? argv[1] : NULL;

	guard_standard_streams();
	if (!word) {
		print_help();
		fflush(stdout);
		usage_error("missing command (listed above)");
	}
	if (is_tool(word))
		become_tool(argv + 1);
	if (looping_is_option(word))
		become_loop(argc, argv);
	if (!strncmp(word, "--ranks", 7) && (!word[7] || word[7] == '='))
		become_ranks(argc, argv);
	if (!strcmp(word, "plan"))
		become_plan(argc, argv);
	if (is_any(word, "help", "--help") || is_any(word, "-h", "-help"))
		help(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
	if (argc > 2 && (is_any(word, "--version", "--exec-path") || !strcmp(word, "--man")))
		usage_error("%s takes no argument, found %s", word, argv[2]);

	if (!strcmp(word, "--version"))
		print_version();
	else if (!strcmp(word, "--man"))
		print_man();
	else if (!strcmp(word, "--exec-path"))
		printf("%s\n", exec_path());
	else if (*word == '-')
		usage_error("unknown option %s, expected a command, --help, --version or --exec-path", word);
	else
		unknown_command(word);
	leave(EXIT_DONE);
}
