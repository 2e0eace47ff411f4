#ifndef MISC_FILE_MEMORY_H
#define MISC_FILE_MEMORY_H

/** Memory [bytes] that this process can use without causing swapping: the available memory of the machine,
 * including page cache, limited by the control groups of the process. LONG_MAX if nothing is known. */
extern long memory_available(void);

/** The smallest memory limit [bytes] of control groups (version 1 or 2) and their parents; LONG_MAX without a
 * limit. `groups`: a file like /proc/self/cgroup; `root`: a folder like /sys/fs/cgroup. */
extern long memory_group_limit(const char *groups, const char *root);

/** Private memory that this process uses now [bytes], 0 if unknown. */
extern long memory_private(void);

#endif
