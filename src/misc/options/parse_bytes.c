/** Parses sizes in bytes. */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

static const char prefixes[] = "KMGTPE";

long parse_bytes(const char *text, const char *what)
{
	char *end;
	const double v = strtod(text, &end);
	double factor = 1.;

	if (strspn(text, "0123456789.") == 0 || end != text + strspn(text, "0123456789."))
		usage_error("%s: '%s' is not a size like 512M, 4G or 1.5GiB", what, text);

	if (*end) {
		const char *p = strchr(prefixes, *end >= 'a' ? *end - 'a' + 'A' : *end);
		const char *unit = p ? end + 1 : end;
		for (const char *q = prefixes; p && q <= p; q++)
			factor *= 1024.;
		if (*unit && strcasecmp(unit, "B") && !(p && !strcasecmp(unit, "iB")))
			usage_error("%s: '%s' is not a size like 512M, 4G or 1.5GiB", what, text);
	}
	if (!(v * factor < 0x1p63))
		usage_error("%s: %s does not fit into 63 bits", what, text);
	return (long)(v * factor);
}
