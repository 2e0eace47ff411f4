#ifndef MISC_MINMAX_H
#define MISC_MINMAX_H

/** Returns the minimum or maximum of two numbers. */
static inline long min_long(long a, long b)
{
	return (a < b) ? a : b;
}

static inline long max_long(long a, long b)
{
	return (a > b) ? a : b;
}

#endif
