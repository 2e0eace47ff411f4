#ifndef MISC_FILE_MEMORY_H
#define MISC_FILE_MEMORY_H

/** Memory that this process can use without making others swap [bytes]: the available memory of the
 * machine, including page cache, and at most the limits of its control groups. LONG_MAX if nothing is
 * known. */
extern long memory_available(void);

/** The smallest memory limit [bytes] of the control groups in a file like /proc/self/cgroup (either version)
 * and of their parents, below a folder like /sys/fs/cgroup; LONG_MAX without a limit.
 */
extern long memory_group_limit(const char *groups, const char *root);

/** Private memory that this process uses now [bytes], 0 if unknown. */
extern long memory_private(void);

#endif
