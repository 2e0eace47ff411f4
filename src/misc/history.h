#ifndef MISC_HISTORY_H
#define MISC_HISTORY_H

#include "misc/hdr.h"

/**
 * How an array came to be: one line per step in dependency order, "ID: words", shell-quoted. ID = the first 16 hex digits of the XXH3-128 of the rest of
 * the line. Inputs made by Gantry are words @ID (or @ID.2 for the second output of a step); originals are words
 * <NAME:BYTES:HASH> with the XXH3-128 of the data, HASH prefixed "part-" when only the first, middle and last 16 MiB were hashed
 * (over 1 GiB). Outputs are the word >, or >1 >2 ... when there are several. See doc/format.md.
 */

/** Histories over 64 KiB stand in NAME.history; the header then has the one line "beside BYTES HASH" (XXH3-128 of that text) instead.
 *  history_pointer() makes that line, malloc'd. */
extern char *history_pointer(const char *history);

/** Replaces such a line in h->history by the text of `path` or `path`~, whichever has that hash; by NULL and a warning when neither has. */
extern void history_load(struct hdr *h, const char *path);

/** Registers an input array opened by cfl_open(): its name as typed, header, and data for hashing when it has no history. */
extern void history_input(const char *name, const struct hdr *h, const char *data_path);

/** Fills h->command, files, creator and history for output number `index` (1-based; of `total`) of the running tool. */
extern void history_output(struct hdr *h, const char *name);

/** ID word of the last step of a history text (malloc'd "@ID" or "@ID.2"), or NULL when empty. The output index is kept in
 *  the last line: see doc/format.md. */
extern char *history_last(const char *history);

/** XXH3-128 of a file as 32 hex digits (with "part-" when over 1 GiB); malloc'd. */
extern char *history_hash_file(const char *path, long *bytes);

/** The shell script that rebuilds `name` from its history; malloc'd. */
extern char *history_script(const char *history, const char *name);

/** error() unless the original "<NAME:BYTES:HASH>" is here and unchanged. */
extern void history_verify(const char *word);

#endif
