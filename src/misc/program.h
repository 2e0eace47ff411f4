#ifndef MISC_PROGRAM_H
#define MISC_PROGRAM_H

/** The file of the running program, by the name it was started as where it has several; static. */
extern const char *program_path(void);

/** The folder of the running program, without a slash at the end; static. */
extern const char *program_folder(void);

#endif
