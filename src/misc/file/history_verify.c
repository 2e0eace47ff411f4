/** Comparison of originals with a history. */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "misc/error.h"
#include "misc/file/history.h"
#include "misc/file/history_line.h"
#include "misc/mem.h"

static bool is_regular(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && S_ISREG(st.st_mode);
}

/* The file of an original: an array NAME has its data in NAME.cfl. */
static char *data_path(const char *name)
{
	char *cfl = mem_printf("%s.cfl", name);

	if (!is_regular(name) && is_regular(cfl))
		return cfl;

	free(cfl);
	return mem_strdup(name);
}

void history_verify(const char *word)
{
	struct history_word w;

	if (!history_original_parse(&w, word))
		usage_error("'%s', expected '<NAME:BYTES:HASH>'", word);

	if (0 == strcmp(w.hash, "folder"))
		return; // its files are checked one by one

	char *path = data_path(w.text);
	long bytes;

	if (!is_regular(path))
		error("%s is missing, expected the original file of %ld bytes", w.text, w.bytes);

	char *hash = history_hash_file(path, &bytes);

	if (0 == strcmp(w.hash, "unhashed"))
		warn("%s came through a pipe and was not hashed, so it cannot be checked", w.text);
	else if (bytes != w.bytes || 0 != strcmp(hash, w.hash))
		error("%s has %ld bytes and the hash %s, expected the original file of %ld bytes with the "
		      "hash %s",
		        path, bytes, hash, w.bytes, w.hash);

	free(hash);
	free(path);
	free(w.text);
	free(w.hash);
}
