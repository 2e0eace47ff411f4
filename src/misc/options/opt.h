#ifndef MISC_OPTIONS_OPT_H
#define MISC_OPTIONS_OPT_H

#include <complex.h>
#include <stdbool.h>

#include "misc/dtype.h"

/**
 * The command line of a tool, declared once as a table. The parser, --help, the manual page, --completion
 * (for bash, zsh and fish), --interface and the words of the history are derived from this table. Shells
 * complete choices, types, dimensions and the alternatives in a placeholder. For example, "tv:L|nonneg|FILE"
 * offers "tv:" and "nonneg".
 */

enum opt_kind {
	OPT_KIND_FLAG,    // bool *
	OPT_KIND_LONG,    // long *, within [min, max]
	OPT_KIND_DOUBLE,  // double *, finite, within [min, max]
	OPT_KIND_COMPLEX, // double complex *: "2", "-1.5", "1+2i", "3i"
	OPT_KIND_STRING,  // const char **
	OPT_KIND_CHOICE,  // int *, index into a list "a|b|c"
	OPT_KIND_TYPE,    // int *, enum dtype by name; -1 = not given
	OPT_KIND_LONGS,   // struct opt_longs *: "256:256:64", each within [min, max]
	OPT_KIND_DOUBLES, // struct opt_doubles *: "0.5:0.5:1"
	OPT_KIND_DIM,     // int *, dimension number or name
	OPT_KIND_DIMS,    // unsigned long * bit mask: "0,2" or "x,z"
	OPT_KIND_ARRAY,   // const char **, input array (recorded as an input in the history)
	OPT_KIND_FILE,    // const char **, input file, not an array (angles): recorded as an original
	OPT_KIND_OUTFILE, // const char **, an extra output, not an array (log): not in the history
	OPT_KIND_END
};

enum opt_flags {
	OPT_NO_HISTORY = 1, // cannot change the result (log, verbosity)
	OPT_MANY = 2,       // arguments: takes all words but those the others need; ptr is struct opt_list *.
	                    // Options (STRING): may be repeated; so is theirs
	OPT_OPTIONAL = 4,   // arguments: may be absent
	OPT_IS_ARG = 8,     // positional
	OPT_OUTPUT = 16,    // positional output array
	OPT_PAIRS = 32,     // with OPT_MANY: words come in pairs, e.g. "DIM SIZE [DIM SIZE].."
	OPT_OR_NUMBER = 64, // an array, or a number (parse_is_number()) or ranges, recorded as such
	OPT_RUNS = 128,     // its value names a program or commands that are run
	OPT_WRITES = 256,   // its value may name files to be written, beside OPT_OUTPUT and OPT_KIND_OUTFILE
	OPT_STATE = 512, // an output file that the command replaces while it runs, whatever --no-clobber says
	OPT_ONCE = 1024  // a STRING without default: refused a second time, where more could be meant
};

struct opt_longs {
	int n; // 0 = not given
	long v[DIMS];
};

struct opt_doubles {
	int n;
	double v[DIMS];
};

/** Words of a repeated argument. */
struct opt_list {
	int n;
	const char **v;
};

struct opt {
	char c;           // short name, or 0
	const char *name; // long name; for arguments the placeholder in the usage line
	enum opt_kind kind;
	void *ptr;        // where the value goes; holds the default before
	const char *arg;  // placeholder of the value in --help ("N", "MM"); for CHOICE the list "a|b|c"
	const char *help; // one line; the default is added by the printer where it is known
	unsigned flags;
	double min, max; // of numbers; both 0 = any
	bool *given;     // set when the option was on the command line; may be NULL
};

