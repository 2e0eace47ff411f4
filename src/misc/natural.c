#include "misc/natural.h"

#include <stdlib.h>
#include <string.h>

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Compares numbers of any length by their digits, ignoring leading zeros. */
static int compare_numbers(const char *a, size_t na, const char *b, size_t nb)
{
	for (; na > 1 && '0' == *a; na--)
		a++;

	for (; nb > 1 && '0' == *b; nb--)
		b++;

	if (na != nb)
		return na < nb ? -1 : 1;

	return strncmp(a, b, na);
}

int natural_compare(const char *a, const char *b)
{
	const char *p = a, *q = b;

	while (*p && *q) {
		size_t np = digits(p), nq = digits(q);
		int c = (np && nq) ? compare_numbers(p, np, q, nq) : (unsigned char)*p - (unsigned char)*q;

		if (c)
			return c;

		p += (np && nq) ? np : 1;
		q += (np && nq) ? nq : 1;
	}

	if (*p || *q)
		return *p ? 1 : -1;

	return strcmp(a, b); // 01 and 1
}

static int compare(const void *a, const void *b)
{
	return natural_compare(*(const char *const *)a, *(const char *const *)b);
}

void natural_sort(int n, const char *names[])
{
	qsort(names, (size_t)n, sizeof names[0], compare);
}
