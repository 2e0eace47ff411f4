#ifndef MISC_FILE_PAIR_H
#define MISC_FILE_PAIR_H

#include "misc/temp.h"

/**
 * The files of an array, NAME.hdr, NAME.cfl and NAME.history (only for histories over 64 KiB), and the
 * protocol by which they are replaced together.
 *
 * A writer completes temporary files in the same folder, then renames them, with signals blocked and the
 * folder locked:
 *   1. history -> NAME.history~, header -> NAME.hdr~
 *   2. data -> NAME.cfl~TIE           this is the commit
 *   3. NAME.cfl is removed
 *   4. NAME.history~ -> NAME.history
 *   5. NAME.hdr~ -> NAME.hdr
 *   6. NAME.cfl~TIE -> NAME.cfl
 *
 * TIE is a checksum of the text of the header (pair_tie()). TIE connects the data to their header,
 * independent of file times and of the order in which files are copied.
 *
 * A reader opens the first of these pairs that exists:
 *   1. NAME.hdr~ and NAME.cfl~TIE with the TIE of NAME.hdr~
 *   2. NAME.hdr and NAME.cfl
 *   3. NAME.hdr and NAME.cfl~TIE with the TIE of NAME.hdr
 *
 * Readers ignore a NAME.hdr~ without its NAME.cfl~TIE: a backup of an editor, or a header that was never
 * committed. They also ignore a NAME.cfl~TIE whose TIE is neither that of NAME.hdr nor that of NAME.hdr~.
 *
 * A process that may write in the folder completes an incomplete commit. So exactly one complete array is
 * visible at every moment, also after a process is killed. NAME.cfl is removed before NAME.hdr changes, so no
 * partial copy of the files combines a header with data that belong to another header.
 */
struct pair {
	char *hdr, *cfl, *history; // symbolic links resolved
};

enum {
	PAIR_TIE = 9,               // characters with the end
	PAIR_HEADER_MAX = 64 << 20, // bytes
};

extern void pair_init(struct pair *p, const char *name);
extern void pair_free(struct pair *p);

/** The TIE of a header whose text has n bytes: CRC-32 (ISO 3309) as 8 hex digits. */
extern void pair_tie(char tie[PAIR_TIE], const char *text, long n);

/** Completes an interrupted commit, if the folder is writable and no other process is completing it. */
extern void pair_finish(const struct pair *p);

/** An open pair: descriptors of header and data that belong together, and their paths (malloc'd).
 */
struct pair_files {
	int hdr, cfl;
	int history[2]; // candidates for the history beside them; -1 where there is none
	char *hdr_path, *cfl_path;
};

/** Opens the pair for reading; error() naming what is missing. */
extern void pair_open(const struct pair *p, struct pair_files *f);

/** Closes all descriptors except that of the data, and frees the path of the header. */
extern void pair_opened(struct pair_files *f);

/** Carries out steps 1 to 6 of the protocol for new files; `tie` is the TIE of the new header. Call under
 * signals_hold(). Returns 0, or errno after a failure that leaves the old array unchanged. */
extern int pair_commit(const struct pair *p, const char tie[PAIR_TIE], struct replacement *hdr,
        struct replacement *cfl, struct replacement *history);

#endif
