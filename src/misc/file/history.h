#ifndef MISC_FILE_HISTORY_H
#define MISC_FILE_HISTORY_H

#include "misc/file/hdr.h"

/**
 * The history of an array has one line per step; every step comes after the steps whose outputs it reads:
 *
 *     ID: COMMAND WORD WORD ...
 *
 * ID is the first 16 hex digits of the XXH3-128 of the rest of the line, from COMMAND to the last character.
 * Equal steps therefore have equal IDs and appear once. Words are separated by one blank. Options come first,
 * sorted by name, in full as --name=VALUE, flags as --name; then the arguments. Some commands take arrays as
 * NAME=VALUE. Names of outputs, threads, devices and other options that cannot change the result are not
 * recorded, so that a pipe and a file give the same line.
 *
 * A VALUE or argument is one of
 *
 * - `@ID`: the array that step ID made; `@ID.2`: the second output of a step that has several.
 *
 * - `<NAME:BYTES:HASH>`: an original, a file that Gantry did not make.
 *
 *   HASH is the XXH3-128 of its bytes (for a pair, the bytes of NAME.cfl) as 32 hex digits.
 *
 *   For files over 1 GiB, HASH is "part-" and the XXH3-128 of the first, the middle and the last 16 MiB,
 *   joined; the middle begins at byte (BYTES - 16 MiB) / 2. "unhashed": an array without history, read from a
 *   pipe. "folder": a folder, whose files follow as originals.
 *
 *   NAME is the name as typed, for arrays without .cfl or .hdr. If the path leads out of the current folder
 *   (absolute, or with ".."), only its last part is kept.
 *
 *   Originals listed after the outputs are files that were read but are not on the command line (frames of a
 *   stack).
 *
 * - `>`: the output; `>1`, `>2` ... if the command line named several outputs.
 *
 * - anything else: text.
 *
 * Text and NAME are quoted as for a POSIX shell if they contain characters other than letters, digits and
 * _-./:,+%. A line feed in a quoted text is written $'\n', between two quoted parts. An @, < or > that is
 * part of the grammar above is outside the quotes.
 *
 * The array itself was made by the last step. If that step has several outputs, a final line "@ID.N" states
 * that the array is output N.
 */

/** Histories over 64 KiB are stored in NAME.history; the header then contains the line "beside BYTES HASH"
 * instead, where HASH is the XXH3-128 of the history. history_pointer() returns this line (malloc'd). */
extern char *history_pointer(const char *history);

/** `pointer`: a line of history_pointer() with its line feed. Returns whether the file at `path` contains the
 * history to which this line refers. */
extern bool history_stands_beside(const char *pointer, const char *path);

/** If h->history is a line of history_pointer(), replaces it by the history to which this line refers.
 * `candidates` are open files that may contain this history (-1: none). If no file contains the history,
 * h->history becomes NULL, with a warning that names `path`. */
extern void history_load(struct hdr *h, const int candidates[2], const char *path);

/** Registers an input array opened by cfl_open(): its name as typed, its header, and its data, which are
 * hashed if it has no history. */
extern void history_input(const char *name, const struct hdr *h, const char *data_path);

/** Called when another command begins: forgets the inputs. */
extern void history_reset(void);

/** Fills h->command, files, creator and history for the output `name` of the running tool; does nothing
 * outside a tool. */
extern void history_output(struct hdr *h, const char *name);

/** The word that refers to the array with this history ("@ID" or "@ID.2", malloc'd), or NULL without a
 * history. */
extern char *history_last(const char *history);

/** The HASH of a file (32 hex digits, after "part-" for files over 1 GiB), malloc'd; *bytes: the size of the
 * file. */
extern char *history_hash_file(const char *path, long *bytes);

/** The shell script that rebuilds `name` from its history; malloc'd. Steps become comments unless the table
 * `known` (misc/options/commands.h) proves that they only create arrays in the current folder; NULL keeps all
 * steps. */
struct commands;
extern char *history_script(const char *history, const char *name, const struct commands *known);

/** error() unless the original "<NAME:BYTES:HASH>" exists and is unchanged. */
extern void history_verify(const char *word);

#endif
