/** Formats sizes in bytes. */

#include <stdio.h>
#include <string.h>

#include "misc/human_bytes.h"

static const char prefixes[] = "KMGTPE";

const char *human_bytes(double bytes)
{
	static _Thread_local char text[4][32];
	static _Thread_local int next;
	char *s = text[next++ % 4];
	int k = 0;

	while (bytes >= 1023.5 && k < (int)strlen(prefixes)) {
		bytes /= 1024.;
		k++;
	}
	if (k == 0)
		snprintf(s, sizeof text[0], "%.0f bytes", bytes);
	else
		snprintf(s, sizeof text[0], bytes < 9.95 ? "%.1f %ciB" : "%.0f %ciB", bytes, prefixes[k - 1]);
	return s;
}
