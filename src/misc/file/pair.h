#ifndef MISC_FILE_PAIR_H
#define MISC_FILE_PAIR_H

#include "misc/temp.h"

/**
 * The files of an array are NAME.hdr and NAME.cfl. A history over 64 KiB is in NAME.history. Writers replace
 * all files of an array together.
 *
 * A writer first completes temporary files in the same folder. Then the writer locks the folder, blocks
 * signals and renames the files:
 *
 *     1. history -> NAME.history~, header -> NAME.hdr~
 *     2. data -> NAME.cfl~TIE           this is the commit
 *     3. NAME.cfl is removed
 *     4. NAME.history~ -> NAME.history
 *     5. NAME.hdr~ -> NAME.hdr
 *     6. NAME.cfl~TIE -> NAME.cfl
 *
 * TIE is a checksum of the header text. TIE shows which header belongs to the data. TIE does not depend on
 * file times or on the order of copying files.
 *
 * A reader opens the first of these pairs that exists:
 *
 *     1. NAME.hdr~ and NAME.cfl~TIE with the TIE of NAME.hdr~
 *     2. NAME.hdr and NAME.cfl
 *     3. NAME.hdr and NAME.cfl~TIE with the TIE of NAME.hdr
 *
 * Readers ignore a file NAME.hdr~ if NAME.cfl~TIE does not exist. Without NAME.cfl~TIE, NAME.hdr~ is an
 * editor backup or was never committed. Readers ignore NAME.cfl~TIE if TIE belongs to neither NAME.hdr nor
 * NAME.hdr~.
 *
 * If a commit was interrupted, the next process that may write in the folder completes the commit. Readers
 * always see exactly one complete array, even after a process is killed. NAME.cfl is removed before NAME.hdr
 * changes. An incomplete copy of the files therefore never combines a header with the data of another header.
 */
struct pair {
	char *hdr, *cfl, *history; // paths without symbolic links
};

enum {
	PAIR_TIE = 9,               // length of TIE with the final zero byte
	PAIR_HEADER_MAX = 64 << 20, // largest size of a header in bytes
};

extern void pair_init(struct pair *p, const char *name);
extern void pair_free(struct pair *p);

/** Sets `tie` to the TIE of a header text of n bytes. TIE is the CRC-32 (ISO 3309) as 8 hex digits. */
extern void pair_tie(char tie[PAIR_TIE], const char *text, long n);

/** Completes an interrupted commit. Does nothing if the folder is locked by another process or not writable.
 */
extern void pair_finish(const struct pair *p);

/** Descriptors and paths of an open header and its data. */
struct pair_files {
	int hdr, cfl;
	int history[2];            // descriptors of files that may contain the history, or -1
	char *hdr_path, *cfl_path; // allocated with malloc()
};

/** Opens the files of an array for reading. Calls error() if a file is missing or cannot be read. */
extern void pair_open(const struct pair *p, struct pair_files *f);

/** Closes all descriptors except the descriptor of the data. Frees the path of the header. */
extern void pair_opened(struct pair_files *f);

/** Replaces the files of an array by new files in six steps (see struct pair). `tie` is the TIE of the new
 * header. Call this function after signals_hold(). Returns 0 after success. If the commit fails, the function
 * returns errno, and the old array is unchanged. */
extern int pair_commit(const struct pair *p, const char tie[PAIR_TIE], struct replacement *hdr,
        struct replacement *cfl, struct replacement *history);

#endif
