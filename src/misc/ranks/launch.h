#ifndef MISC_RANKS_LAUNCH_H
#define MISC_RANKS_LAUNCH_H

/**
 * Runs a command as n ranks on this machine, by the mpirun of an MPI for which this installation has a
 * module, and returns its exit status: 0, 1 or 2. `words`: the path of the command and its words, ended by
 * NULL; `folder`: that of the commands. GANTRY_MPI (openmpi, mpich) chooses among several. The launcher's own
 * banners are suppressed. error() if no launcher can be started, or inside a rank.
 */
extern int ranks_launch(long n, char *const words[], const char *folder);

#endif
