#include "ct/fbp/scan_pictures.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ct/exchange/exchange.h"
#include "misc/error.h"
#include "misc/mem.h"

static const char *extension(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	return dot ? dot : "";
}

/* SkyScan's begin with a line [System]; other programs write .log files, too. */
static bool begins_with_bracket(const char *path)
{
	FILE *f = fopen(path, "r");
	const bool bracket = f && '[' == fgetc(f);

	if (f)
		fclose(f);

	return bracket;
}

int scan_settings_form(const char *path)
{
	if (0 == strcasecmp(extension(path), ".xtekct"))
		return EXCHANGE_NIKON;

	return 0 == strcasecmp(extension(path), ".log") && begins_with_bracket(path) ? EXCHANGE_SKYSCAN : -1;
}

const char *scan_settings_name(int form)
{
	return EXCHANGE_NIKON == form ? "nikon" : "skyscan";
}

/* Is it STEM, an underscore or none, a number and .tif or .tiff? */
static bool is_picture(const char *name, const char *stem, size_t n)
{
	if (0 != strncmp(name, stem, n))
		return false;

	name += n;
	name += '_' == *name;

	const size_t digits = strspn(name, "0123456789");

	return digits > 0 &&
	       (0 == strcasecmp(name + digits, ".tif") || 0 == strcasecmp(name + digits, ".tiff"));
}

int scan_pictures(const char *path, struct named_file **list, int n)
{
	const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
	const size_t length = (size_t)(extension(path) - stem);
	char *folder = slash ? mem_printf("%.*s", (int)(slash + 1 - path), path) : mem_strdup("");
	DIR *d = opendir(*folder ? folder : ".");
	const int before = n;

	if (!d)
		error("%s: %s", *folder ? folder : ".", strerror(errno));

	for (struct dirent *e; (e = readdir(d));)
		if (is_picture(e->d_name, stem, length))
			n = names_add(
			        list, n, (struct named_file){.path = mem_printf("%s%s", folder, e->d_name)});

	closedir(d);
	free(folder);

	if (n == before)
		error("%s contains the settings of a scan, but its folder has no pictures %.*s*.tif "
		      "('gantry geom --from %s %s GEOM' reads only the geometry)",
		        path, (int)length, stem, scan_settings_name(scan_settings_form(path)), path);

	return n;
}
