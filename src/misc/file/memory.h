#ifndef MISC_FILE_MEMORY_H
#define MISC_FILE_MEMORY_H

/** Memory that this process could have now without driving others to the disk [bytes]: what the machine has
 * available, page cache included, and at most the limits of the control groups it is in. LONG_MAX where
 * nothing is known. */
extern long memory_available(void);

/** The smallest memory limit [bytes] of the control groups that a file like /proc/self/cgroup names, of
 * either version, and of those around them, below a folder like /sys/fs/cgroup; LONG_MAX where there is none.
 */
extern long memory_group_limit(const char *groups, const char *root);

/** Private memory of this process that is in use now [bytes], 0 where it is not known. */
extern long memory_private(void);

#endif
