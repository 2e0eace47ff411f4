#ifndef MISC_OPTIONS_OPT_H
#define MISC_OPTIONS_OPT_H

#include <complex.h>
#include <stdbool.h>

#include "misc/dtype.h"

/** The command line of a tool, declared as a table. The table defines the parser, --help, the manual page,
 * --completion, --interface and the words of the history. Shell completion offers choices, types, dimensions
 * and the alternatives in a placeholder. For example, "tv:L|nonneg|FILE" offers "tv:" and "nonneg". */

enum opt_kind {
	OPT_KIND_FLAG,    // bool *
	OPT_KIND_LONG,    // long *, within [min, max]
	OPT_KIND_DOUBLE,  // double *, finite, within [min, max]
	OPT_KIND_COMPLEX, // double complex *: "2", "-1.5", "1+2i", "3i"
	OPT_KIND_STRING,  // const char **
	OPT_KIND_CHOICE,  // int *, index into a list "a|b|c"
	OPT_KIND_TYPE,    // int *, enum dtype by name; -1 if not given
	OPT_KIND_LONGS,   // struct opt_longs *: "256:256:64", each within [min, max]
	OPT_KIND_DOUBLES, // struct opt_doubles *: "0.5:0.5:1"
	OPT_KIND_DIM,     // int *, dimension number or name
	OPT_KIND_DIMS,    // unsigned long * bit mask: "0,2" or "x,z"
	OPT_KIND_ARRAY,   // const char **, input array, recorded in the history
	OPT_KIND_FILE,    // const char **, other input file such as angles, recorded as original
	OPT_KIND_OUTFILE, // const char **, other output file such as a log, not in the history
	OPT_KIND_END
};

enum opt_flags {
	OPT_NO_HISTORY = 1, // does not change the result
	OPT_MANY = 2,       // argument with any number of words, or STRING option that may be repeated;
	                    // ptr is struct opt_list *
	OPT_OPTIONAL = 4,   // argument, or value of an option, that may be absent
	OPT_IS_ARG = 8,     // positional
	OPT_OUTPUT = 16,    // positional output array
	OPT_PAIRS = 32,     // with OPT_MANY: words come in pairs, such as "DIM SIZE"
	OPT_OR_NUMBER = 64, // array file, number or ranges, recorded as given
	OPT_RUNS = 128,     // value names a program or commands to run
	OPT_WRITES = 256,   // value may name files to write
	OPT_STATE = 512,    // output file that is replaced during the run, even with --no-clobber
	OPT_ONCE = 1024     // STRING without default that may be given only once
};

struct opt_longs {
	int n; // 0 if not given
	long v[DIMS];
};

struct opt_doubles {
	int n;
	double v[DIMS];
};

/** Words of a repeated argument or option. */
struct opt_list {
	int n;
	const char **v;
};

