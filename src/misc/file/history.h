#ifndef MISC_FILE_HISTORY_H
#define MISC_FILE_HISTORY_H

#include "misc/file/hdr.h"

/**
 * The history of an array has one line for every processing step:
 *
 *     ID: COMMAND WORD WORD ...
 *
 * A step comes after the steps that made its inputs. ID is the first 16 hex digits of an XXH3-128 hash. The
 * hashed text begins with COMMAND and ends at the end of the line. Equal steps have equal IDs and appear
 * once.
 *
 * Words are separated by one blank. Options come before arguments and are sorted by name. An option with a
 * value is written as --name=VALUE, and a flag as --name. Some commands take arrays as NAME=VALUE. Options
 * that cannot change the result, such as --threads, are not recorded. Names of outputs are not recorded.
 * Outputs to a file and to a pipe therefore have the same line.
 *
 * A VALUE or an argument has one of these forms:
 *
 * - `@ID` is the array that step ID made. If the step has several outputs, `@ID.2` is the second output.
 * - `<NAME:BYTES:HASH>` is an original. An original is a file that Gantry did not make.
 * - `>` is the output. Several outputs are written as `>1`, `>2` and so on.
 * - Anything else is text.
 *
 * NAME is the name of the original on the command line, without .cfl or .hdr. If the path leads out of the
 * current folder, NAME is only the last part of the path. BYTES is the size of the file.
 *
 * HASH is the XXH3-128 hash of the file as 32 hex digits. For an array, HASH is the hash of NAME.cfl. HASH
 * has another form in three cases:
 *
 * - For a file over 1 GiB, HASH is "part-" and the hash of three parts. The parts are the first, the middle
 *   and the last 16 MiB. The middle part begins at byte (BYTES - 16 MiB) / 2.
 * - If an array without history comes from a pipe, HASH is "unhashed".
 * - For a folder, HASH is "folder". The files of the folder are listed as further originals.
 *
 * Originals that are not on the command line are listed after the outputs. An example is a single image of a
 * stack.
 *
 * Text and NAME are quoted as for a POSIX shell. A text that contains only letters, digits and _-./:,+% needs
 * no quotes. A text that begins with -- is always quoted. A line feed is written as $'\n' between two quoted
 * parts. The characters @, < and > of `@ID`, `<NAME:BYTES:HASH>` and `>` are outside the quotes.
 *
 * The last step made the array of this history. If the last step has several outputs, a final line "@ID.N"
 * says that the array is output N.
 */

/** Returns the line "beside BYTES HASH" for a history. The caller frees the line. A history over 64 KiB is
 * stored in the file NAME.history. Instead of a history over 64 KiB, the header contains the line "beside
 * BYTES HASH". BYTES is the length of the history, and HASH is the XXH3-128 hash. */
extern char *history_pointer(const char *history);

/** Returns whether the file `path` contains the history that `pointer` describes. `pointer` is a line from
 * history_pointer() with its line feed. */
extern bool history_stands_beside(const char *pointer, const char *path);

/** Replaces a line "beside BYTES HASH" in h->history by the history that the line describes. `candidates` are
 * descriptors of files that may contain the history; -1 means no file. If no file contains the history,
 * h->history becomes NULL, and a warning names `path`. */
extern void history_load(struct hdr *h, const int candidates[2], const char *path);

/** Registers an input of the command. `name` is the name on the command line. The data file `data_path` is
 * hashed if the input has no history. */
extern void history_input(const char *name, const struct hdr *h, const char *data_path);

/** Forgets all inputs. Call this function when another command of the same process begins. */
extern void history_reset(void);

/** Sets the fields command, files, creator and history for the output `name` of this command. Does nothing if
 * no command runs. */
extern void history_output(struct hdr *h, const char *name);

/** Returns the word "@ID" or "@ID.2" that names the array with this history. The caller frees the word.
 * Returns NULL if the array has no history. */
extern char *history_last(const char *history);

/** Returns the HASH that histories contain for a file. The caller frees the text. Sets *bytes to the size of
 * the file. */
extern char *history_hash_file(const char *path, long *bytes);

/** Returns a shell script that repeats the steps of a history to make the array `name`. The caller frees the
 * script. `known` is the table of all commands (misc/options/commands.h). Dangerous steps become comments
 * (misc/file/history_safety.h). If `known` is NULL, no step becomes a comment. */
struct commands;
extern char *history_script(const char *history, const char *name, const struct commands *known);

/** Calls error() if an original "<NAME:BYTES:HASH>" is missing or has changed. If HASH is "unhashed", changes
 * cannot be detected, and the function prints a warning. */
extern void history_verify(const char *word);

#endif
