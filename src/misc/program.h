#ifndef MISC_PROGRAM_H
#define MISC_PROGRAM_H

/** Returns the path of the running program in a static string. If the file has several hard links, the
 * result is the path that was started. */
extern const char *program_path(void);

/** Returns the folder of the running program in a static string, without a final slash. */
extern const char *program_folder(void);

#endif
