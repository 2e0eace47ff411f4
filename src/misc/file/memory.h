#ifndef MISC_FILE_MEMORY_H
#define MISC_FILE_MEMORY_H

/** Returns the memory in bytes that this process can use without swapping. Memory of the page cache counts as
 * available. The result is at most the memory limit of the control groups of this process. Returns LONG_MAX
 * if the available memory is unknown. */
extern long memory_available(void);

/** Returns the smallest memory limit of the control groups of a process, in bytes. The limits of parent
 * groups also count. Control groups of versions 1 and 2 are supported. Returns LONG_MAX if there is no limit.
 * `groups` is a file such as /proc/self/cgroup. `root` is a folder such as /sys/fs/cgroup. */
extern long memory_group_limit(const char *groups, const char *root);

/** Returns the private memory that this process uses now, in bytes. Returns 0 if the number is unknown. */
extern long memory_private(void);

#endif