// clang-format off
#define OPT_FLAG(c, name, ptr, help) { c, name, OPT_KIND_FLAG, ptr, 0, help, 0, 0, 0, 0 }
#define OPT_LONG(c, name, ptr, arg, lo, hi, help) { c, name, OPT_KIND_LONG, ptr, arg, help, 0, lo, hi, 0 }
#define OPT_DOUBLE(c, name, ptr, arg, lo, hi, help) { c, name, OPT_KIND_DOUBLE, ptr, arg, help, 0, lo, hi, 0 }
#define OPT_STRING(c, name, ptr, arg, help) { c, name, OPT_KIND_STRING, ptr, arg, help, 0, 0, 0, 0 }
#define OPT_CHOICE(c, name, ptr, choices, help) { c, name, OPT_KIND_CHOICE, ptr, choices, help, 0, 0, 0, 0 }
#define OPT_LONGS(c, name, ptr, arg, lo, hi, help) { c, name, OPT_KIND_LONGS, ptr, arg, help, 0, lo, hi, 0 }
#define OPT_DOUBLES(c, name, ptr, arg, lo, hi, help) { c, name, OPT_KIND_DOUBLES, ptr, arg, help, 0, lo, hi, 0 }
#define OPT_ARRAY(c, name, ptr, arg, help) { c, name, OPT_KIND_ARRAY, ptr, arg, help, 0, 0, 0, 0 }
#define OPT_INFILE(c, name, ptr, arg, help) { c, name, OPT_KIND_FILE, ptr, arg, help, 0, 0, 0, 0 }
#define OPT_OUTFILE(c, name, ptr, arg, help) { c, name, OPT_KIND_OUTFILE, ptr, arg, help, OPT_NO_HISTORY, 0, 0, 0 }
#define OPT_STRINGS(c, name, list, arg, help) { c, name, OPT_KIND_STRING, list, arg, help, OPT_MANY, 0, 0, 0 }
/** A command line or program to run. */
#define OPT_COMMAND(c, name, ptr, arg, help) { c, name, OPT_KIND_STRING, ptr, arg, help, OPT_RUNS, 0, 0, 0 }
/** The option --type TYPE, the element type of the output. Without the option, the value stays -1, and the tool
 * chooses the type. */
#define OPT_TYPE(ptr) { 0, "type", OPT_KIND_TYPE, ptr, "TYPE", "element type of the output (float32, uint16, ...)", 0, 0, 0, 0 }

#define ARG_IN(name, ptr, help) { 0, name, OPT_KIND_ARRAY, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
#define ARG_OUT(name, ptr, help) { 0, name, OPT_KIND_STRING, ptr, 0, help, OPT_IS_ARG | OPT_OUTPUT, 0, 0, 0 }
#define ARG_IN_OPTIONAL(name, ptr, help) { 0, name, OPT_KIND_ARRAY, ptr, 0, help, OPT_IS_ARG | OPT_OPTIONAL, 0, 0, 0 }
#define ARG_OUT_OPTIONAL(name, ptr, help) { 0, name, OPT_KIND_STRING, ptr, 0, help, OPT_IS_ARG | OPT_OUTPUT | OPT_OPTIONAL, 0, 0, 0 }
#define ARG_IN_MANY(name, list, help) { 0, name, OPT_KIND_ARRAY, list, 0, help, OPT_IS_ARG | OPT_MANY, 0, 0, 0 }
#define ARG_IN_OR_NUMBER_OPTIONAL(name, ptr, help) { 0, name, OPT_KIND_ARRAY, ptr, 0, help, OPT_IS_ARG | OPT_OPTIONAL | OPT_OR_NUMBER, 0, 0, 0 }
#define ARG_FILE(name, ptr, help) { 0, name, OPT_KIND_FILE, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
#define ARG_FILE_MANY(name, list, help) { 0, name, OPT_KIND_FILE, list, 0, help, OPT_IS_ARG | OPT_MANY, 0, 0, 0 }
#define ARG_OUTFILE(name, ptr, help) { 0, name, OPT_KIND_OUTFILE, ptr, 0, help, OPT_IS_ARG | OPT_NO_HISTORY, 0, 0, 0 }
#define ARG_LONG(name, ptr, lo, hi, help) { 0, name, OPT_KIND_LONG, ptr, 0, help, OPT_IS_ARG, lo, hi, 0 }
#define ARG_DOUBLE(name, ptr, lo, hi, help) { 0, name, OPT_KIND_DOUBLE, ptr, 0, help, OPT_IS_ARG, lo, hi, 0 }
#define ARG_COMPLEX(name, ptr, help) { 0, name, OPT_KIND_COMPLEX, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
#define ARG_STRING(name, ptr, help) { 0, name, OPT_KIND_STRING, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
#define ARG_DIM(name, ptr, help) { 0, name, OPT_KIND_DIM, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
#define ARG_DIMS(name, ptr, help) { 0, name, OPT_KIND_DIMS, ptr, 0, help, OPT_IS_ARG, 0, 0, 0 }
/** "DIM SIZE [DIM SIZE].." as words in a list of even length, parsed by the tool with parse_dim() and friends. */
#define ARG_PAIRS(name, list, help) { 0, name, OPT_KIND_STRING, list, 0, help, OPT_IS_ARG | OPT_MANY | OPT_PAIRS, 0, 0, 0 }
#define OPT_END { 0, 0, OPT_KIND_END, 0, 0, 0, 0, 0, 0, 0 }
// clang-format on

