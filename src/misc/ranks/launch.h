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

#endif
