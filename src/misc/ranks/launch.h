#ifndef MISC_RANKS_LAUNCH_H
#define MISC_RANKS_LAUNCH_H

/**
 * Runs a command as n ranks on this machine with mpirun and returns its exit status: 0, 1 or 2. An
 * MPI is considered only if this installation has a module for it; its mpirun is then used. `words`: the path
 * of the command and its words, ended by NULL; `folder`: the folder of the commands. GANTRY_MPI (openmpi,
 * mpich) selects the MPI if several are installed. The launcher's own banners are suppressed. error() if no
 * launcher can be started, or if this process is already a rank.
 */
extern int ranks_launch(long n, char *const words[], const char *folder);

#endif