/** The group of a command in "gantry help", in this order. */
enum tool_group {
	GROUP_SIMULATE = 1,
	GROUP_PROJECT,
	GROUP_RECONSTRUCT,
	GROUP_CORRECT,
	GROUP_CALIBRATE,
	GROUP_DENOISE,
	GROUP_MAKE,
	GROUP_SHAPE,
	GROUP_CALCULATE,
	GROUP_LOOK,
	GROUP_MEASURE,
	GROUP_RUN,
	TOOL_GROUPS
};

/** The headings of the groups. */
extern const char *const tool_groups[TOOL_GROUPS];

/** A help page: "gantry help COMMAND NAME". A line "LEFT\tRIGHT" of the text is a row of a
 * table.
 */
struct help_topic {
	const char *name, *about, *text; // the last has no name
};

/** Options under a heading of --help. Options of the first section are shown with their texts, other options
 * by name only; "gantry help COMMAND options" explains all. */
struct help_section {
	const char *title;
	const char *options; // names between blanks; NULL: those of no other section, in the last one
};

struct tool {
	const char *name;
	enum tool_group group;
	const char *about;   // one line, no full stop: "Differences along one dimension"
	const char *details; // paragraphs for --help and the manual page: formula, units, source; may be NULL
	const char *examples;                // one command line per line, without prompt
	const struct help_topic *topics;     // or NULL
	const struct help_section *sections; // NULL: all options are shown in one list
	const char *memory;                  // peak private memory where it is over inputs + outputs, or NULL
	const char *synonyms; // names of it in other packages, between blanks, which the front command
	                      // answers with this one's; or NULL
	bool by_parts; // under mpirun each rank computes its part of the outputs (misc/ranks/ranks.h); else
	               // rank 0 all
	const struct opt *opts;
};

/**
 * Parses the command line and stores the values through the pointers of the table. Handles --help, --version
 * and --interface, sets threads and verbosity, and installs signal handlers. Common options are added here:
 * -h --version -q -v -j -g --device --plan --profile --force --sync -n --no-clobber --loop --jobs
 * --interface. Options may be anywhere before "--"; "-" alone and negative numbers are arguments. Ends with
 * exit status 2 and a message if something is wrong, and suggests the nearest name for a misspelt option. The
 * stored strings remain valid until exit.
 */
extern void tool_init(const struct tool *t, int argc, char *argv[]);

/** For a command that runs other commands in its own process. The other commands inherit threads, device,
 * --quiet, --verbose, --profile, --force, --sync and --no-clobber, unless they set these options themselves.
 * If a command has --loop, which needs a process without threads, loop() is called and does not return. */
extern void tool_inherit(void (*loop)(void));

/** Turns on --profile for this command and the following commands. */
extern void tool_inherit_profile(void);

extern bool tool_force(void);
extern bool tool_plan(void);
extern bool tool_profile(void);
extern bool tool_sync(void);       // outputs are flushed to the disk before they get their names
extern bool tool_no_clobber(void); // existing outputs are not replaced
extern int tool_threads(void);

