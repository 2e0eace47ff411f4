/** Lists of names, and "did you mean": the nearest of them by the number of typing mistakes. */

#include <ctype.h>
#include <string.h>

#include "misc/mem.h"
#include "misc/options/parse.h"

enum { NAME_LONGEST = 64 };

static int min3(int a, int b, int c)
{
	const int m = a < b ? a : b;
	return m < c ? m : c;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn a into b (optimal string
 * alignment). */
static int distance(const char *a, const char *b)
{
	const int n = (int)strlen(a), m = (int)strlen(b);
	int row[3][NAME_LONGEST + 1];

	if (n > NAME_LONGEST || m > NAME_LONGEST)
		return NAME_LONGEST;

	for (int j = 0; j <= m; j++)
		row[0][j] = j;
	for (int i = 1; i <= n; i++) {
		int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = i;
		for (int j = 1; j <= m; j++) {
			const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
			now[j] = min3(now[j - 1] + 1, last[j] + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			        before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
	}
	return row[n % 3][m];
}

const char *nearest_name(const char *word, const char *const names[])
{
	const int length = (int)strlen(word);
	const int far = length < 3 ? 1 : length < 6 ? 2 : 3; // at most this many mistakes
	const char *best = NULL;
	int least = far + 1;

	for (; *names; names++) {
		// a word cut short is near whatever its length
		const int d =
		        length >= 3 && !strncmp(word, *names, (size_t)length) ? 1 : distance(word, *names);
		if (d < least && d < (int)strlen(*names)) {
			least = d;
			best = *names;
		}
	}
	return best;
}

char *join_names(const char *const names[], const char *conjunction)
{
	struct str s = {0};

	str_add(&s, "");

	for (int i = 0; NULL != names[i]; i++) {
		if (0 < i)
			str_printf(&s, "%s%s ", (NULL == names[i + 1]) ? " " : ",",
			        (NULL == names[i + 1]) ? conjunction : "");

		str_add(&s, names[i]);
	}

	return s.data;
}
