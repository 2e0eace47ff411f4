#ifndef MISC_PROGRAM_H
#define MISC_PROGRAM_H

/** The file of the running program, under the name it was started with if it has several; static. */
extern const char *program_path(void);

/** The folder of the running program, without a slash at the end; static. */
extern const char *program_folder(void);

#endif