/** For results that are likely to be wrong: error(), or with --force a warning. */
extern void tool_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The device to compute on, from -g, --device and GANTRY_DEVICE. */
enum tool_device { TOOL_DEVICE_AUTO, TOOL_DEVICE_CPU, TOOL_DEVICE_GPU, TOOL_DEVICE_OPENCL };
struct tool_device_choice {
	enum tool_device kind;
	int id;            // of a GPU; -1: any
	const char *which; // PLATFORM[:DEVICE] of OpenCL; NULL: any
	const char *what;  // the option or variable that says so
};

/** Sets the function that tool_init() calls to choose the device. fn ends the command with an error() that
 * begins with `what` if the device does not exist. A program that sets no function refuses a GPU and
 * OpenCL. */
extern void tool_on_device(void (*fn)(const struct tool_device_choice *choice));

/** States, before the first cfl_create(), the private memory [bytes] and an estimate of the time [s] (0 =
 * unknown); --plan prints both. error() if GANTRY_MEM does not allow this memory.
 */
extern void tool_needs(long private_bytes, double seconds);

/** Under --plan, the time is measured by a trial (misc/options/trial.h), and the time of tool_needs() is
 * printed only if the trial takes too long. Without a time in tool_needs(), trials are the default. */
extern void tool_needs_trial(void);

/** States the size [bytes] of temporary files that the command needs; --plan prints it. */
extern void tool_needs_files(long bytes);

/** Memory that this process may use [bytes], including pages of files in memory: GANTRY_MEM or 3/4 of the
 * available memory. In a loop, this memory is divided by the number of slices processed at a time. Without
 * GANTRY_MEM, the available memory is also divided by the number of ranks on this machine. The limit decides
 * how much of large files is kept in memory; no result depends on the limit. */
extern long tool_memory(void);

/** Records that arrays which stay in memory between commands use `bytes` more bytes (< 0: fewer).
 * tool_memory() subtracts them from GANTRY_MEM. */
extern void tool_hold(long bytes);

/** Prints the plan of a command that writes `output`, of `bytes` bytes, with the values of tool_needs(), and
 * ends the command. cfl_create() calls it under --plan. */
extern void tool_print_plan(const char *output, long bytes) __attribute__((noreturn));

/** Like tool_print_plan() for a command that writes only text; does nothing without --plan. Must be called
 * after the inputs are opened.
 */
extern void tool_plan_text(void);

/** Records option `name` in the history with this value instead of the typed one (a chosen grid, a default
 * seed). NULL omits the option (e.g. --like if the grid is recorded explicitly); "" records a flag. Must be
 * called before the first cfl_create(). */
extern void tool_record(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
extern void tool_record_drop(const char *name);
/** Records a further value of a repeatable option. */
extern void tool_record_more(const char *name, const char *text);

/** Records an original input without a table entry (a frame of a TIFF stack): its hash is added to the
 * history after the arguments. */
extern void tool_record_original(const char *path);

/** Declares positional word `number` (from 0) of the command line as an array: "FILE" (name = 0) or
 * "NAME=FILE" (name = length of NAME). This declaration affects the history and the rule that '-' may be
 * given once for inputs and once for outputs. For commands in which other words determine the meaning of an
 * argument; call it before the first cfl_create().
 */
extern void tool_record_array(int number, int name, bool output);

/** Records the kind of the value of option `name`, or (name NULL) of positional word `number`: WORD_TEXT,
 * WORD_ARRAY, WORD_FILE (below). For commands whose options determine the kind of a file; call it before the
 * first cfl_create(). */
extern void tool_record_kind(const char *name, int number, int kind);

/** A parsed word of the command line, for the history and headers (misc/file/history.c). */
struct tool_word {
	enum { WORD_TEXT, WORD_ARRAY, WORD_FILE, WORD_OUTPUT } kind;
	const char *option; // "--weights"; "x" of the argument x=FILE; or NULL
	const char *text;   // value as typed
};
extern const struct tool *tool_current(void);          // NULL outside a tool
extern int tool_words(const struct tool_word **words); // in canonical order: options by name, then arguments
extern const char *tool_command_line(void);            // shell-quoted, as typed, "gantry NAME ..."

#endif
