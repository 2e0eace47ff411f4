#ifndef MISC_MEMORY_H
#define MISC_MEMORY_H

/** Memory that this process could have now without driving others to the disk [bytes]: what the machine has
 * available, page cache included, and at most the limits of the control groups it is in. LONG_MAX where
 * nothing is known. */
extern long memory_available(void);

/** Private memory of this process that is in use now [bytes], 0 where it is not known. */
extern long memory_private(void);

#endif
