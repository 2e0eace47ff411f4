#ifndef MISC_NATURAL_H
#define MISC_NATURAL_H

/** Like strcmp(), but compares digits as numbers: raw_2 comes before raw_10. Returns 0 only for equal names.
 */
extern int natural_compare(const char *a, const char *b);

/** Sorts n names in the order of natural_compare(). */
extern void natural_sort(int n, const char *names[]);

#endif
