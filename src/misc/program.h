#ifndef MISC_PROGRAM_H
#define MISC_PROGRAM_H

/** The path of the running program; a static string. If the file has several names (hard links), the path is
 * the one that was used to start it. */
extern const char *program_path(void);

/** The folder of the running program, without a slash at the end; a static string. */
extern const char *program_folder(void);

#endif
