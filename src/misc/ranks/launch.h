#ifndef MISC_RANKS_LAUNCH_H
#define MISC_RANKS_LAUNCH_H

/**
 * Runs a command as n ranks on this machine with mpirun. Returns the exit status 0, 1 or 2. `words` are
 * the path of the command, the arguments and NULL. `folder` is the folder of the commands. The launcher
 * needs an MPI for which this installation has a module. GANTRY_MPI (openmpi, mpich) selects one of
 * several MPIs. Calls error() if no launcher can be started. A process that is already a rank gets a
 * usage_error().
 */
extern int ranks_launch(long n, char *const words[], const char *folder);

/** The environment of the ranks has this variable; its value is the process number of the launcher. */
#define RANKS_LAUNCHER "GANTRY_LAUNCHER"

/**
 * A rank writes notes for the launcher to standard error. A note is a line that starts with RANKS_NOTE, which
 * no other line of a rank does, and has one of these forms:
 * - RANKS_NOTE_ERROR, the number of the rank, a space, and a line of an error message. If the line is empty,
 *   the rank ends by itself with a status other than 0.
 * - RANKS_NOTE_FOLDER and a folder where the rank may have temporary files ("" or a path that ends with /).
 */
#define RANKS_NOTE '\001'
enum { RANKS_NOTE_ERROR = 'e', RANKS_NOTE_FOLDER = 'f' };

#endif