struct opt {
	char c;           // short name, or 0
	const char *name; // long name, or name of an argument in the usage line
	enum opt_kind kind;
	void *ptr;        // address of the value, which is initially the default
	const char *arg;  // placeholder of the value in --help, or the list of choices "a|b|c"
	const char *help; // one line; --help adds the default
	unsigned flags;
	double min, max; // limits of a number; both 0 means no limit
	bool *given;     // set to true if the option was given; may be NULL
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
/** Declares an option whose value is a command line or program to run. */
#define OPT_COMMAND(c, name, ptr, arg, help) { c, name, OPT_KIND_STRING, ptr, arg, help, OPT_RUNS, 0, 0, 0 }
/** Declares the option --type TYPE, the element type of the output. Without the option, the value stays -1,
 * and the tool chooses the type. */
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
/** Declares an argument of word pairs "DIM SIZE [DIM SIZE]..", parsed by the tool with parse_dim(). */
#define ARG_PAIRS(name, list, help) { 0, name, OPT_KIND_STRING, list, 0, help, OPT_IS_ARG | OPT_MANY | OPT_PAIRS, 0, 0, 0 }
#define OPT_END { 0, 0, OPT_KIND_END, 0, 0, 0, 0, 0, 0, 0 }
// clang-format on

/** Groups of commands, in the order of "gantry help". */
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

/** Headings of the groups in "gantry help". */
extern const char *const tool_groups[TOOL_GROUPS];

/** A help page, printed by "gantry help COMMAND NAME". A line "LEFT\tRIGHT" of the text is a row of a table.
 */
struct help_topic {
	const char *name, *about, *text; // the last topic has no name
};

/** Options under a heading of --help. Options of the first section are shown with help texts, other options
 * by name only. "gantry help COMMAND options" explains all options. */
struct help_section {
	const char *title;
	const char *options; // names between blanks; NULL means all remaining options
};

struct tool {
	const char *name;
	enum tool_group group;
	const char *about;   // one line, no full stop: "Differences along one dimension"
	const char *details; // paragraphs for --help and the manual page: formula, units, source; may be NULL
	const char *examples;                // one command line per line, without prompt
	const struct help_topic *topics;     // may be NULL
	const struct help_section *sections; // NULL means one list of all options
	const char *memory;                  // peak private memory if above inputs + outputs, or NULL
	const char *synonyms;                // names in other packages, between blanks, or NULL
	bool by_parts; // under mpirun, each rank computes a part of the outputs (misc/ranks/ranks.h)
	const struct opt *opts;
};

/**
 * Parses the command line and stores the values through the pointers of the table. Sets threads and
 * verbosity, and installs signal handlers. Adds the common options:
 *
 *     -h --version -q -v -j -g --device --plan --profile --force --sync -n --no-clobber --loop --jobs
 * --interface
 *
 * Options may be anywhere before "--". A single "-" and negative numbers are arguments. A wrong command line
 * ends the command with exit status 2. For a misspelt option, the message suggests the nearest name. The
 * stored strings remain valid until exit.
 */
extern void tool_init(const struct tool *t, int argc, char *argv[]);

/** Passes options to the commands that this command runs in the same process. The options are threads,
 * device, --quiet, --verbose, --profile, --force, --sync and --no-clobber. Options given directly to a
 * command have priority. For a command with --loop, loop() is called and does not return. Loops need a
 * process without threads. */
extern void tool_inherit(void (*loop)(void));

/** Turns on --profile for this command and the following commands. */
extern void tool_inherit_profile(void);

extern bool tool_force(void);
extern bool tool_plan(void);
extern bool tool_profile(void);
extern bool tool_sync(void);       // outputs are flushed to the disk before renaming
extern bool tool_no_clobber(void); // existing outputs are not replaced
extern int tool_threads(void);

/** Calls error() for a result that is likely to be wrong. With --force, prints a warning instead. */
extern void tool_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** The device is chosen by -g, --device or GANTRY_DEVICE. */
enum tool_device { TOOL_DEVICE_AUTO, TOOL_DEVICE_CPU, TOOL_DEVICE_GPU, TOOL_DEVICE_OPENCL };
struct tool_device_choice {
	enum tool_device kind;
	int id;            // of a GPU, -1 for any
	const char *which; // PLATFORM[:DEVICE] of OpenCL, NULL for any
	const char *what;  // option or variable that chose the device
};

/** Sets the function that tool_init() calls to choose the device. If the device does not exist, fn() calls
 * error() with a message that begins with `what`. Without fn(), a GPU or OpenCL device is refused. */
extern void tool_on_device(void (*fn)(const struct tool_device_choice *choice));

/** States the private memory [bytes] and the estimated time [s] for --plan. A time of 0 means unknown. Must
 * be called before the first cfl_create(). Memory above GANTRY_MEM is an error(). */
extern void tool_needs(long private_bytes, double seconds);

/** Makes --plan measure the time by a trial (misc/options/trial.h). If the trial takes too long, --plan
 * prints the time of tool_needs(). If tool_needs() gives a time of 0, --plan runs a trial by default. */
extern void tool_needs_trial(void);

/** Excludes the seconds that a command spent on its plan alone from the time that a trial measures. */
extern void tool_exclude(double seconds);

/** States the size [bytes] of temporary files for --plan. */
extern void tool_needs_files(long bytes);

/** Returns the memory that this process may use [bytes], including mapped files. The limit is GANTRY_MEM if
 * set, else 3/4 of the available memory. A loop divides the limit by the number of slices processed at a
 * time. Without GANTRY_MEM, the ranks on one machine also share the limit. No result depends on the limit. */
extern long tool_memory(void);

/** Adds `bytes` to the size of the arrays that stay in memory between commands. A negative number means fewer
 * bytes. The function tool_memory() subtracts the sum from GANTRY_MEM. */
extern void tool_hold(long bytes);

/** Prints the plan of a command that writes `bytes` bytes to `output`, and ends the command. With --plan,
 * cfl_create() calls this function. */
extern void tool_print_plan(const char *output, long bytes) __attribute__((noreturn));

/** Prints the plan of a command that writes only text, and ends the command. Does nothing without --plan.
 * Must be called after the inputs are opened. */
extern void tool_plan_text(void);

/** Records a value of option `name` in the history instead of the typed value. A NULL format omits the
 * option, and "" records a flag. Must be called before the first cfl_create(). */
extern void tool_record(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
extern void tool_record_drop(const char *name);
/** Records a further value of a repeatable option. */
extern void tool_record_more(const char *name, const char *text);

/** Records an input file that the option table does not contain, such as a frame of a TIFF stack. The history
 * lists the hash of the file after the arguments. */
extern void tool_record_original(const char *path);

/** Declares argument `number` (from 0) as an array: "FILE" or "NAME=FILE". `name` is the number of characters
 * in NAME, or 0. The history then records an array, and only one input and one output may be '-'. Commands
 * use this function if other words determine the meaning of an argument. Must be called before the first
 * cfl_create(). */
extern void tool_record_array(int number, int name, bool output);

/** Records the kind of option `name`, or of argument `number` if `name` is NULL. The kind is WORD_TEXT,
 * WORD_ARRAY or WORD_FILE. Commands use this function if options determine the kind of a file. Must be called
 * before the first cfl_create(). */
extern void tool_record_kind(const char *name, int number, int kind);

/** A parsed word of the command line, for the history and headers (misc/file/history.c). */
struct tool_word {
	enum { WORD_TEXT, WORD_ARRAY, WORD_FILE, WORD_OUTPUT } kind;
	const char *option; // "--weights", or "x" of the argument x=FILE, or NULL
	const char *text;   // value as typed
};
extern const struct tool *tool_current(void);          // NULL outside a tool
extern int tool_words(const struct tool_word **words); // options sorted by name, then arguments
extern const char *tool_command_line(void);            // "gantry NAME ...", as typed, quoted for a shell

#endif
